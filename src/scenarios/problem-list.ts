import type * as z from "zod";
import type { Source } from "../adapters/files/source.js";
import { renderPosition } from "../kernel/problem.js";
import { didYouMean } from "../kernel/suggest.js";

export type Path = readonly (string | number)[];

/** Gathers everything that is wrong with a file, each with its line and column. */
export class ProblemList {
  readonly #source: Source;
  readonly #messages: string[];

  /** Lists of files that use one another share their messages. */
  constructor(source: Source, messages: string[]) {
    this.#source = source;
    this.#messages = messages;
  }

  add(path: Path, message: string, at: "key" | "value" = "value"): void {
    const text = renderPosition(this.#source.positionOf(path, at), message);
    if (!this.#messages.includes(text)) this.#messages.push(text);
  }

  /** zod's issues, each named by its path; unknown members get the nearest known one. */
  addIssues(path: Path, issues: readonly z.core.$ZodIssue[], known: readonly string[] = []): void {
    for (const issue of issues) {
      const at = [...path, ...issue.path.filter((key): key is string | number => typeof key !== "symbol")];
      if (issue.code === "unrecognized_keys") {
        for (const key of issue.keys) {
          this.add([...at, key], `"${key}" is not known here.${didYouMean(key, known)}`, "key");
        }
      } else {
        this.add(at, `${renderPath(at)} ${issue.message}`);
      }
    }
  }
}

export function renderPath(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? key : `${text}.${key}`;
  }, "");
}
