/** What a process holds of memory when it has answered once, and what charges add to that. Resident, as a container counts it. */
import { collect, line, medians, ratios, spread } from "../measure/figures.mjs";
import { getBalance, postCharge, runLoad } from "../measure/load.mjs";
import { programs, startServer } from "../measure/processes.mjs";

export async function measureMemory({ rounds, charges }) {
  const measured = [];
  for (let round = 0; round < rounds; round++) {
    const of = {};
    for (const name of Object.keys(programs)) of[name] = await measureProgram(programs[name], charges);
    measured.push(of);
  }
  const idle = collect(measured, ({ before }) => before.rssMb);
  const added = (what, member, target = {}) => {
    const numbers = collect(measured, (of) => of.after[member] - of.before[member]);
    return line(what, spread(numbers.sandbox), target, "MB", medians(numbers));
  };
  return [
    line("Memory, idle", ratios(idle.sandbox, idle.plain), { most: 1.3 }, "MB", medians(idle)),
    added(`Memory that ${charges} charges add, MB`, "rssMb", { most: 45 }),
    added("Of that, V8's young generation", "youngMb"),
    added("Of that, the rest of V8's heap", "oldMb"),
    added("Of that, buffers outside of the heap", "externalMb"),
  ];
}

async function measureProgram(args, charges) {
  const server = await startServer(args);
  await runLoad(server.url, { requests: 1, connections: 1, status: 200, requestOf: getBalance });
  const before = await server.usage();
  await runLoad(server.url, { requests: charges, status: 201, requestOf: postCharge });
  const after = await server.usage();
  await server.stop();
  return { before, after };
}
