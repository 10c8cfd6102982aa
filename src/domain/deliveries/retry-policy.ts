import type { Instant } from "../../kernel/instant.js";

/**
 * When the attempt after `attempts` failed ones is due; null: give up. The gaps are on the company's clock, counted from the end of the attempt before.
 * The contract: "Retries and time-outs on delivery: not shown."
 */
export function nextRetryAt(gapsMs: readonly number[], attempts: number, endedAt: Instant): Instant | null {
  const gap = gapsMs[attempts - 1];
  return gap === undefined ? null : endedAt + gap;
}
