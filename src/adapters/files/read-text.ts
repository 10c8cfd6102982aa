import { constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { codeOf, UsageError } from "../../kernel/messages/problem.js";
import { collectBytes } from "../../kernel/messages/read-text.js";

/** Far more than a person writes: some 20 000 customers, one per line. */
const BYTES_MAX = 2 * 1024 * 1024;

/**
 * The text of a file. Never reads more than {@link BYTES_MAX}.
 *
 * Throws UsageError("file") when the file is missing, unreadable, not a file (reading a pipe or a device might never end), too large, or not UTF-8
 * text.
 */
export async function readText(file: string): Promise<string> {
  const bytes = await readBytes(file, BYTES_MAX);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  throw failure(file, "it is not UTF-8 text. Save it as UTF-8");
}

/** The bytes of a file. Throws UsageError("file") as `readText` does. */
export function readBytes(file: string, bytesMax: number): Promise<Buffer> {
  return collectBytes(readChunks(file), bytesMax, () => tooLarge(file, bytesMax));
}

/** The bytes of standard input. Throws UsageError("file") when there are more than `bytesMax`, and does not read the rest. */
export function readStdin(bytesMax: number): Promise<Buffer> {
  return collectBytes(process.stdin, bytesMax, () => tooLarge("stdin", bytesMax));
}

/** A file of any size. Throws UsageError("file") as `readText` does. */
export async function* readChunks(file: string): AsyncGenerator<Buffer> {
  await assertFile(file);
  try {
    const handle = await open(file, READ_WITHOUT_WAITING);
    yield* handle.createReadStream() as AsyncIterable<Buffer>;
  } catch (error) {
    throw failure(file, reasonOf(error), error);
  }
}

/** Some system files look like plain files but are read like pipes: /proc/kmsg waits for what comes next. */
export const READ_WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK;

/** Throws UsageError("file") when the file is missing, or is a pipe, a device or a folder: reading one might never end. */
async function assertFile(file: string): Promise<void> {
  const found = await stat(file).catch((error: unknown) => {
    throw failure(file, reasonOf(error), error);
  });
  if (!found.isFile()) throw failure(file, found.isDirectory() ? IS_FOLDER : IS_DEVICE);
}

const IS_FOLDER = "it is a folder. Name a file in it";
const IS_DEVICE = "it is a pipe or a device. Name a file";

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file. Check its path",
  ENOTDIR: "there is no such file. Check its path",
  EISDIR: IS_FOLDER,
  EAGAIN: IS_DEVICE,
  EACCES: "it may not be read. Change its permissions",
  ENAMETOOLONG: "its path is too long. Check it",
  ELOOP: "its links form a loop. Name the file itself",
};

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return reasons[code] ?? `the system says ${code || String(error)}. Check the file`;
}

function tooLarge(file: string, bytesMax: number): UsageError {
  return failure(file, `it is larger than ${bytesMax / 1024 / 1024} MiB. Split it`);
}

function failure(file: string, reason: string, cause?: unknown): UsageError {
  return new UsageError("file", `Failed to read ${file === "" ? '""' : file}: ${reason}.`, { cause });
}
