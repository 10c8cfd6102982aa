import type { RecordedAnswer } from "../recording/entry.js";
import { type Difference, TOLERANCE_MS } from "./compare.js";

/** Compares `Retry-After`, the media type, and `Allow` of a 405, as far as the recording has headers. */
export function compareHeaders(theirs: RecordedAnswer, ours: RecordedAnswer): Difference[] {
  const [their, our] = [theirs.headers, ours.headers];
  // Not every tool exports the content type.
  const mediaTypes = [their.contentType, our.contentType].map((text) => text?.split(";")[0]?.trim().toLowerCase());
  const [theirType, ourType] = mediaTypes;
  const isRefusal = theirs.status === 405 && ours.status === 405;
  return [
    ...compareHeader("retry-after", their.retryAfter, our.retryAfter, isSameWait),
    ...(theirType === undefined || ourType === undefined ? [] : compareHeader("content-type", theirType, ourType)),
    ...(isRefusal ? compareHeader("allow", their.allow, our.allow, isSameList) : []),
  ];
}

type Header = string | null | undefined;

function compareHeader(
  name: string,
  got: Header,
  expected: Header,
  isSame: (got: string, expected: string) => boolean = (a, b) => a === b,
): Difference[] {
  if (got === undefined || expected === undefined || got === expected) return [];
  if (got !== null && expected !== null && isSame(got, expected)) return [];
  const kind = got === null ? "missing" : expected === null ? "added" : "value";
  return [{ pointer: `/headers/${name}`, kind, expected, got }];
}

/** Both waits are in seconds. */
function isSameWait(got: string, expected: string): boolean {
  return Math.abs(Number(got) - Number(expected)) <= TOLERANCE_MS / 1_000;
}

function isSameList(got: string, expected: string): boolean {
  const [ours, theirs] = [got, expected].map((list) =>
    list
      .toUpperCase()
      .split(/[\s,]+/)
      .toSorted()
      .join(),
  );
  return ours === theirs;
}
