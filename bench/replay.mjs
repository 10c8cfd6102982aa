/**
 * What it costs to replay scenarios, with the built program: 500 copies of ten steps with webhooks in one process, whether memory stays
 * flat, and a cold `sandbox replay` of one file.
 *
 *     npm run build && npm run bench:replay
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createSandbox } from "../dist/index.js";

const COPIES = [100, 200, 300, 400, 500];
const COLD_RUNS = 5;
/** The targets: far more than this machine needs, far less than a user would put up with. */
const CPU_SECONDS_MAX = 20;
const HEAP_GROWTH_MAX_MIB = 10;

const root = fileURLToPath(new URL("..", import.meta.url));
const file = fileURLToPath(new URL("ten-steps.yaml", import.meta.url));

const { rows, cpuSeconds, wallSeconds, peakMib } = await replayCopies();
const cold = coldRuns();

console.log("replays   heap after GC");
for (const { copies, heapMib } of rows)
  console.log(`${String(copies).padStart(7)}   ${heapMib.toFixed(1).padStart(9)} MiB`);
const growthMib = (rows.at(-1)?.heapMib ?? 0) - (rows[0]?.heapMib ?? 0);
console.log(`
500 replays   ${cpuSeconds.toFixed(2)} s CPU, ${wallSeconds.toFixed(2)} s wall   (at most ${CPU_SECONDS_MAX} s CPU)
heap growth   ${growthMib.toFixed(1)} MiB from 100 to 500   (at most ${HEAP_GROWTH_MAX_MIB} MiB)
peak memory   ${peakMib.toFixed(0)} MiB resident
cold replay   ${cold.join(", ")} ms wall, one file`);
if (cpuSeconds > CPU_SECONDS_MAX || growthMib > HEAP_GROWTH_MAX_MIB) process.exitCode = 1;

async function replayCopies() {
  const sandbox = await createSandbox({ seed: 1 });
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  let done = 0;
  const rows = [];
  for (const copies of COPIES) {
    const { passed } = await sandbox.replay(...Array.from({ length: copies - done }, () => file));
    if (passed !== copies - done) throw new Error(`${passed} of ${copies - done} passed`);
    done = copies;
    rows.push({ copies, heapMib: heapMib() });
  }
  const { user, system } = process.cpuUsage(cpu);
  const wallSeconds = (performance.now() - startedAt) / 1000;
  await sandbox.close();
  return { rows, cpuSeconds: (user + system) / 1e6, wallSeconds, peakMib: process.resourceUsage().maxRSS / 1024 };
}

function heapMib() {
  if (globalThis.gc === undefined) throw new Error("Run it with node --expose-gc.");
  // Twice: what finalizers let go of in the first is collected in the second.
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** @returns {number[]} ms, sorted */
function coldRuns() {
  return Array.from({ length: COLD_RUNS }, () => {
    const startedAt = performance.now();
    const { status, stderr } = spawnSync(process.execPath, ["bin/sandbox.js", "replay", file], {
      cwd: root,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`sandbox replay ended with ${status}: ${stderr}`);
    return Math.round(performance.now() - startedAt);
  }).sort((a, b) => a - b);
}
