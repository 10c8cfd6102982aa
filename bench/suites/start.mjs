/** How long it takes from the spawn of a process until it has answered its first request. */
import { collect, line, medians, ratios } from "../measure/figures.mjs";
import { getBalance, runLoad } from "../measure/load.mjs";
import { cpuMsOf, programs, startServer } from "../measure/processes.mjs";

export async function measureStart({ rounds }) {
  const measured = [];
  // The first start of each reads its files from the disk.
  for (let round = -1; round < rounds; round++) {
    const of = {};
    for (const name of Object.keys(programs)) of[name] = await measureProgram(programs[name]);
    if (round >= 0) measured.push(of);
  }
  const ms = collect(measured, (of) => of.ms);
  const cpu = collect(measured, (of) => of.cpuMs);
  const shown = medians(ms);
  return [
    line("Cold start, to plain Node", ratios(ms.sandbox, ms.plain), { most: 1.4 }, "ms", shown),
    line("Cold start, to a bundled minimal Hono app", ratios(ms.sandbox, ms.hono), { most: 1.15 }, "ms", shown),
    line("Cold start, CPU time, to plain Node", ratios(cpu.sandbox, cpu.plain), {}, "ms", medians(cpu)),
    line("Cold start, CPU time, to minimal Hono", ratios(cpu.sandbox, cpu.hono), {}, "ms", medians(cpu)),
  ];
}

async function measureProgram(args) {
  const startedAt = performance.now();
  const server = await startServer(args, { probed: false });
  await runLoad(server.url, { requests: 1, status: 200, requestOf: getBalance });
  const ms = performance.now() - startedAt;
  const cpuMs = cpuMsOf(server.pid);
  await server.stop();
  return { ms, cpuMs };
}
