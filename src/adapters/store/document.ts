import type { Adapter } from "lowdb";
import { isObject } from "../../kernel/messages/json.js";
import { unlessMissing } from "./file-system.js";
import { assertEntry, checksum, parseLine, readFirstLine, readLines, refuseFile, renderChecksum } from "./lines.js";
import { type Place, placeFile } from "./place-file.js";
import type { StoreEntry } from "./store.js";

/** Raised when an older store does not say everything, or says it in another way. */
export const STORE_VERSION = 2;

/** Everything that a store keeps, but for the changes in its journals. */
export interface StoreDocument {
  readonly schemaVersion: number;
  /** Of the process that wrote it. 0: version 0.1, which had no epochs. */
  readonly epoch: number;
  /** Journals of this generation and of later ones contain what has changed since. */
  readonly generation: number;
  readonly entries: readonly StoreEntry[];
}

/** Characters written at a time, so that requests are answered in between. */
const CHUNK_CHARACTERS = 64 * 1024;

/** lowdb's adapter for the document: JSON with one entry on each line, so that damage has a line number, and a checksum of all lines at the end. */
export class DocumentFile implements Adapter<StoreDocument> {
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  /** Null when there is no file. Throws UsageError("file") for a damaged file or one of a newer version. */
  async read(): Promise<StoreDocument | null> {
    return (await unlessMissing(readDocument(this.#place.path))) ?? null;
  }

  async write(document: StoreDocument): Promise<void> {
    const file = await placeFile(this.#place, this.#place.path, chunksOf(document));
    await file.close();
  }
}

function* chunksOf(document: StoreDocument): Iterable<string> {
  let sum = 0;
  let chunk = "";
  for (const text of textsOf(document)) {
    sum = checksum(text, sum);
    chunk += text;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = "";
  }
  yield `${chunk}],"checksum":"${renderChecksum(sum)}"}\n`;
}

function* textsOf({ entries, ...head }: StoreDocument): Iterable<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"entries":[`;
  let separator = "\n";
  for (const entry of entries) {
    yield separator + JSON.stringify(entry);
    separator = ",\n";
  }
  yield "\n";
}

async function readDocument(file: string): Promise<StoreDocument> {
  let head: Omit<StoreDocument, "entries"> | undefined;
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
      const entry = parseLine(file, { ...line, text: line.text.replace(/,$/, "") });
      assertEntry(file, line.number, entry);
      entries.push(entry);
    }
    sum = checksum(`${line.text}\n`, sum);
  }
  if (head === undefined || !closed) refuseFile(file, entries.length + 1, "the store is damaged: its end is missing");
  return { ...head, entries };
}

/** The epoch of the process that wrote the document; 0 when there is none that can be read. */
export async function readEpoch(path: string): Promise<number> {
  const head = (await unlessMissing(readFirstLine(path))) ?? "";
  const [, epoch = "0"] = /^\{[^[]*"epoch":(\d{1,15}),/.exec(head) ?? [];
  return Number(epoch);
}

function parseHead(file: string, text: string): Omit<StoreDocument, "entries"> {
  const head = parseLine(file, { text: `${text}]}`, number: 1 });
  const { schemaVersion, epoch = 0, generation } = isObject(head) ? head : {};
  if (typeof schemaVersion !== "number" || typeof epoch !== "number" || typeof generation !== "number") {
    return refuseFile(file, 1, "this is no store of the sandbox: it says neither schemaVersion nor generation");
  }
  if (schemaVersion <= STORE_VERSION) return { schemaVersion, epoch, generation };
  const newer = `the store is of version ${schemaVersion}, and this sandbox reads up to ${STORE_VERSION}`;
  return refuseFile(file, 1, `${newer}: a newer business-payments-sandbox wrote it, use that one`);
}

function assertClosed(file: string, line: number, text: string, sum: number): void {
  const end = parseLine(file, { text: `{"entries":[${text}`, number: line });
  if (isObject(end) && end["checksum"] === renderChecksum(sum)) return;
  refuseFile(file, line, "the store is damaged: what it says does not have this checksum");
}
