import type { ReplaySummary } from "../run/replay.js";

/** Makes a report of a whole replay as one text. */
export type Reporter = (summary: ReplaySummary) => string;
