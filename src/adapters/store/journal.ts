import { basename } from "node:path";
import type * as z from "zod";
import { anyText, flag, object } from "../../kernel/fields.js";
import type { FileSystem } from "./file-system.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import {
  assertEntry,
  checksum,
  checksumIn,
  inChunks,
  isWhole,
  jsonTexts,
  type Line,
  LINE_BYTES_MAX,
  parseFirstLine,
  parseLine,
  readLines,
  refuseFile,
  renderChecksum,
  renderLine,
  storeNumber,
} from "./lines.js";
import { type Place, placeFile } from "./place-file.js";
import type { StoreEntry } from "./store.js";

/**
 * The changes since a document was written: `PATH.journal-GENERATION`. Each line is `CHECKSUM EPOCH NUMBER JSON`. The checksum is that of all lines so
 * far. The first line says which journal this is; each other line is a group of changes that were flushed together. Only the last line may be torn: it was
 * never acknowledged.
 */
export interface Journal {
  readonly bytes: number;
  readonly lines: number;
  /**
   * Resolves when the group is on disk and the lock was still held after that. Requests are answered while the group is turned into JSON. Throws when
   * the JSON is too long for a line, and when somebody else removed or changed the file.
   */
  append(entries: readonly StoreEntry[]): Promise<void>;
  /** Whether nobody else removed, replaced or changed the file. */
  isInPlace(): Promise<boolean>;
  close(): Promise<void>;
}

const opening = object({
  /** As in the document. */
  holder: anyText().default(""),
  /** The number in the file's name. Older stores lack it. */
  generation: storeNumber(1).optional(),
  /** The number of lines of the journal before, which this one continues. Null when it continues a document that is written with it. */
  after: storeNumber(1).nullable(),
  /** Whether a checksum is that of all lines so far. In older stores it is that of its line alone. */
  chained: flag.default(false),
});

/** The first line of a journal. */
export type Opening = Readonly<z.output<typeof opening>>;

export interface JournalLine {
  /** The number of the line in the file, from 1. */
  readonly line: number;
  /** 0 for a line of version 0.1, which had neither epochs nor openings. */
  readonly epoch: number;
  readonly content: Opening | readonly StoreEntry[];
}

/** Creates a journal without changes. */
export async function createJournal(
  place: Place,
  generation: number,
  { after }: Pick<Opening, "after">,
): Promise<Journal> {
  const { fs, lock } = place;
  const path = journalPath(place.path, generation);
  const first: Opening = { holder: lock.id, generation, after, chained: true };
  let lines = 0;
  let bytes = 0;
  const count = (text: string): string => {
    bytes += Buffer.byteLength(text);
    return text;
  };
  const firstText = `${lock.epoch} ${++lines} ${JSON.stringify(first)}`;
  let sum = checksum(firstText);
  const file = await placeFile(place, path, [count(renderLine(firstText))]);
  const isInPlace = async (): Promise<boolean> => {
    const found = await fs.stampOf(path);
    return found?.inode === file.inode && found.bytes === bytes;
  };
  return {
    get bytes() {
      return bytes;
    },
    get lines() {
      return lines;
    },
    async append(entries) {
      const line = await renderGroup(`${lock.epoch} ${lines + 1} `, entries, sum);
      lines++;
      sum = line.sum;
      for (const chunk of inChunks(line.texts)) await file.append(count(chunk));
      await file.sync();
      // This comes after the flush: if the lock is still held now, the next owner reads this line.
      const [isThere] = await Promise.all([isInPlace(), lock.assertHeld()]);
      // A file without a name would be lost when this process ends.
      if (!isThere) throw new Error(`${path} was removed or changed`);
    },
    isInPlace,
    close: () => file.close(),
  };
}

/** `before` is the checksum of the line before. */
async function renderGroup(start: string, entries: readonly StoreEntry[], before: number) {
  const texts = [start];
  let sum = checksum(start, before);
  let length = 0;
  for (const chunk of inChunks(jsonTexts(entries))) {
    if (length > 0) await systemClock.yieldToEventLoop();
    length += Buffer.byteLength(chunk);
    if (length > LINE_BYTES_MAX) throw new RangeError("a change is too long for the journal");
    sum = checksum(chunk, sum);
    texts.push(chunk);
  }
  return { sum, texts: [`${renderChecksum(sum)} `, ...texts, "\n"] };
}

export function journalPath(path: string, generation: number): string {
  return `${path}.journal-${generation}`;
}

/** The journals of a store, oldest first. */
export async function listJournals(fs: FileSystem, path: string) {
  const prefix = `${basename(path)}.journal-`;
  const names = await fs.listFolderOf(path);
  return names
    .filter((name) => name.startsWith(prefix) && /^[1-9]\d{0,11}$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
    .sort((a, b) => a - b)
    .map((generation) => ({ path: journalPath(path, generation), generation }));
}

/** Ignores a torn last line. Throws UsageError("file") for any other damage. */
export async function* readJournal(path: string): AsyncGenerator<JournalLine> {
  let torn: number | undefined;
  let isChained = false;
  let before = 0;
  for await (const line of readLines(path)) {
    if (torn === undefined && isWhole(line.text, before)) {
      const parsed = parseJournalLine(path, line);
      isChained ||= isOpening(parsed.content) && parsed.content.chained;
      if (isChained) before = checksumIn(line.text);
      yield parsed;
    } else if (torn === undefined && isTorn(line)) torn = line.number;
    else {
      if (torn === undefined) parseHead(path, line);
      refuseFile(path, torn ?? line.number, "the store is damaged here: the line does not have its checksum");
    }
  }
}

export function isOpening(content: JournalLine["content"]): content is Opening {
  return !Array.isArray(content);
}

/** Whether a line is only partly written. After a power loss the file may be longer than what was written: the rest is zeros. */
function isTorn({ text, ended }: Line): boolean {
  return !ended || text.includes("\0");
}

/** The part of a line before its JSON. */
function parseHead(path: string, { text, number: line }: Line) {
  const [head = "", epoch = "0", number = line] = /^.{9}(\d{1,12}) (\d{1,12}) /.exec(text) ?? [text.slice(0, 9)];
  if (Number(number) !== line)
    refuseFile(path, line, `the store is damaged here: line ${line} is missing, and line ${number} follows`);
  return { head, epoch };
}

function parseJournalLine(path: string, given: Line): JournalLine {
  const { text, number: line } = given;
  const { head, epoch } = parseHead(path, given);
  const value = parseLine(path, { text: text.slice(head.length), number: line });
  const content = line === 1 && epoch !== "0" ? parseOpening(path, value) : parseGroup(path, line, value);
  return { line, epoch: Number(epoch), content };
}

function parseOpening(path: string, value: unknown): Opening {
  return parseFirstLine(path, value, opening, "the store is damaged here: this is no first line of a journal");
}

function parseGroup(path: string, line: number, value: unknown): readonly StoreEntry[] {
  if (!Array.isArray(value)) return refuseFile(path, line, "the store is damaged here: this is no group of entries");
  return value.map((entry: unknown) => {
    assertEntry(path, line, entry);
    return entry;
  });
}
