/** Loaded into a measured process with --import: says over IPC what the process has used of the processor and what it takes of memory. */
process.on("message", (what) => {
  if (what !== "usage") return;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system, rssMb: process.memoryUsage.rss() / 1e6 });
});
// Nobody waits for a question.
process.channel?.unref();
