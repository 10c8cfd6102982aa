import { expect } from "vitest";
import { createWorld, type TestWorld, type WorldOptions } from "./world.js";

/** The promises for every input: no 5xx, no crash, no stack trace, always the error body. */

const ERROR_KEYS = ["correlationId", "error", "message", "path", "statusCode", "timestamp"];
/** Matches a stack trace in a text or in JSON. */
const STACK = /(?:\\n|\n)\s+at \S|node:internal\/|\/node_modules\/|\/(?:src|dist)\/\S+\.[jt]s:\d+/;

/** The number of cases of a property: `share` of `FUZZ_RUNS`. */
export function runs(share = 1): { readonly numRuns: number; readonly endOnFailure: boolean } {
  const usual = Number(process.env["FUZZ_RUNS"] ?? 3_000);
  return { numRuns: Math.max(1, Math.round(usual * share)), endOnFailure: false };
}

export interface FuzzWorld extends TestWorld {
  /** The bugs in the sandbox's log. */
  readonly bugs: readonly unknown[];
}

export function openFuzzWorld(options: WorldOptions = {}): FuzzWorld {
  const bugs: unknown[] = [];
  const log = {
    write: (level: string, event: string, fields?: unknown) => {
      if (level === "error") bugs.push({ event, fields });
    },
  };
  return { ...createWorld({ log, forges: true, ...options }), bugs };
}

/** Checks an answer. `context` is the request. */
export function expectPromised(answer: { readonly status: number; readonly text: string }, context: unknown): void {
  const { status, text } = answer;
  const asked = { asked: JSON.stringify(context)?.slice(0, 2_000), text: text.slice(0, 2_000) };
  if (status >= 500) expect({ status, ...asked }).toEqual("a status below 500");
  if (STACK.test(text) && status >= 400) expect(asked).toEqual("no stack trace");
  if (status >= 400) {
    const body: unknown = JSON.parse(text);
    const keys = typeof body === "object" && body !== null ? Object.keys(body) : [];
    if (!ERROR_KEYS.every((key) => keys.includes(key))) expect(asked).toEqual("the error body");
    const { message } = body as { readonly message: unknown };
    const isList =
      Array.isArray(message) && message.length > 0 && message.every((line) => typeof line === "string" && line !== "");
    if (!isList) expect(asked).toEqual("a list of messages");
  }
}

/** Checks that no prototype was changed. */
export function expectCleanPrototypes(): void {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Object.keys(Array.prototype)).toEqual([]);
}
