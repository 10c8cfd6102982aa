/** Loaded into a measured process with --import: says over IPC what the process has used of the processor and what it takes of memory. */
import { getHeapSpaceStatistics } from "node:v8";

process.on("message", (what) => {
  if (what !== "usage") return;
  const { user, system } = process.cpuUsage();
  const { rss, external } = process.memoryUsage();
  let young = 0;
  let old = 0;
  for (const { space_name: name, physical_space_size: size } of getHeapSpaceStatistics())
    if (name.startsWith("new_")) young += size;
    else old += size;
  const mb = { rssMb: rss, youngMb: young, oldMb: old, externalMb: external };
  for (const [name, bytes] of Object.entries(mb)) mb[name] = bytes / 1e6;
  process.send?.({ cpuUs: user + system, ...mb });
});
// Nobody waits for a question.
process.channel?.unref();
