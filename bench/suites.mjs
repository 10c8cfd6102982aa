/** The suites. Each returns rows: a name, the numbers of every round by program, a unit, and a target for the sandbox. */
import { rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import {
  calibrateFile,
  firstAnswer,
  frozenSandbox,
  getBalance,
  getCharges,
  medianAnswers,
  postCharges,
  postJson,
  programs,
  receiverFloor,
  recordingProxy,
  runNode,
  senderFloor,
  startServer,
  timeOfCommand,
  timeOfExplore,
  trade,
} from "./programs.mjs";

const names = Object.keys(programs);
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Runs every program once a round, each time in another order. */
async function inTurns(rounds, measure) {
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (let index = 0; index < names.length; index++) {
      const name = names[(index + round) % names.length];
      results[name].push(await measure(programs[name]));
    }
  return results;
}

const pick = (results, select) =>
  Object.fromEntries(Object.entries(results).map(([name, list]) => [name, list.map(select)]));

/** Compare processor time on a shared machine, since the client also limits the throughput. */
export async function requests({ rounds, amount, warmUp }) {
  const results = await inTurns(rounds, async (program) => {
    const server = await startServer(program);
    const { url } = server;
    const ids = [];
    await postCharges(url, warmUp, 0, (id) => ids.push(id));
    await getCharges(url, warmUp, ids);
    await getBalance(url, warmUp);
    const measured = {};
    for (const [kind, load] of [
      ["POST charge", () => postCharges(url, amount, warmUp)],
      ["GET charge", () => getCharges(url, amount, ids)],
      ["GET balance", () => getBalance(url, amount)],
    ]) {
      const before = await server.usage();
      const { perSecond, p99Ms } = await load();
      const after = await server.usage();
      measured[kind] = { cpuUs: (after.cpuUs - before.cpuUs) / amount, perSecond, p99Ms };
    }
    await server.stop();
    return measured;
  });
  const most = { "POST charge": 1.7, "GET charge": 1.5, "GET balance": 1.6 };
  return Object.keys(most).flatMap((kind) => [
    {
      name: `${kind}, processor time`,
      of: pick(results, (of) => of[kind].cpuUs),
      unit: "µs",
      target: { ratioMost: most[kind] },
    },
    // The best stateful peer, vercel-labs/emulate, reaches 0.23 of the floor.
    {
      name: `${kind}, throughput`,
      of: pick(results, (of) => of[kind].perSecond),
      unit: "/s",
      target: { ratioLeast: 0.46 },
    },
    { name: `${kind}, 99th percentile`, of: pick(results, (of) => of[kind].p99Ms), unit: "ms" },
  ]);
}

/** From the start of the process to its first answer. */
export async function start({ rounds }) {
  const results = await inTurns(rounds, async (program) => {
    const startedAt = performance.now();
    const server = await startServer(program);
    await firstAnswer(server.url);
    const ms = performance.now() - startedAt;
    const { cpuUs, rssMb } = await server.usage();
    await server.stop();
    return { ms, cpuMs: cpuUs / 1000, rssMb };
  });
  return [
    {
      name: "First answer, processor time",
      of: pick(results, ({ cpuMs }) => cpuMs),
      unit: "ms",
      target: { ratioMost: 1.35 },
    },
    { name: "First answer, by the clock", of: pick(results, ({ ms }) => ms), unit: "ms" },
    { name: "Memory, idle", of: pick(results, ({ rssMb }) => rssMb), unit: "MB", target: { ratioMost: 1.25 } },
  ];
}

/** Resident memory that charges add, without a forced collection. */
export async function memory({ rounds, amount }) {
  const results = await inTurns(rounds, async (program) => {
    const server = await startServer(program);
    await firstAnswer(server.url);
    const before = await server.usage();
    await postCharges(server.url, amount);
    const after = await server.usage();
    await server.stop();
    return after.rssMb - before.rssMb;
  });
  return [{ name: `${amount} charges, memory added`, of: results, unit: "MB", target: { most: 110 } }];
}

/** One advance drops charges, each with a webhook. The floor sends as many with `undici.request`. All share one core. */
export async function webhooks({ rounds, amount, warmUp }) {
  const receiver = await startServer([receiverFloor]);
  const results = { floor: [], sandbox: [] };
  for (let round = 0; round < rounds; round++) {
    const { seconds } = await runNode([senderFloor, receiver.url, String(amount), String(warmUp)]);
    results.floor.push(amount / seconds);
    const server = await startServer(frozenSandbox);
    await postJson(server.url, "/v1/webhooks", { topic: "charges/events", url: `${receiver.url}/hook` });
    await dropCharges(server, warmUp, 0);
    results.sandbox.push(amount / (await dropCharges(server, amount, warmUp)));
    await server.stop();
  }
  const { received } = await (await fetch(receiver.url)).json();
  if (received !== rounds * 2 * (amount + warmUp)) throw new Error(`${received} webhooks arrived.`);
  await receiver.stop();
  return [{ name: "Webhooks, throughput", of: results, floor: "floor", unit: "/s", target: { ratioLeast: 0.35 } }];
}

/** One advance that drops charges, without a subscription. Another with a tenth of the charges shows whether the time grows linearly. */
export async function advance({ rounds, amount }) {
  const results = { tenth: [], sandbox: [] };
  for (let round = 0; round < rounds; round++)
    for (const [name, charges] of [
      ["tenth", amount / 10],
      ["sandbox", amount],
    ]) {
      const server = await startServer(frozenSandbox);
      results[name].push(await dropCharges(server, charges, 0));
      await server.stop();
    }
  return [
    {
      name: `Advance over ${amount} due charges`,
      of: results,
      floor: "tenth",
      unit: "s",
      target: { most: 1.5, ratioMost: 12 },
    },
  ];
}

async function dropCharges(server, amount, firstNumber) {
  await postCharges(server.url, amount, firstNumber);
  const startedAt = performance.now();
  const { firedCount } = await postJson(server.url, "/_sandbox/clock/advance", { by: "1h", maxWaitMs: 600_000 });
  if (firedCount < amount) throw new Error(`${firedCount} of ${amount} charges were dropped.`);
  return (performance.now() - startedAt) / 1000;
}

/** The time that `sandbox proxy --record` adds to an answer. */
export async function proxy({ rounds, amount, warmUp }) {
  const server = await startServer(programs.sandbox);
  const file = at("../reports/bench/proxy.har");
  const between = await startServer(recordingProxy(server.url, file));
  const of = { sandbox: [], direct: [] };
  const urls = [server.url, between.url];
  await medianAnswers(urls, warmUp);
  for (let round = 0; round < rounds; round++) {
    const [direct, through] = await medianAnswers(urls, amount);
    of.direct.push(direct);
    of.sandbox.push(through - direct);
  }
  await between.stop();
  await server.stop();
  await rm(file);
  return [{ name: "Recording proxy, added at the median", of, unit: "ms", floor: "direct", target: { most: 2 } }];
}

/**
 * `calibrate` of what the proxy recorded before a service that differs from the default in two settings. A tenth of the traffic, and three times as much,
 * show how both figures grow.
 */
export async function calibrate({ rounds, exchanges }) {
  const [seconds, peakMb] = [0, 1].map(() => ({ tenth: [], sandbox: [], triple: [] }));
  const found = { "charges.createdAtFormat": "iso", "http.createdStatus": 200 };
  const sizes = { tenth: exchanges / 10, sandbox: exchanges, triple: exchanges * 3 };
  for (const [name, size] of Object.entries(sizes)) {
    const file = await recordTrade(size);
    for (let round = 0; round < rounds; round++) {
      const calibrated = await calibrateFile(file);
      const set = calibrated.report.settings.filter(({ state }) => state === "set");
      const named = Object.fromEntries(set.map(({ path, value }) => [path, value]));
      const wrong = Object.entries(found).find(([path, value]) => named[path] !== value);
      if (wrong !== undefined) throw new Error(`calibrate did not name ${wrong[0]}: ${JSON.stringify(named)}`);
      seconds[name].push(calibrated.seconds);
      peakMb[name].push(calibrated.peakMb);
    }
  }
  const triple = { tenth: peakMb.tenth, sandbox: peakMb.triple };
  const row = (size, what, of, unit, target) => ({
    name: `calibrate, ${size} exchanges${what}`,
    of,
    unit,
    floor: "tenth",
    target,
  });
  return [
    row(exchanges, "", seconds, "s", { most: 60 }),
    row(exchanges, ": most memory", peakMb, "MB", { ratioMost: 2 }),
    row(exchanges * 3, ": most memory", triple, "MB"),
  ];
}

/** Records an archive of about this many exchanges, a fifth of them webhooks. */
async function recordTrade(exchanges) {
  const file = at(`../reports/bench/calibrate-${exchanges}.har`);
  const profile = at("../reports/bench/staging.yaml");
  await writeFile(profile, "http: { createdStatus: 200 }\ncharges: { createdAtFormat: iso }\n");
  const receiver = await startServer([receiverFloor]);
  const service = await startServer([...programs.sandbox, "--profile", profile]);
  const proxy = await startServer(recordingProxy(service.url, file, `--webhooks-to=${receiver.url}`));
  await postJson(proxy.url, "/v1/webhooks", { topic: "charges/events", url: `${proxy.url}/_webhooks` });
  await trade(proxy.url, exchanges / 5);
  await postJson(service.url, "/_sandbox/settle", {});
  for (const server of [proxy, service, receiver]) await server.stop();
  return file;
}

/** The time that `explore` adds to each run of its command, with one worker and with two. `--list` shows the time before the first run. */
export async function explore({ rounds, faults }) {
  const server = await startServer(programs.sandbox);
  const bare = [];
  const added = { 1: [], 2: [] };
  for (let round = 0; round < rounds; round++) {
    const commands = [];
    for (let run = 0; run < 10; run++) commands.push(await timeOfCommand(server.url));
    const bareMs = commands.reduce((sum, ms) => sum + ms, 0) / commands.length;
    bare.push(bareMs);
    const beforeMs = await timeOfExplore(["--list"]);
    for (const workers of [1, 2]) {
      const ms = await timeOfExplore(["--max-runs", String(faults), "--workers", String(workers)]);
      added[workers].push(((ms - beforeMs) * workers) / faults - bareMs);
    }
  }
  await server.stop();
  return [1, 2].map((workers) => ({
    name: `explore, added to a run with ${workers === 1 ? "one worker" : `${workers} workers`}`,
    of: { sandbox: added[workers], bare },
    unit: "ms",
    floor: "bare",
    target: { most: 150 },
  }));
}
