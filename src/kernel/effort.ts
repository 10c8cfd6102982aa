import type { RE2JS } from "re2js";
import { isObject } from "./messages/json.js";
import { compilePattern } from "./patterns.js";

/** The event loop stands still for so long for the patterns of one effort. Processor time: another process may have the processor meanwhile. */
const PATTERNS_MS = 30;
/** A compilation is charged its time, up to this: the first ones in a process take longer, and must not use up the time of the others. */
const COMPILATION_MS = 3;
/** The steps of a test: the size of the compiled pattern × the length of the text. */
const TEST_STEPS_MAX = 500_000;
/** In the worst case. */
const TEST_STEP_MS = 50e-6;
/** Values that are compared, with their members. */
const VALUES_MAX = 200_000;
/** A text of so many characters counts as one more value. */
const TEXT_LENGTH = 100;

/** By their source. */
export type CompiledPatterns = Map<string, RE2JS>;

/** What one call may spend on matching, so that no matcher stops the event loop. What is beyond it does not match. */
export class Effort {
  /** How many comparisons were given up, and counted as not matching, because they would have taken too long. */
  givenUp = 0;
  readonly #compiled: CompiledPatterns;
  #valuesLeft = VALUES_MAX;
  #patternsMs = 0;

  constructor(compiled: CompiledPatterns = new Map()) {
    this.#compiled = compiled;
  }

  /** Whether this value may still be compared. */
  take(value: unknown): boolean {
    if (this.#valuesLeft <= 0) return this.#giveUp();
    this.#valuesLeft -= weightOf(value);
    return true;
  }

  /** Whether the pattern is found in the text. Throws UsageError("input") for a pattern that is refused. */
  test(pattern: string, text: string): boolean {
    if (this.#patternsMs >= PATTERNS_MS) return this.#giveUp();
    const regex = this.#compiled.get(pattern) ?? this.#compile(pattern);
    const steps = regex.programSize() * text.length;
    if (steps > TEST_STEPS_MAX || this.#patternsMs >= PATTERNS_MS) return this.#giveUp();
    return this.#charge(steps * TEST_STEP_MS, () => regex.test(text));
  }

  #compile(pattern: string): RE2JS {
    const regex = this.#charge(COMPILATION_MS, () => compilePattern(pattern));
    this.#compiled.set(pattern, regex);
    return regex;
  }

  #charge<Result>(maxMs: number, run: () => Result): Result {
    const start = process.cpuUsage();
    const result = run();
    const { user, system } = process.cpuUsage(start);
    this.#patternsMs += Math.min(maxMs, (user + system) / 1000);
    return result;
  }

  #giveUp(): false {
    this.givenUp++;
    return false;
  }
}

function weightOf(value: unknown): number {
  if (typeof value === "string") return 1 + value.length / TEXT_LENGTH;
  return isObject(value) ? 1 + Object.keys(value).length : 1;
}
