import { READ_WITHOUT_WAITING } from "../files/read-text.js";
import { link, lstat, lutimes, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { codeOf, UsageError } from "../../kernel/messages/problem.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { epochIn } from "./lines.js";
import { assertRegular, unlessMissing } from "./file-system.js";
import { createMachineRandom } from "../../kernel/records/ids.js";

export interface Lock {
  /** Identifies this holder and no other. */
  readonly id: string;
  /** Grows with each holder of the store. Everything that the holder writes has its epoch. */
  readonly epoch: number;
  /** Whether the lock was checked so recently that no other process can have started since then. */
  readonly isFresh: boolean;
  /** Throws LockLost when the file names another holder or is gone. */
  assertHeld(): Promise<void>;
  /** Calls `onLost` soon after the lock was lost. */
  watch(onLost: (error: LockLost) => void): void;
  release(): Promise<void>;
}

/** Another process took this one for dead, or somebody removed the file. This process must not write any more. */
export class LockLost extends Error {
  override readonly name = "LockLost";
}

/** How often the holder checks that the lock is still its own, ms of real time. */
const CHECK_MS = 200;
/** How long a check counts for reads, ms. No process starts in less. */
const FRESH_MS = 100;
/** How often the holder touches its lock, ms. A lock of another machine or container that was not touched for `STALE_MS` is stale. */
const TOUCH_MS = 10_000;
const STALE_MS = 60_000;
/** How long to wait while another process takes over a stale lock, ms. */
const TURN_MS = 5;

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** The name of the process. */
  readonly name: string;
  /** When the process began, in the machine's units: a later process may get the same number. Empty when the machine does not say. */
  readonly began: string;
}

export interface LockOptions {
  /** The name of this process. */
  readonly name: string;
  readonly epoch: number;
  readonly system: SystemClock;
  /** The latest epoch that the store names. */
  readonly readEpoch: () => Promise<number>;
}

/**
 * Takes the lock file `path`, which names its holder. The lock of a dead process is taken over. Throws UsageError("cannot-run") with the name of a live
 * holder.
 */
export async function acquireLock(path: string, options: LockOptions): Promise<Lock> {
  const { name, epoch, system } = options;
  // A process of another container that shares the folder may have the same number.
  const id = `${process.pid}-${Buffer.from(createMachineRandom().bytes(4)).toString("hex")}`;
  const own = `${path}.${id}`;
  const { began = "" } = (await readProcess(process.pid)) ?? {};
  const text = await writeHolder(own, { pid: process.pid, host: hostname(), name, began }, epoch);
  try {
    await take(own, path, system, refuse);
  } finally {
    await rm(own, { force: true });
  }
  return holdLock({ ...options, path, text, id });
}

/** The epoch of the process that the lock names, dead or alive; 0 when there is none. */
export async function readLockEpoch(path: string): Promise<number> {
  return epochIn((await readText(path)) ?? "");
}

interface Held extends Omit<LockOptions, "name"> {
  readonly id: string;
  readonly path: string;
  /** The content of the file as long as this process holds the lock. */
  readonly text: string;
}

function holdLock({ path, text, id, epoch, system, readEpoch }: Held): Lock {
  let checkedAt = system.now();
  let touchedAt = system.now();
  let isReleased = false;
  let stop = (): void => undefined;
  const assertHeld = async (): Promise<void> => {
    const startedAt = system.now();
    const [found, latest] = await Promise.all([readText(path), readEpoch()]);
    if (found === undefined) throw new LockLost(`its lock, ${path}, was removed`);
    if (found !== text) throw new LockLost(`${describeHolder(parseHolder(found))} has taken it over`);
    // Somebody restored the lock file of this process, but the store was written by a later one.
    if (latest > epoch)
      throw new LockLost(`a later process (epoch ${latest}, this one has ${epoch}) has written to it`);
    checkedAt = startedAt;
  };
  const touch = async (): Promise<void> => {
    // The machine's clock may have been set back.
    if (Math.abs(system.now() - touchedAt) < TOUCH_MS) return;
    const now = new Date((touchedAt = system.now()));
    await lutimes(path, now, now);
  };
  return {
    id,
    epoch,
    get isFresh() {
      return Math.abs(system.now() - checkedAt) < FRESH_MS;
    },
    assertHeld,
    watch(onLost) {
      const check = (): void => {
        stop = system.after(CHECK_MS, check);
        void assertHeld()
          .then(touch)
          .catch((error: unknown) => {
            if (error instanceof LockLost && !isReleased) onLost(error);
            // If the folder cannot be used, the next write reports it.
          });
      };
      stop = system.after(CHECK_MS, check);
    },
    async release() {
      isReleased = true;
      stop();
      try {
        if ((await readText(path)) === text) await rm(path);
      } catch {
        // The folder cannot be used. This process ends, and the next one takes over its lock.
      }
    },
  };
}

