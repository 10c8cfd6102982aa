/**
 * What the sandbox costs, as ratios to programs that do the same work and nothing else, measured in the same run: docs/performance.md says what
 * each figure means.
 *
 *     npm run build && npm run bench                            all, in about six minutes
 *     npm run bench -- --only requests,start                    some of: requests, start, memory, webhooks, advance
 *     npm run bench -- --short                                  a minute, to see that it runs: its figures mean little
 *     npm run bench -- --write                                  into docs/performance.md and bench/results.json
 *
 * Without --write the results go to reports/bench/. A target that is missed is shown, and is no failure.
 */
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { describeMachine } from "./measure/machine.mjs";
import { pinClient, programs } from "./measure/processes.mjs";
import { renderTable, writeInto } from "./measure/report.mjs";
import { measureAdvance } from "./suites/advance.mjs";
import { measureMemory } from "./suites/memory.mjs";
import { measureRequests } from "./suites/requests.mjs";
import { measureStart } from "./suites/start.mjs";
import { measureWebhooks } from "./suites/webhooks.mjs";

const suites = {
  requests: { run: measureRequests, full: { rounds: 7, requests: 20_000, warmUp: 8_000 } },
  start: { run: measureStart, full: { rounds: 20 } },
  memory: { run: measureMemory, full: { rounds: 5, charges: 20_000 } },
  webhooks: { run: measureWebhooks, full: { rounds: 7, webhooks: 20_000, warmUp: 5_000 } },
  advance: { run: measureAdvance, full: { rounds: 3, charges: 100_000 } },
};
const short = {
  requests: { rounds: 1, requests: 1_000, warmUp: 500 },
  start: { rounds: 2 },
  memory: { rounds: 1, charges: 2_000 },
  webhooks: { rounds: 1, webhooks: 1_000, warmUp: 200 },
  advance: { rounds: 1, charges: 5_000 },
};

const { values: flags } = parseArgs({
  options: {
    only: { type: "string", default: Object.keys(suites).join() },
    rounds: { type: "string" },
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
const machine = describeMachine();
pinClient();
const lines = [];
for (const name of flags.only.split(",")) {
  const suite = suites[name];
  if (suite === undefined) throw new Error(`There is no ${name}: --only takes ${Object.keys(suites).join(", ")}.`);
  const size = flags.short ? short[name] : suite.full;
  const rounds = flags.rounds === undefined ? size.rounds : Number(flags.rounds);
  process.stderr.write(`${name}: ${JSON.stringify({ ...size, rounds })}\n`);
  lines.push(...(await suite.run({ ...size, rounds })));
}
const { version } = JSON.parse(await readFile(at("../package.json"), "utf8"));
const result = { version, at: new Date().toISOString(), machine, isShort: flags.short, lines };
const table = renderTable(result);
process.stdout.write(`${table}\n`);
const json = `${JSON.stringify(result, undefined, 2)}\n`;
if (flags.write) {
  await writeFile(at("results.json"), json);
  await writeInto(at("../docs/performance.md"), table);
} else {
  await writeFile(at("../reports/bench/results.json"), json);
  await writeFile(at("../reports/bench/results.md"), `${table}\n`);
}
