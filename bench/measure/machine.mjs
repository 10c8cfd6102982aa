import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";
import { isPinned } from "./processes.mjs";

/** Where it was measured, and what else went on there when it began. */
export function describeMachine() {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    isPinned,
    loadAverage: Number((loadavg()[0] ?? 0).toFixed(2)),
  };
}
