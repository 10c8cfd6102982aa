import type * as z from "zod";
import type { Source, SourcePath } from "../../adapters/files/source.js";
import { type IssueParams, firstProblems, renderPath, valueAt } from "../../kernel/fields.js";
import { type SourcePosition, renderPosition } from "../../kernel/messages/problem.js";
import { didYouMean } from "../../kernel/messages/suggest.js";
import { isSecretPlace, quote } from "../../kernel/messages/text.js";

interface FileProblem {
  readonly position: SourcePosition;
  readonly message: string;
}

/** The most problems that are located. A file of nonsense has tens of thousands; the first ones are shown, from top to bottom. */
const LOCATED_MAX = 1000;

/** Everything that is wrong in some files, reported file by file and from top to bottom. */
export class FileProblems {
  readonly #byFile = new Map<string, FileProblem[]>();
  #located = 0;

  get messages(): readonly string[] {
    const sorted = [...this.#byFile.values()].flatMap((problems) => problems.sort(byPosition));
    return firstProblems([...new Set(sorted.map(({ position, message }) => renderPosition(position, message)))]);
  }

  /** Whether further problems are ignored. */
  get isFull(): boolean {
    return this.#located >= LOCATED_MAX;
  }

  add(source: Source, path: SourcePath, message: string, at?: "key" | "value"): void {
    if (this.isFull) return;
    this.#located++;
    const problems = this.#byFile.get(source.file) ?? [];
    this.#byFile.set(source.file, problems);
    problems.push({ position: source.positionOf(path, at), message });
  }

  /** Parses the file, or the part of it at `at`. Reports every problem and returns undefined if there are any. An empty file is an empty mapping. */
  parse<T>(source: Source, schema: z.ZodType<T>, at: SourcePath = []): T | undefined {
    const value = valueAt(source.value, at);
    const result = schema.safeParse(at.length === 0 ? (value ?? {}) : value);
    if (result.success) return result.data;
    for (const issue of result.error.issues.flatMap(meantIssues)) {
      this.#addIssue(source, { ...issue, path: [...at, ...issue.path] });
    }
    return undefined;
  }

  #addIssue(source: Source, issue: z.core.$ZodIssue): void {
    const path = issue.path.filter((key) => typeof key !== "symbol");
    if (issue.code === "unrecognized_keys") {
      issue.message.split("\n").forEach((reason, index) => {
        const key = issue.keys[index] ?? "";
        // This message names the key itself, or is about all further keys.
        const subject = reason.startsWith("has ") ? path : [...path, key];
        this.add(source, [...path, key], `${renderPath(subject) || "The file"} ${reason}`, "key");
      });
      return;
    }
    const params: IssueParams = issue.code === "custom" ? (issue.params ?? {}) : {};
    this.add(source, path, describe(source, path, issue, params), params.key === true ? "key" : "value");
  }
}

function describe(source: Source, path: SourcePath, issue: z.core.$ZodIssue, params: IssueParams): string {
  if (params.sentence === true) return issue.message;
  const statement = `${path.length === 0 ? "The file" : renderPath(path)} ${issue.message}`;
  if (params.beside === true) return statement;
  const value = valueAt(source.value, path);
  const words = issue.code === "invalid_value" ? issue.values.map(String) : (params.words ?? []);
  const question = typeof value === "string" ? didYouMean(value, words) : "";
  return `${statement}, ${describeGiven(source, path, issue)}${question === "" ? "" : `.${question}`}`;
}

function byPosition({ position: a }: FileProblem, { position: b }: FileProblem): number {
  return a.line - b.line || a.column - b.column;
}

/**
 * For a union, the issues of the form that was most likely meant: the one with the fewest unknown keys, and of those the one with the fewest
 * problems.
 */
function meantIssues(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const isAnother = (inner: z.core.$ZodIssue): boolean => inner.path.length === 0 && inner.code !== "unrecognized_keys";
  const meant = issue.errors
    .filter((form) => !form.some(isAnother))
    .sort((a, b) => unknownKeys(a) - unknownKeys(b) || a.length - b.length)
    .at(0);
  if (meant === undefined) return [issue];
  return meant.flatMap((inner) => meantIssues({ ...inner, path: [...issue.path, ...inner.path] }));
}

function unknownKeys(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((count, issue) => count + (issue.code === "unrecognized_keys" ? issue.keys.length : 0), 0);
}

/** The value in brief, and how to write a text that YAML reads as a number. */
function describeGiven(source: Source, path: SourcePath, issue: z.core.$ZodIssue): string {
  const value = valueAt(source.value, path);
  if (value === undefined) return "but it is missing";
  if (value === null) return "but it is empty";
  if (Array.isArray(value)) return `got a list of ${value.length}`;
  if (typeof value === "object") return "got a mapping";
  if (isSecretPlace(path)) return "got something else";
  // A text as a whole file is another kind of file, which may hold secrets.
  if (typeof value === "string") return path.length === 0 ? "got a text" : `got ${quote(value)}`;
  const written = source.writtenAt(path) ?? JSON.stringify(value);
  const wantsText = issue.code === "invalid_type" && issue.expected === "string";
  return wantsText ? `got the ${typeof value} ${written}: write it in quotes, ${quote(written)}` : `got ${written}`;
}
