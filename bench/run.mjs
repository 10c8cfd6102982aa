/**
 * Measures the sandbox beside programs that do only the same work, in one run. See docs/performance.md.
 *
 *     npm run build && npm run bench             all suites, about ten minutes
 *     npm run bench -- --only requests,start     some of: requests, start, memory, webhooks, advance, proxy, calibrate, explore
 *     npm run bench -- --short                   a minute, to check that it runs; its figures mean little
 *     npm run bench -- --write                   also writes the table into docs/performance.md
 *
 * A missed target is shown, but is not a failure.
 */
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isPinned, pinClient, programs } from "./programs.mjs";
import { advance, calibrate, explore, memory, proxy, requests, start, webhooks } from "./suites.mjs";

const suites = {
  requests: {
    run: requests,
    full: { rounds: 5, amount: 20_000, warmUp: 8_000 },
    short: { rounds: 1, amount: 1_000, warmUp: 500 },
  },
  start: { run: start, full: { rounds: 20 }, short: { rounds: 2 } },
  memory: { run: memory, full: { rounds: 3, amount: 20_000 }, short: { rounds: 1, amount: 2_000 } },
  webhooks: {
    run: webhooks,
    full: { rounds: 5, amount: 20_000, warmUp: 5_000 },
    short: { rounds: 1, amount: 1_000, warmUp: 200 },
  },
  advance: { run: advance, full: { rounds: 3, amount: 100_000 }, short: { rounds: 1, amount: 5_000 } },
  proxy: {
    run: proxy,
    full: { rounds: 5, amount: 3_000, warmUp: 1_000 },
    short: { rounds: 1, amount: 300, warmUp: 100 },
  },
  calibrate: { run: calibrate, full: { rounds: 1, exchanges: 10_000 }, short: { rounds: 1, exchanges: 500 } },
  explore: { run: explore, full: { rounds: 3, faults: 100 }, short: { rounds: 1, faults: 8 } },
};
const { values: flags } = parseArgs({
  options: {
    only: { type: "string", default: Object.keys(suites).join() },
    short: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

await mkdir(at("../reports/bench"), { recursive: true });
await build({
  entryPoints: [at("floors/hono.mjs")],
  outfile: programs.hono[0],
  bundle: true,
  platform: "node",
  format: "esm",
  logLevel: "warning",
});
pinClient();
const [load = 0] = loadavg();
const rows = [];
for (const name of flags.only.split(",")) {
  const suite = suites[name];
  if (suite === undefined) throw new Error(`There is no suite ${name}: --only takes ${Object.keys(suites).join()}.`);
  process.stderr.write(`${name}\n`);
  rows.push(...(await suite.run(flags.short ? suite.short : suite.full)));
}
const { version } = JSON.parse(await readFile(at("../package.json"), "utf8"));
const table = [
  `Version ${version}, ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus()[0]?.model.trim()} ` +
    `(${cpus().length} cores${isPinned ? ", server and client on one each" : ""}), load average ${load.toFixed(2)} at the start.`,
  "",
  "| Figure | Sandbox | Ratio to the floor | Lowest to highest | Target | Met | Medians |",
  "|---|---|---|---|---|---|---|",
  ...rows.map(renderRow),
].join("\n");
process.stdout.write(`${table}\n`);
await writeFile(at("../reports/bench/results.md"), `${table}\n`);
if (flags.write) {
  const page = at("../docs/performance.md");
  const text = await readFile(page, "utf8");
  await writeFile(page, text.replace(/(?<=<!-- bench -->\n)[^]*?(?=<!-- \/bench -->)/, `${table}\n`));
}

function renderRow({ name, of, unit, floor = "hono", target = {} }) {
  const ratios = of.sandbox.map((number, round) => number / of[floor][round]);
  const { most, ratioMost, ratioLeast } = target;
  const isMet =
    (most === undefined || median(of.sandbox) <= most) &&
    (ratioMost === undefined || median(ratios) <= ratioMost) &&
    (ratioLeast === undefined || median(ratios) >= ratioLeast);
  const wanted = [
    ...(most === undefined ? [] : [`≤ ${most} ${unit}`]),
    ...(ratioMost === undefined ? [] : [`≤ ${ratioMost} ×`]),
    ...(ratioLeast === undefined ? [] : [`≥ ${ratioLeast} ×`]),
  ];
  const cells = [
    name,
    `${show(median(of.sandbox))} ${unit}`,
    `**${show(median(ratios))}**`,
    `${show(Math.min(...ratios))} to ${show(Math.max(...ratios))}`,
    wanted.join(", "),
    wanted.length === 0 ? "" : isMet ? "yes" : "no",
    Object.entries(of)
      .map(([program, numbers]) => `${program} ${show(median(numbers))}`)
      .join(", "),
  ];
  return `| ${cells.join(" | ")} |`;
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function show(number) {
  return number >= 100 ? number.toFixed(0) : number.toFixed(2);
}
