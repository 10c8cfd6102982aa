import { distance } from "fastest-levenshtein";

/**
 * The candidate that a mistyped word most likely meant, if one is near enough; the first of equally near ones. Case is
 * ignored.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  // A text as long as that is not a typing error, and computing the distance would take long.
  if (word.length > MAX_WORD_LENGTH) return undefined;
  let best: string | undefined;
  let bestDistance = MAX_DISTANCE + 1;
  for (const candidate of candidates) {
    // Each letter more or less is a difference. Computing the distance to a long text would take long.
    if (Math.abs(word.length - candidate.length) > MAX_DISTANCE) continue;
    const away = distance(word.toLowerCase(), candidate.toLowerCase());
    const length = Math.max(word.length, candidate.length);
    if (away < bestDistance && (length - away) / length > MIN_SIMILARITY) {
      best = candidate;
      bestDistance = away;
    }
  }
  return best;
}

/** ` Did you mean "x"?`, ready to follow a sentence, or "" when nothing is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const found = nearest(word, candidates);
  return found === undefined ? "" : ` Did you mean "${found}"?`;
}

/** Fills the names in templates such as `/v1/charges/:id` from `path`. Templates with names, but another number of parts than `path`, are left out. */
export function pathsLike(path: string, templates: readonly string[]): readonly string[] {
  const given = path.replace(/\/$/, "").split("/");
  return templates.flatMap((template) => {
    const parts = template.split("/");
    if (!template.includes("/:")) return [template];
    return parts.length === given.length
      ? [parts.map((part, at) => (part.startsWith(":") ? given[at] : part)).join("/")]
      : [];
  });
}

/** The limits commander uses for its own suggestions, so that flags and settings behave alike. */
const MAX_DISTANCE = 3;
const MIN_SIMILARITY = 0.4;
const MAX_WORD_LENGTH = 100;
