import { link, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { UsageError } from "../../kernel/problem.js";
import { createMachineRandom } from "../../kernel/ids.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import { isMissing } from "./file-system.js";

export interface Lock {
  release(): Promise<void>;
}

/** So often a lock is touched; one of another machine (or container) that was not for so long is nobody's. Real time, ms. */
const TOUCH_MS = 10_000;
const STALE_MS = 60_000;
/** How long another one's turn to take over takes at least. */
const TURN_MS = 5;

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** What the process is called. */
  readonly name: string;
  /** When it began, in the machine's own count: a later process may have its number. Empty where the machine does not tell. */
  readonly began: string;
}

/**
 * One process at a time: a file that names it. A process that is dead is no holder: its lock is taken over. Throws UsageError("cannot-run") that
 * names the holder.
 */
export async function acquireLock(path: string, name: string, system: SystemClock): Promise<Lock> {
  // Beside its number: a process of another container that shares the folder may have the same.
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
      // Whoever was asleep for so long that it was taken for dead has nothing to release.
      if (found?.pid === holder.pid && found.host === holder.host && found.began === began) await rm(path);
    },
  };
}

/**
 * Gives `path` to whom `own` names. Of many that find its holder dead one at a time may act, and each looks again when its turn has come: a lock that
 * was moved away unseen could be the one that another has just taken.
 */
async function take(own: string, path: string, system: SystemClock, whenHeld: (by: Holder) => unknown): Promise<void> {
  // A name that is there already cannot be linked to: of two processes one succeeds.
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
    // Whoever cannot touch it (its folder is gone) is told so by what is written.
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

/** Undefined when there is no lock any more. What cannot be read was written by a process that died while it did. */
async function readHolder(path: string): Promise<Holder | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const [, pid = "0"] = /"pid":(\d+)/.exec(text) ?? [];
  const [, host = ""] = /"host":"([^"]*)"/.exec(text) ?? [];
  const [, name = "another process"] = /"name":"([^"]*)"/.exec(text) ?? [];
  const [, began = ""] = /"began":"([^"]*)"/.exec(text) ?? [];
  return { pid: Number(pid), host, name, began };
}

/** The process table knows those of this machine; of another one, or of another container, only its touch tells. */
async function isAlive({ pid, host, began }: Holder, path: string, system: SystemClock): Promise<boolean> {
  if (host !== hostname()) return host !== "" && system.now() - (await touchedAt(path)) < STALE_MS;
  if (pid === 0) return false;
  const found = await readProcess(pid);
  if (found !== undefined) return !found.isDead && (began === "" || found.began === began);
  // In a container that was started again everybody has the number that it had before.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Where Linux tells of a process, or undefined. One that is dead keeps its number until its parent has asked for its end. */
async function readProcess(pid: number): Promise<{ readonly isDead: boolean; readonly began: string } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  // The name before it may hold anything, brackets too. proc(5): state is the 3rd field, starttime the 22nd.
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
