import { readFileSync } from "node:fs";

export function isRunning(pid: number): boolean {
  try {
    // A zombie has a process id, but is not running.
    return process.kill(pid, 0) && !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
