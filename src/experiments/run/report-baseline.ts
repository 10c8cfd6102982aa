import type { Baseline } from "./oracle.js";

/** How the command ran without any difference. */
export interface BaselineReport {
  readonly exitCode: number | null;
  readonly ms: number;
  /** How many requests it made. */
  readonly requests: number;
  /** How many webhooks were due. */
  readonly deliveries: number;
  /** Whether two runs without a difference did the same. */
  readonly repeatable: boolean;
}

export function describeBaseline({ result, isRepeatable }: Baseline): BaselineReport {
  const { exitCode, ms, seen } = result;
  const [requests, deliveries] = [seen.requests.length, seen.deliveries.length];
  return { exitCode, ms: Math.round(ms), requests, deliveries, repeatable: isRepeatable };
}

/** How to repeat a run, and what the command printed in it. */
export interface Kept {
  /** A command line. */
  readonly repeat: string;
  /** A file; null when it printed nothing. */
  readonly output: string | null;
}
