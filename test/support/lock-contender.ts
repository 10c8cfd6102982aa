import { acquireLock, type Lock } from "../../src/adapters/store/lock.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";

/** A process that takes and frees locks: a message is a path to lock, or empty to free the lock. Sends the result. */
let lock: Lock | undefined;

process.on("message", (path: string) => {
  const done = path === "" ? free() : take(path);
  void done.then((result) => process.send?.(result));
});
process.send?.("ready");

async function take(path: string): Promise<string> {
  try {
    lock = await acquireLock(path, { name: "contender", epoch: 1, system: systemClock, readEpoch: async () => 0 });
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
