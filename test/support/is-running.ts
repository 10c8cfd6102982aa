import { readFileSync } from "node:fs";

export function isRunning(pid: number): boolean {
  try {
    // One that has ended, and that nobody has taken notice of yet, does not run.
    return process.kill(pid, 0) && !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
