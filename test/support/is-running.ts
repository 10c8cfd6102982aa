import { readFileSync } from "node:fs";

export function isRunning(pid: number): boolean {
  try {
    // A zombie does not run.
    return process.kill(pid, 0) && !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
