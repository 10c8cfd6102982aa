import type { ChildProcess } from "node:child_process";

const running = new Set<ChildProcess>();

/** Ends the process with the test file that started it, if it still runs then: a test that failed may not have stopped it. */
export function endWithFile(child: ChildProcess): void {
  running.add(child);
  child.once("exit", () => running.delete(child));
}

export function endChildren(): void {
  for (const child of running) child.kill("SIGKILL");
}
