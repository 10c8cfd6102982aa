import { UsageError } from "../kernel/problem.js";

/** Why a file that was named could not be read. */
export function explainUnreadable(file: string, error: unknown): UsageError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const why = typeof code === "string" ? (reasons[code] ?? code) : String(error);
  return new UsageError("file", `Failed to read ${file}: ${why}.`);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "it may not be read",
  EPERM: "it may not be read",
};
