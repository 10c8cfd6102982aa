import type { RE2JS } from "re2js";
import { isObject } from "./messages/json.js";
import { SEARCHED_MAX } from "./messages/text.js";
import { compilePattern } from "./patterns.js";

/** The longest that the patterns and searches of one effort may block the event loop, ms of processor time: other processes may have the processor in between. */
const BLOCKED_MS_MAX = 30;
/** The most time that counts for one compilation, ms: the first ones in a process take longer, and must not use up the time of the others. */
const COMPILATION_MS = 3;
/** The most steps of one test: the size of the compiled pattern × the length of the text. */
const TEST_STEPS_MAX = 500_000;
/** The time of one step in the worst case, ms. */
const TEST_STEP_MS = 50e-6;
/** The most steps of one search for a text that is longer than {@link SEARCHED_MAX}: its length × that of the text. These take about 20 ms. */
const SEARCH_STEPS_MAX = 20_000_000;
/** The most values that are compared, members included. */
const VALUES_MAX = 200_000;
/** Each this many characters of a text count as one more value. */
const TEXT_LENGTH = 100;

/** Compiled patterns by their source. */
export type CompiledPatterns = Map<string, RE2JS>;

/** Limits how much one call spends on matching, so that no matcher stops the event loop. Beyond the limit nothing matches. */
export class Effort {
  /** How many comparisons were given up, and counted as not matching, because they would have taken too long. */
  givenUp = 0;
  readonly #compiled: CompiledPatterns;
  readonly #blockedMsMax: number;
  #valuesLeft: number;
  #blockedMs = 0;

  /** `times`: how many times the usual limits it has. */
  constructor(compiled: CompiledPatterns = new Map(), times = 1) {
    this.#compiled = compiled;
    this.#blockedMsMax = BLOCKED_MS_MAX * times;
    this.#valuesLeft = VALUES_MAX * times;
  }

  /** Whether this value may still be compared. */
  take(value: unknown): boolean {
    if (this.#valuesLeft <= 0) return this.#giveUp();
    this.#valuesLeft -= weightOf(value);
    return true;
  }

  /** Whether the pattern is found in the text. Throws UsageError("input") for a pattern that is refused. */
  test(pattern: string, text: string): boolean {
    if (this.#blockedMs >= this.#blockedMsMax) return this.#giveUp();
    const regex = this.#compiled.get(pattern) ?? this.#compile(pattern);
    const steps = regex.programSize() * text.length;
    if (steps > TEST_STEPS_MAX || this.#blockedMs >= this.#blockedMsMax) return this.#giveUp();
    return this.#charge(steps * TEST_STEP_MS, () => regex.test(text));
  }

  /** Whether the part is in the text. */
  search(part: string, text: string): boolean {
    if (!this.take(text)) return false;
    if (part.length <= SEARCHED_MAX) return text.includes(part);
    if (this.#blockedMs >= this.#blockedMsMax || part.length * text.length > SEARCH_STEPS_MAX) return this.#giveUp();
    return this.#charge(BLOCKED_MS_MAX, () => text.includes(part));
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
    this.#blockedMs += Math.min(maxMs, (user + system) / 1000);
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
