import type { Instant } from "../../kernel/time/instant.js";

export interface Timestamp {
  readonly at: Instant;
  /** Two timestamps of the same form differ in digits only. */
  readonly form: string;
}

/** ISO 8601, or the compact form of the contract's creation answer. */
export function readTimestamp(text: unknown): Timestamp | undefined {
  if (typeof text !== "string" || !/^\d{4}-?\d\d-?\d\dT\d\d/.test(text)) return undefined;
  const at = Date.parse(text.replace(COMPACT, "$1-$2-$3T$4:$5:$6"));
  return Number.isNaN(at) ? undefined : { at, form: text.replaceAll(/\d/g, "0") };
}

const COMPACT = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/;

/** The last instant that a time stands for: some services truncate their times to seconds. */
export function endOf(time: Instant): Instant {
  return time % 1_000 === 0 ? time + 999 : time;
}
