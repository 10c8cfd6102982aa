/** How long an advance over very many due charges takes, over HTTP, without receivers; and whether that grows in line with their number. */
import { line, spread } from "../measure/figures.mjs";
import { postCharge, postJson, runLoad } from "../measure/load.mjs";
import { programs, startServer } from "../measure/processes.mjs";

const TIMES_MOST = 12;

/** Over `charges`, and over a tenth of them. */
export async function measureAdvance({ rounds, charges }) {
  const fewer = charges / 10;
  const few = [];
  const many = [];
  for (let round = 0; round < rounds; round++) {
    few.push(await measureProgram(fewer));
    many.push(await measureProgram(charges));
  }
  const times = many.map(({ seconds }, round) => seconds / few[round].seconds);
  const secondsMost = charges === 100_000 ? { most: 1 } : {};
  return [
    line(
      `Advance over ${charges} due charges, seconds`,
      spread(many.map(({ seconds }) => seconds)),
      secondsMost,
      "s",
      {},
    ),
    line("The same, seconds of CPU time", spread(many.map(({ cpuSeconds }) => cpuSeconds)), {}, "s", {}),
    line("10 times the charges, times the time", spread(times), { most: TIMES_MOST }, "", {}),
  ];
}

async function measureProgram(charges) {
  const server = await startServer([...programs.sandbox, "--clock", "2026-01-15T09:00:00Z"]);
  await runLoad(server.url, { requests: charges, status: 201, requestOf: postCharge });
  const before = await server.usage();
  const startedAt = performance.now();
  const { firedCount } = await postJson(server.url, "/_sandbox/clock/advance", { by: "1h" });
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await server.usage();
  await server.stop();
  if (firedCount !== charges) throw new Error(`${firedCount} of ${charges} were dropped.`);
  return { seconds, cpuSeconds: (after.cpuUs - before.cpuUs) / 1e6 };
}
