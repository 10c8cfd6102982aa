import { once } from "node:events";
import { open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type * as z from "zod";
import { messagesOf } from "../../contract/parse.js";
import { wholeNumber } from "../../kernel/fields.js";
import { messageOf, renderPosition, UsageError } from "../../kernel/messages/problem.js";
import { READ_WITHOUT_WAITING } from "../files/read-text.js";
import { assertRegular } from "./file-system.js";
import type { StoreEntry } from "./store.js";

export interface Line {
  readonly text: string;
  /** The line with its line end. */
  readonly bytes: Uint8Array;
  /** The number of the line, from 1. */
  readonly number: number;
  /** Only the last line may have no line end. */
  readonly ended: boolean;
}

/** The most bytes of a group of changes. This is far below `constants.MAX_STRING_LENGTH`, the most bytes that Node reads as one string. */
export const LINE_BYTES_MAX = 256 * 1024 * 1024;

/** How many characters are written at a time, so that requests are answered in between. */
const CHUNK_CHARACTERS = 64 * 1024;

/** Renders one record at a time, because JSON of a megabyte of short values takes tens of milliseconds. */
export function* jsonTexts(list: readonly unknown[]): Iterable<string> {
  yield "[";
  for (const [index, item] of list.entries()) {
    if (index > 0) yield ",";
    if (Array.isArray(item)) yield* jsonTexts(item);
    else yield JSON.stringify(item ?? null);
  }
  yield "]";
}

export function* inChunks(texts: Iterable<string>): Iterable<string> {
  let chunk = "";
  for (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

/** An epoch, a generation or a number of lines: far more than a store reaches, and far below the largest safe integer. */
export function storeNumber(min: number): z.ZodType<number, number> {
  return wholeNumber(min, 999_999_999_999);
}

const LINE_END = "\n".charCodeAt(0);

/** Only a line feed ends a line. node:readline also splits at U+2028, which JSON does not escape. */
export async function* readLines(file: string): AsyncGenerator<Line> {
  await assertRegular(file);
  const handle = await open(file, READ_WITHOUT_WAITING);
  const stream = handle.createReadStream({ highWaterMark: 256 * 1024 });
  let number = 0;
  let begun: Buffer[] = [];
  const endLine = (last: Buffer, ended: boolean): Line => {
    const bytes = begun.length === 0 ? last : Buffer.concat([...begun, last]);
    begun = [];
    const text = bytes.toString("utf8", 0, bytes.length - Number(ended));
    return { text, bytes, number: ++number, ended };
  };
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
        yield endLine(chunk.subarray(from, end + 1), true);
        from = end + 1;
      }
      if (from < chunk.length) begun.push(chunk.subarray(from));
    }
    if (begun.length > 0) yield endLine(Buffer.alloc(0), false);
  } finally {
    if (!stream.closed) await once(stream.destroy(), "close");
  }
}

/** The epoch in the JSON of a lock, an end mark or the first line of a document; 0 when there is none. */
export function epochIn(text: string): number {
  const [, epoch = "0"] = /"epoch":(\d{1,12})[,}]/.exec(text) ?? [];
  return Number(epoch);
}

/** The first line, which is short; empty when the file is empty. */
export async function readFirstLine(file: string): Promise<string> {
  await assertRegular(file);
  const handle = await open(file, READ_WITHOUT_WAITING);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1024), { position: 0 });
    const [text = ""] = buffer.toString("utf8", 0, bytesRead).split("\n", 1);
    return text;
  } finally {
    await handle.close();
  }
}

/** `before` is the checksum of the text before this one. */
export function checksum(text: string | Uint8Array, before = 0): number {
  return crc32(text, before);
}

export function renderChecksum(value: number): string {
  return value.toString(16).padStart(8, "0");
}

/** A line that begins with the checksum of its rest. */
export function renderLine(text: string): string {
  return `${renderChecksum(checksum(text))} ${text}\n`;
}

/** Whether a line begins with the checksum of its rest, after a text whose checksum is `before`. */
export function isWhole(line: string, before = 0): boolean {
  return line[8] === " " && line.slice(0, 8) === renderChecksum(checksum(line.slice(9), before));
}

/** The checksum with which a whole line begins. */
export function checksumIn(line: string): number {
  return Number.parseInt(line.slice(0, 8), 16);
}

/** Throws UsageError("file") with the position of the damage. The file is not changed. */
export function refuseFile(file: string, line: number, why: string, column = 1): never {
  const position = renderPosition({ file, line, column }, why);
  throw new UsageError(
    "file",
    `${position}. The file was left as it is: bring it back from a copy, or name another with --store file:PATH.`,
  );
}

/** The JSON of a line. Throws UsageError("file"). */
export function parseLine(file: string, { text, number }: Pick<Line, "text" | "number">): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = messageOf(error);
    const column = Number(/position (\d+)/.exec(why)?.[1] ?? 0) + 1;
    return refuseFile(file, number, `the store is damaged here: ${why}`, column);
  }
}

/** Throws UsageError("file") when the JSON of the first line does not fit the schema. */
export function parseFirstLine<T>(file: string, json: unknown, schema: z.ZodType<T>, what: string): T {
  const { success, data, error } = schema.safeParse(json);
  return success ? data : refuseFile(file, 1, `${what}: ${messagesOf(error.issues, json, "it").join("; ")}`);
}

/** Throws UsageError("file") when the value is not an entry. */
export function assertEntry(file: string, line: number, value: unknown): asserts value is StoreEntry {
  if (Array.isArray(value) && typeof value[0] === "string") return;
  refuseFile(file, line, "the store is damaged here: this is not an entry");
}
