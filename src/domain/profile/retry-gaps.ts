import * as z from "zod";
import { parseDuration } from "../../kernel/duration.js";
import { duration } from "./setting-schemas.js";

/**
 * Schedules with a name. `fast` is for suites that run on real time, `realistic` for what providers do: days, so that a
 * receiver that is down over a night misses nothing.
 */
export const RETRY_PRESETS = {
  none: [],
  fast: ["100ms", "200ms", "400ms", "800ms", "1.6s"],
  realistic: ["10s", "1m", "5m", "30m", "2h", "6h", "12h", "1d"],
} as const;

/** The gaps between attempts: a preset or a list of durations; the output is ms. */
export function retryGaps(): z.ZodType<readonly number[], keyof typeof RETRY_PRESETS | readonly (string | number)[]> {
  const expected = '"none", "fast", "realistic" or a list of durations such as ["10s", "1m"]';
  return z.union(
    [
      z
        .literal(["none", "fast", "realistic"], { error: expected })
        .transform((preset): readonly number[] => RETRY_PRESETS[preset].map(parseDuration)),
      z.array(duration(0), { error: expected }).max(MAX_GAPS, { error: `a list of at most ${MAX_GAPS} durations` }),
    ],
    { error: expected },
  );
}

const MAX_GAPS = 100;
