import { link, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { UsageError } from "../../kernel/messages/problem.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { unlessMissing } from "./file-system.js";
import { createMachineRandom } from "../../kernel/records/ids.js";

export interface Lock {
  release(): Promise<void>;
}

/** How often the holder touches its lock. A lock of another machine or container that was not touched for so long is stale. Real time, ms. */
const TOUCH_MS = 10_000;
const STALE_MS = 60_000;
/** The wait while another process takes over a stale lock. */
const TURN_MS = 5;

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** The name of the process. */
  readonly name: string;
  /** When the process began, in the machine's units, because a later process may get its number. Empty where the machine does not say. */
  readonly began: string;
}

/**
 * Takes the lock file `path`, which names its holder. The lock of a dead process is taken over. Throws UsageError("cannot-run") with the name of a live
 * holder.
 */
export async function acquireLock(path: string, name: string, system: SystemClock): Promise<Lock> {
  // A process of another container that shares the folder may have the same number.
  const own = `${path}.${process.pid}-${Buffer.from(createMachineRandom().bytes(4)).toString("hex")}`;
  const { began = "" } = (await readProcess(process.pid)) ?? {};
  const holder: Holder = { pid: process.pid, host: hostname(), name, began };
  await writeFile(own, JSON.stringify(holder), { mode: 0o600 });
  try {
    await take(own, path, system, refuse);
  } finally {
    await rm(own, { force: true });
  }
  const stop = keepTouched(path, system);
  return {
    release: async () => {
      stop();
      const found = await readHolder(path);
      // After a long sleep another process may have taken the lock over.
      if (found?.pid === holder.pid && found.host === holder.host && found.began === began) await rm(path);
    },
  };
}

/**
 * Links `path` to the file `own`. Of several processes that find the holder dead only one at a time may act (it holds `path.turn`), and it looks again when
 * its turn comes: otherwise it could remove the lock that another one has just taken.
 */
async function take(own: string, path: string, system: SystemClock, whenHeld: (by: Holder) => unknown): Promise<void> {
  // Linking fails when the name exists: of two processes only one succeeds.
  while (!(await tryLink(own, path))) {
    const found = await readHolder(path);
    if (found === undefined) continue;
    if (await isAlive(found, path, system)) {
      await whenHeld(found);
      continue;
    }
    const turn = `${path}.turn`;
    await take(own, turn, system, () => system.sleep(TURN_MS));
    try {
      const still = await readHolder(path);
      if (still === undefined || (await isAlive(still, path, system))) continue;
      const next = `${own}.next`;
      await link(own, next);
      await rename(next, path);
      return;
    } finally {
      await rm(turn, { force: true });
    }
  }
}

function keepTouched(path: string, system: SystemClock): () => void {
  let stop = (): void => undefined;
  const touch = (): void => {
    const now = new Date(system.now());
    // When the folder is gone, writing reports it.
    void utimes(path, now, now).catch(() => undefined);
    stop = system.after(TOUCH_MS, touch);
  };
  stop = system.after(TOUCH_MS, touch);
  return () => stop();
}

async function tryLink(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Undefined when there is no lock. A text that is incomplete was written by a process that died meanwhile. */
async function readHolder(path: string): Promise<Holder | undefined> {
  const text = await unlessMissing(readFile(path, "utf8"));
  if (text === undefined) return undefined;
  const [, pid = "0"] = /"pid":(\d+)/.exec(text) ?? [];
  const [, host = ""] = /"host":"([^"]*)"/.exec(text) ?? [];
  const [, name = "another process"] = /"name":"([^"]*)"/.exec(text) ?? [];
  const [, began = ""] = /"began":"([^"]*)"/.exec(text) ?? [];
  return { pid: Number(pid), host, name, began };
}

/** On this machine the process table decides; for another machine or container, when the lock was last touched. */
async function isAlive({ pid, host, began }: Holder, path: string, system: SystemClock): Promise<boolean> {
  if (host !== hostname()) return host !== "" && system.now() - (await touchedAt(path)) < STALE_MS;
  if (pid === 0) return false;
  const found = await readProcess(pid);
  if (found !== undefined) return !found.isDead && (began === "" || found.began === began);
  // In a restarted container this process has the same number as the one before.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** A process as Linux reports it; elsewhere undefined. A dead one keeps its number until its parent has collected it. */
async function readProcess(pid: number): Promise<{ readonly isDead: boolean; readonly began: string } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  // The name in brackets may contain brackets. proc(5): state is the 3rd field, starttime the 22nd.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { isDead: fields[0] === "Z" || fields[0] === "X", began: fields[19] ?? "" };
}

async function touchedAt(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
}

function refuse({ pid, host, name }: Holder): never {
  const where = host === hostname() ? "" : ` on ${host}`;
  const what = "Stop it, or name another store with --store file:PATH.";
  throw new UsageError("cannot-run", `Failed to open the store: ${name} (process ${pid}${where}) uses it. ${what}`);
}
