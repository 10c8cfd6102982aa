/** What a request costs: how many a second are answered on one core, how late the latest are, and what each takes of the processor. */
import { collect, line, medians, ratios } from "../measure/figures.mjs";
import { getBalance, getCharge, postCharge, runLoad } from "../measure/load.mjs";
import { programs, startServer } from "../measure/processes.mjs";

const P99_MOST = 1.5;
const kinds = [
  { key: "postCharge", name: "POST charge", least: 0.8 },
  { key: "getCharge", name: "GET charge", least: 0.62 },
  { key: "getBalance", name: "GET balance", least: 0.7 },
];

/** `requests` of each kind are counted, after `warmUp` of each; every round takes new processes. */
export async function measureRequests({ rounds, requests, warmUp, only = Object.keys(programs) }) {
  const measured = [];
  for (let round = 0; round < rounds; round++) {
    const of = {};
    // Nobody always goes first.
    for (const name of rotate(only, round)) of[name] = await measureProgram(programs[name], { requests, warmUp });
    measured.push(of);
  }
  return kinds.flatMap(({ key, name, least }) => {
    const rate = collect(measured, (of) => of[key].perSecond);
    const cpu = collect(measured, (of) => of[key].cpuUs);
    const p99 = collect(measured, (of) => of[key].p99Ms);
    return [
      line(`${name}, throughput`, ratios(rate.sandbox, rate.plain), { least }, "a second", medians(rate)),
      line(`${name}, CPU time`, ratios(cpu.sandbox, cpu.plain), {}, "µs each", medians(cpu)),
      line(`${name}, 99th percentile`, ratios(p99.sandbox, p99.plain), { most: P99_MOST }, "ms", medians(p99)),
    ];
  });
}

async function measureProgram(args, { requests, warmUp }) {
  const server = await startServer(args);
  const { url } = server;
  const warm = await runLoad(url, { requests: warmUp, status: 201, requestOf: postCharge, keep: true });
  const ids = warm.answers.map((answer) => JSON.parse(answer).id);
  const read = (index) => getCharge(ids[index % ids.length]);
  await runLoad(url, { requests: warmUp, status: 200, requestOf: read });
  await runLoad(url, { requests: warmUp, status: 200, requestOf: getBalance });
  const measure = async (load) => {
    const before = await server.usage();
    const { seconds, p99Ms } = await runLoad(url, { requests, ...load });
    const after = await server.usage();
    return { perSecond: requests / seconds, p99Ms, cpuUs: (after.cpuUs - before.cpuUs) / requests };
  };
  const result = {
    postCharge: await measure({ status: 201, requestOf: (index) => postCharge(warmUp + index) }),
    getCharge: await measure({ status: 200, requestOf: read }),
    getBalance: await measure({ status: 200, requestOf: getBalance }),
  };
  await server.stop();
  return result;
}

function rotate(names, by) {
  return names.map((_, index) => names[(index + by) % names.length]);
}