/** Writes a file that names the holder, and returns its content. */
async function writeHolder(own: string, holder: Holder, epoch: number): Promise<string> {
  const text = JSON.stringify({ ...holder, epoch });
  try {
    await writeFile(own, text, { mode: 0o600 });
    return text;
  } catch (error) {
    await rm(own, { force: true });
    // A full disk still has room for a short link, which needs no block.
    const { pid, host, began } = holder;
    const short = JSON.stringify({ pid, host, began });
    await symlink(short, own).catch(() => {
      throw error;
    });
    return short;
  }
}

/**
 * Links `path` to the file `own`. Of several processes that find the holder dead, only the one that holds `path.turn` may act. It looks again when
 * its turn comes, because it could otherwise remove the lock that another process has just taken.
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

async function tryLink(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Undefined when there is no lock. */
async function readHolder(path: string): Promise<Holder | undefined> {
  const text = await readText(path);
  return text === undefined ? undefined : parseHolder(text);
}

async function readText(path: string): Promise<string | undefined> {
  await assertRegular(path);
  return (
    (await unlessMissing(readFile(path, { encoding: "utf8", flag: READ_WITHOUT_WAITING }))) ??
    readlink(path).catch(() => undefined)
  );
}

/** An incomplete text was written by a process that died while it wrote. */
function parseHolder(text: string): Holder {
  const [, pid = "0"] = /"pid":(\d+)/.exec(text) ?? [];
  const [, host = ""] = /"host":"([^"]*)"/.exec(text) ?? [];
  const [, name = "another process"] = /"name":"([^"]*)"/.exec(text) ?? [];
  const [, began = ""] = /"began":"([^"]*)"/.exec(text) ?? [];
  return { pid: Number(pid), host, name, began };
}

/** On this machine the process table decides; for another machine or container, the time when the lock was last touched. */
async function isAlive({ pid, host, began }: Holder, path: string, system: SystemClock): Promise<boolean> {
  if (host !== hostname()) return host !== "" && system.now() - (await touchedAt(path)) < STALE_MS;
  if (pid === 0) return false;
  const found = await readProcess(pid);
  if (found !== undefined) return !found.isDead && (began === "" || found.began === began);
  // In a restarted container this process may have the same number as the one before.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** A process as Linux reports it; undefined elsewhere. A dead process keeps its number until its parent has collected it. */
async function readProcess(pid: number): Promise<{ readonly isDead: boolean; readonly began: string } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  // The name in brackets may contain brackets. proc(5): state is the 3rd field, starttime the 22nd.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { isDead: fields[0] === "Z" || fields[0] === "X", began: fields[19] ?? "" };
}

async function touchedAt(path: string): Promise<number> {
  return (await lstat(path).catch(() => undefined))?.mtimeMs ?? 0;
}

function refuse(holder: Holder): never {
  const what = "Stop it, or name another store with --store file:PATH.";
  throw new UsageError("cannot-run", `Failed to open the store: ${describeHolder(holder)} uses it. ${what}`);
}

function describeHolder({ pid, host, name }: Holder): string {
  return `${name} (process ${pid}${host === hostname() ? "" : ` on ${host}`})`;
}
