import { constants } from "node:buffer";
import type { Adapter } from "lowdb";
import type * as z from "zod";
import { object } from "../../kernel/fields.js";
import { isObject } from "../../kernel/messages/json.js";
import { unlessMissing } from "./file-system.js";
import {
  assertEntry,
  checksum,
  parseFields,
  parseLine,
  readLines,
  refuseFile,
  renderChecksum,
  storeNumber,
} from "./lines.js";
import { type Place, placeFile } from "./place-file.js";
import type { StoreEntry } from "./store.js";

/** Raised when an older store does not say everything, or says it in another way. */
export const STORE_VERSION = 2;

const documentHead = object({
  schemaVersion: storeNumber(1),
  /** Of the process that wrote it. 0: version 0.1, which had no epochs. */
  epoch: storeNumber(0).default(0),
  /** Journals of this generation and of later ones contain what has changed since. */
  generation: storeNumber(1),
});

type DocumentHead = Readonly<z.output<typeof documentHead>>;

/** Everything that a store keeps, but for the changes in its journals. */
export interface StoreDocument extends DocumentHead {
  readonly entries: readonly StoreEntry[];
}

/** A comma ends the line. */
const LINE_CHARACTERS_MAX = constants.MAX_STRING_LENGTH - 1;

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
    chunk += text;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    sum = checksum(chunk, sum);
    yield chunk;
    chunk = "";
  }
  sum = checksum(chunk, sum);
  yield `${chunk}],"checksum":"${renderChecksum(sum)}"}\n`;
}

function* textsOf({ entries, ...head }: StoreDocument): Iterable<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"entries":[`;
  let separator = "\n";
  for (const entry of entries) {
    yield separator;
    let length = 0;
    for (const text of textsOfList(entry)) {
      length += text.length;
      // The next process could not read the line.
      if (length > LINE_CHARACTERS_MAX) throw new RangeError("a part of it is longer than a text can be");
      yield text;
    }
    separator = ",\n";
  }
  yield "\n";
}

/** JSON of one record at a time: one of a megabyte of short values takes tens of milliseconds. */
function* textsOfList(list: readonly unknown[]): Iterable<string> {
  let separator = "[";
  for (const item of list) {
    yield separator;
    if (Array.isArray(item) && item.length > 0) yield* textsOfList(item);
    else yield JSON.stringify(item ?? null);
    separator = ",";
  }
  yield "]";
}

async function readDocument(file: string): Promise<StoreDocument> {
  let head: DocumentHead | undefined;
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
      const entry = parseLine(file, { ...line, text: line.text.endsWith(",") ? line.text.slice(0, -1) : line.text });
      assertEntry(file, line.number, entry);
      entries.push(entry);
    }
    sum = checksum(line.bytes, sum);
  }
  if (head === undefined || !closed) refuseFile(file, entries.length + 1, "the store is damaged: its end is missing");
  return { ...head, entries };
}

function parseHead(file: string, text: string): DocumentHead {
  const { entries: _, ...head } = asObject(parseLine(file, { text: `${text}]}`, number: 1 }));
  const { schemaVersion } = head;
  if (typeof schemaVersion !== "number" || schemaVersion <= STORE_VERSION)
    return parseFields(file, 1, head, documentHead, "this is not a store of the sandbox");
  const newer = `the store is of version ${schemaVersion}, and this sandbox reads up to ${STORE_VERSION}`;
  return refuseFile(file, 1, `${newer}: a newer business-payments-sandbox wrote it, use that one`);
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function assertClosed(file: string, line: number, text: string, sum: number): void {
  const end = parseLine(file, { text: `{"entries":[${text}`, number: line });
  if (isObject(end) && end["checksum"] === renderChecksum(sum)) return;
  refuseFile(file, line, "the store is damaged: what it says does not have this checksum");
}
