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
  const idle = collect(measured, ({ idleMb }) => idleMb);
  const added = collect(measured, ({ addedMb }) => addedMb);
  return [
    line("Memory, idle", ratios(idle.sandbox, idle.plain), { most: 1.3 }, "MB", medians(idle)),
    line(`Memory that ${charges} charges add, MB`, spread(added.sandbox), { most: 45 }, "MB", medians(added)),
  ];
}

async function measureProgram(args, charges) {
  const server = await startServer(args);
  await runLoad(server.url, { requests: 1, connections: 1, status: 200, requestOf: getBalance });
  const { rssMb: idleMb } = await server.usage();
  await runLoad(server.url, { requests: charges, status: 201, requestOf: postCharge });
  const { rssMb } = await server.usage();
  await server.stop();
  return { idleMb, addedMb: rssMb - idleMb };
}
