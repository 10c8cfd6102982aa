import { acquireLock, type Lock } from "../../src/adapters/store/lock.js";
import { systemClock } from "../../src/kernel/system-clock.js";

/** A process of its own that takes and frees locks as it is told to: a path to take, or an empty one to free what it has. Says what came of it. */
let lock: Lock | undefined;

process.on("message", (path: string) => {
  const done = path === "" ? free() : take(path);
  void done.then((said) => process.send?.(said));
});
process.send?.("ready");

async function take(path: string): Promise<string> {
  try {
    lock = await acquireLock(path, "contender", systemClock);
    return "taken";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function free(): Promise<string> {
  await lock?.release();
  lock = undefined;
  return "freed";
}
