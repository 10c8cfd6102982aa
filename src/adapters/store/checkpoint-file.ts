import type { Adapter } from "lowdb";
import type { StoreEntry } from "./store.js";
import { assertEntry, checksum, parseLine, readLines, refuseFile, renderChecksum } from "./entries.js";
import { type FileSystem, isMissing } from "./file-system.js";

/** Raised when an older store no longer says everything, or says it otherwise. */
export const STORE_VERSION = 1;

/** Everything at once, and which journals come after it. */
export interface Checkpoint {
  readonly schemaVersion: number;
  /** The journals of this generation and of later ones come after it. */
  readonly generation: number;
  readonly entries: Iterable<StoreEntry>;
}

/** As many characters as are written at a time: in between, requests get their turn. */
const WRITE_CHARACTERS = 64 * 1024;

/**
 * lowdb's adapter of the file: one JSON document with an entry on each line, so that damage has a place, and a checksum of all lines at its end.
 * It is written beside the old one and takes its place when it is durable.
 */
export class CheckpointFile implements Adapter<Checkpoint> {
  readonly #fs: FileSystem;
  readonly #path: string;

  constructor(fs: FileSystem, path: string) {
    this.#fs = fs;
    this.#path = path;
  }

  /** Null when there is no file. The entries are those of its version. Throws UsageError("file") for one that is damaged, or newer. */
  async read(): Promise<Checkpoint | null> {
    try {
      return await this.#read();
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async write({ schemaVersion, generation, entries }: Checkpoint): Promise<void> {
    const beside = `${this.#path}.tmp`;
    const file = await this.#fs.create(beside);
    try {
      let sum = 0;
      let pending = "";
      const put = async (text: string, least: number): Promise<void> => {
        sum = checksum(text, sum);
        pending += text;
        if (pending.length < least) return;
        await file.append(pending);
        pending = "";
      };
      await put(`${JSON.stringify({ schemaVersion, generation }).slice(0, -1)},"entries":[`, WRITE_CHARACTERS);
      let first = true;
      for (const entry of entries) {
        await put(`${first ? "" : ","}\n${JSON.stringify(entry)}`, WRITE_CHARACTERS);
        first = false;
      }
      await put("\n", WRITE_CHARACTERS);
      await file.append(`${pending}],"checksum":"${renderChecksum(sum)}"}\n`);
      await file.sync();
      await file.close();
      await this.#fs.rename(beside, this.#path);
      await this.#fs.syncFolderOf(this.#path);
    } catch (error) {
      await file.close().catch(() => undefined);
      // Half of it must not fill what is left of the disk.
      await this.#fs.remove(beside).catch(() => undefined);
      throw error;
    }
  }

  async #read(): Promise<Checkpoint> {
    const file = this.#path;
    let head: Omit<Checkpoint, "entries"> | undefined;
    let sum = 0;
    let closed = false;
    const entries: StoreEntry[] = [];
    for await (const line of readLines(file)) {
      if (closed) refuseFile(file, line.number, "the store is damaged here: something follows its end");
      if (head === undefined) head = parseHead(file, line.text);
      else if (line.text.startsWith("]")) {
        assertClosed(file, line.number, line.text, sum);
        closed = true;
      } else {
        const text = line.text.endsWith(",") ? line.text.slice(0, -1) : line.text;
        const entry = parseLine(file, { ...line, text });
        assertEntry(file, line.number, entry);
        entries.push(entry);
      }
      if (!closed) sum = checksum(`${line.text}\n`, sum);
    }
    if (head === undefined || !closed) refuseFile(file, entries.length + 1, "the store is damaged: its end is missing");
    return { ...head, entries };
  }
}

function parseHead(file: string, text: string): Omit<Checkpoint, "entries"> {
  const head = parseLine(file, { text: `${text}]}`, number: 1 });
  const version: unknown = typeof head === "object" && head !== null ? Reflect.get(head, "schemaVersion") : undefined;
  const generation: unknown = typeof head === "object" && head !== null ? Reflect.get(head, "generation") : undefined;
  if (typeof version !== "number" || typeof generation !== "number") {
    return refuseFile(file, 1, "this is no store of the sandbox: it says neither schemaVersion nor generation");
  }
  if (version <= STORE_VERSION) return { schemaVersion: version, generation };
  const newer = `the store is of version ${version}, and this sandbox reads up to ${STORE_VERSION}`;
  return refuseFile(file, 1, `${newer}: a newer business-payments-sandbox wrote it, use that one`);
}

function assertClosed(file: string, line: number, text: string, sum: number): void {
  const end = parseLine(file, { text: `{"entries":[${text}`, number: line });
  const written: unknown = typeof end === "object" && end !== null ? Reflect.get(end, "checksum") : undefined;
  if (written === renderChecksum(sum)) return;
  refuseFile(file, line, "the store is damaged: what it says does not have this checksum");
}
