import { link, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { UsageError } from "../../../kernel/problem.js";
import type { SystemClock } from "../../../kernel/system-clock.js";
import { isMissing } from "./file-system.js";

export interface Lock {
  release(): Promise<void>;
}

/** So often a lock is touched; one of another machine (or container) that was not for so long is nobody's. Real time, ms. */
const TOUCH_MS = 10_000;
const STALE_MS = 60_000;

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
  const own = `${path}.${process.pid}`;
  const { began = "" } = (await readProcess(process.pid)) ?? {};
  const holder: Holder = { pid: process.pid, host: hostname(), name, began };
  await writeFile(own, JSON.stringify(holder), { mode: 0o600 });
  try {
    // A name that is there already cannot be linked to: of two processes one succeeds.
    while (!(await tryLink(own, path))) await removeIfDead(path, system);
  } finally {
    await rm(own, { force: true });
  }
  const stop = keepTouched(path, system);
  return {
    release: async () => {
      stop();
      await rm(path, { force: true });
    },
  };
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

/** Throws when the holder lives. Another process may be doing the same: whoever moves the file away looks once more at what it has moved. */
async function removeIfDead(path: string, system: SystemClock): Promise<void> {
  const found = await readHolder(path);
  if (found === undefined) return;
  if (await isAlive(found, path, system)) refuse(found);
  const away = `${path}.stale.${process.pid}`;
  try {
    await rename(path, away);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  const moved = await readHolder(away);
  if (moved !== undefined && (await isAlive(moved, away, system))) {
    await tryLink(away, path);
    await rm(away, { force: true });
    refuse(moved);
  }
  await rm(away, { force: true });
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
  if (pid === 0 || pid === process.pid) return false;
  const found = await readProcess(pid);
  if (found !== undefined) return !found.isDead && (began === "" || found.began === began);
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
