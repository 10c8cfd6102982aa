import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { UsageError } from "../../kernel/messages/problem.js";

/** Far more than a person writes: some 20 000 customers, one a line. */
const BYTES_MAX = 2 * 1024 * 1024;

/**
 * The text of a file. Never reads more than {@link BYTES_MAX}.
 *
 * Throws UsageError("file") when it is missing, unreadable, no file (reading a pipe or a device might never end), too large, or not UTF-8 text.
 */
export async function readText(file: string): Promise<string> {
  await assertFile(file);
  const bytes = await buffer(createReadStream(file, { end: BYTES_MAX })).catch((error: unknown) => {
    throw failure(file, reasonOf(error), error);
  });
  if (bytes.length > BYTES_MAX) throw failure(file, `it is larger than ${BYTES_MAX / 1024 / 1024} MiB. Split it`);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  throw failure(file, "it is not UTF-8 text. Save it as UTF-8");
}

/** Throws UsageError("file") when it is missing, or a pipe, a device or a folder: reading one might never end. */
export async function assertFile(file: string): Promise<void> {
  const found = await stat(file).catch((error: unknown) => {
    throw failure(file, reasonOf(error), error);
  });
  if (!found.isFile()) throw failure(file, found.isDirectory() ? IS_FOLDER : "it is a pipe or a device. Name a file");
}

const IS_FOLDER = "it is a folder. Name a file in it";

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file. Check its path",
  ENOTDIR: "there is no such file. Check its path",
  EISDIR: IS_FOLDER,
  EACCES: "its permissions do not let it be read. Change them",
  ENAMETOOLONG: "its path is too long. Check it",
  ELOOP: "its links lead in a circle. Name the file itself",
};

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons[code] ?? `the system says ${code || String(error)}. Check the file`;
}

function failure(file: string, reason: string, cause?: unknown): UsageError {
  return new UsageError("file", `Failed to read ${file === "" ? '""' : file}: ${reason}.`, { cause });
}
