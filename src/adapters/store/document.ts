import { constants } from "node:buffer";
import type { Adapter } from "lowdb";
import type * as z from "zod";
import { anyText, object } from "../../kernel/fields.js";
import { isObject } from "../../kernel/messages/json.js";
import { unlessMissing } from "./file-system.js";
import {
  assertEntry,
  checksum,
  inChunks,
  jsonTexts,
  parseFirstLine,
  parseLine,
  readLines,
  refuseFile,
  renderChecksum,
  storeNumber,
} from "./lines.js";
import { type Place, placeFile } from "./place-file.js";
import type { StoreEntry } from "./store.js";

/** Raised when the form of a store changes: an older store lacks something or says it in another way. */
export const STORE_VERSION = 3;

const documentHead = object({
  schemaVersion: storeNumber(1),
  /** The epoch of the process that wrote the document. 0 means version 0.1, which had no epochs. */
  epoch: storeNumber(0).default(0),
  /** The id of that process's lock, so that no journal of another store is taken for its own. Empty before version 3. */
  holder: anyText().default(""),
  /** Journals of this generation and later ones contain the changes since then. */
  generation: storeNumber(1),
});

type DocumentHead = Readonly<z.output<typeof documentHead>>;

/** Everything that a store keeps, except for the changes in its journals. */
export interface StoreDocument extends DocumentHead {
  readonly entries: readonly StoreEntry[];
}

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
  for (const chunk of inChunks(textsOf(document))) {
    sum = checksum(chunk, sum);
    yield chunk;
  }
  yield `],"checksum":"${renderChecksum(sum)}"}\n`;
}

function* textsOf({ entries, ...head }: StoreDocument): Iterable<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"entries":[`;
  let separator = "\n";
  for (const entry of entries) {
    yield separator;
    let length = 0;
    for (const text of jsonTexts(entry)) {
      length += Buffer.byteLength(text);
      // The next process could not read a longer line.
      if (length >= constants.MAX_STRING_LENGTH) throw new RangeError("a part of it is longer than a text can be");
      yield text;
    }
    separator = ",\n";
  }
  yield "\n";
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
    return parseFirstLine(file, head, documentHead, "this is not a store of the sandbox");
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
