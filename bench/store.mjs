/**
 * Measures one acknowledged write to a file store with 1 000 and with 100 000 records. The two sandboxes are measured in turns, so that other load
 * affects both. Prints Markdown, or JSON with --json.
 *
 *   npm run bench:store
 *   npm run bench:store -- --rounds 40 --requests 50
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chargeOf, postJson } from "./programs.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "30" },
    requests: { type: "string", default: "40" },
    small: { type: "string", default: "1000" },
    large: { type: "string", default: "100000" },
    json: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const requests = Number(values.requests);
const program = fileURLToPath(new URL("../bin/sandbox.js", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "sandbox-bench-store-"));
let made = 0;

const sides = [];
try {
  for (const [name, records] of [
    ["small", Number(values.small)],
    ["large", Number(values.large)],
  ]) {
    sides.push({ name, records, sandbox: await start(name, records), alone: [], together: [] });
  }
  for (const side of sides) await batch(side.sandbox, requests, 1);
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      side.alone.push((await batch(side.sandbox, requests, 1)) / requests);
      side.together.push((await batch(side.sandbox, requests * 8, 32)) / (requests * 8));
    }
  }
  report();
} finally {
  for (const { sandbox } of sides) sandbox.child.kill("SIGTERM");
  await Promise.all(sides.map(({ sandbox }) => sandbox.ended));
  await rm(folder, { recursive: true, force: true });
}

function report() {
  const [small, large] = sides.map(({ records, alone, together }) => ({
    records,
    oneClientMs: median(alone),
    spreadMs: [quantile(alone, 0.1), quantile(alone, 0.9)],
    of32ClientsMs: median(together),
  }));
  const ratio = large.oneClientMs / small.oneClientMs;
  const ratioOf32 = large.of32ClientsMs / small.of32ClientsMs;
  if (values.json) {
    console.log(JSON.stringify({ rounds, requests, small, large, ratio, ratioOf32 }, undefined, 2));
    return;
  }
  const ms = (value) => value.toFixed(3);
  console.log(
    `| Records | POST /v1/charges, one client (ms, median of ${rounds} rounds) | 10 % to 90 % | one of 32 clients (ms a write) |`,
  );
  console.log("|---|---|---|---|");
  for (const { records, oneClientMs, spreadMs, of32ClientsMs } of [small, large]) {
    console.log(`| ${records} | ${ms(oneClientMs)} | ${spreadMs.map(ms).join(" to ")} | ${ms(of32ClientsMs)} |`);
  }
  console.log(`| ratio | ${ratio.toFixed(2)} | | ${ratioOf32.toFixed(2)} |`);
}

/** The real time of that many writes, `at` of them at a time. */
async function batch(sandbox, count, at) {
  const began = performance.now();
  let left = count;
  const client = async () => {
    while (left-- > 0) await postJson(sandbox.url, "/v1/charges", chargeOf(++made));
  };
  await Promise.all(Array.from({ length: at }, client));
  return performance.now() - began;
}

async function start(name, records) {
  // A fixtures file may have at most 2 MiB.
  const files = [];
  for (let at = 0; at < records; at += 20_000) {
    const length = Math.min(20_000, records - at);
    const charges = Array.from({ length }, (_, n) => ({
      externalId: `${name}-${at + n}`,
      amount: 1_000,
      description: "Shoes",
    }));
    const file = join(folder, `${name}-${files.length}.json`);
    await writeFile(file, JSON.stringify({ charges }));
    files.push(file);
  }
  const args = [
    "--port",
    "0",
    "--log",
    "json",
    "--clock",
    "frozen",
    "--store",
    `file:${join(folder, `${name}-state.json`)}`,
  ];
  const child = spawn(process.execPath, [program, "start", ...args, "--fixtures", ...files], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    const { event, url } = JSON.parse(line);
    if (event !== "listening") continue;
    child.stdout.resume();
    return { child, ended, url };
  }
  throw new Error(`it did not start: ${await ended}`);
}

function median(numbers) {
  return quantile(numbers, 0.5);
}

function quantile(numbers, part) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}
