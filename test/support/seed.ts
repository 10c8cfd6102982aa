/** One seed for the properties of a run, printed before it starts. `FAST_CHECK_SEED=<seed> npm test` repeats the run. */
export default function announceSeed(): void {
  process.env["FAST_CHECK_SEED"] ??= String(Math.floor(Math.random() * 2 ** 31));
  process.stdout.write(`fast-check seed: ${process.env["FAST_CHECK_SEED"]}\n`);
}
