import { type FileHandle, lstat, open, stat, unlink } from "node:fs/promises";
import { codeOf, messageOf, UsageError } from "../../kernel/messages/problem.js";
import type { HttpExchange } from "./http-exchange.js";
import { HAR_BETWEEN, HAR_HEAD, HAR_TAIL, renderHarEntry } from "./write-har.js";

/**
 * An archive that grows by one entry at a time and is valid after each: an entry overwrites the tail, and a new tail follows it. `onFailure` is
 * called with the reason when writing begins to fail, for example on a full disk; entries are then lost until writing succeeds again. An existing
 * file of this name is replaced and not overwritten: another process may still write to it.
 *
 * Throws UsageError("cannot-run") when the file cannot be made.
 */
export async function createHarFile(path: string, onFailure: (reason: string) => void): Promise<HarFile> {
  let handle: FileHandle | undefined;
  try {
    handle = await openNew(path);
    await handle.write(HAR_HEAD + HAR_TAIL);
    return new HarFile(path, handle, onFailure);
  } catch (error) {
    await handle?.close();
    throw new UsageError("cannot-run", `Failed to write the recording to ${path}: ${reasonOf(error)}.`);
  }
}

async function openNew(path: string): Promise<FileHandle> {
  const found = await lstat(path).catch(() => undefined);
  // A device such as /dev/stdout is opened, not replaced.
  if (found !== undefined && !found.isFile()) return open(path, "w");
  if (found !== undefined) await unlink(path);
  return open(path, "wx");
}

export class HarFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #onFailure: (reason: string) => void;
  /** Where the tail begins, in bytes. */
  #end = Buffer.byteLength(HAR_HEAD);
  #written = 0;
  #lost = 0;
  #isFailing = false;
  /** Entries are written one after another. */
  #last: Promise<void> = Promise.resolve();

  constructor(path: string, handle: FileHandle, onFailure: (reason: string) => void) {
    this.#path = path;
    this.#handle = handle;
    this.#onFailure = onFailure;
  }

  /** How many entries the file has. */
  get written(): number {
    return this.#written;
  }

  /** How many entries could not be written. */
  get lost(): number {
    return this.#lost;
  }

  add(exchange: HttpExchange): void {
    this.#last = this.#last.then(() => this.#write(exchange));
  }

  async close(): Promise<void> {
    await this.#last;
    const [own, found] = await Promise.all([this.#handle.stat(), stat(this.#path).catch(() => undefined)]);
    await this.#handle.close();
    if (own.ino === found?.ino && own.dev === found.dev) return;
    this.#lost += this.#written;
    this.#written = 0;
    this.#onFailure(found === undefined ? "it was removed" : "another process has replaced it");
  }

  async #write(exchange: HttpExchange): Promise<void> {
    const entry = Buffer.from((this.#written === 0 ? "" : HAR_BETWEEN) + renderHarEntry(exchange));
    try {
      await this.#writeAll(Buffer.concat([entry, Buffer.from(HAR_TAIL)]));
      this.#end += entry.length;
      this.#written++;
      this.#isFailing = false;
    } catch (error) {
      this.#lost++;
      if (!this.#isFailing) this.#onFailure(reasonOf(error));
      this.#isFailing = true;
      await this.#restoreTail();
    }
  }

  async #writeAll(bytes: Buffer): Promise<void> {
    let done = 0;
    while (done < bytes.length) {
      const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done, this.#end + done);
      done += bytesWritten;
    }
  }

  /** Puts the tail back in its place. It needs no new space, because the file had it there before. */
  async #restoreTail(): Promise<void> {
    try {
      await this.#writeAll(Buffer.from(HAR_TAIL));
      await this.#handle.truncate(this.#end + HAR_TAIL.length);
    } catch {
      // The next entry overwrites what is there.
    }
  }
}

function reasonOf(error: unknown): string {
  return reasons[codeOf(error)] ?? messageOf(error);
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EFBIG: "the file has reached its limit",
  EACCES: "it may not be written",
  EROFS: "the file system is read-only",
  EISDIR: "it is a folder",
  ENOENT: "there is no such folder",
  EEXIST: "another process is writing to it",
};
