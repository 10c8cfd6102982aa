/** A moment in a company's time: milliseconds since the Unix epoch. Passed in, never read from the machine. */
export type Instant = number;

/** The last instant of every clock: a running clock stops there. */
export const LATEST: Instant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The last instant of anything that is computed from a clock, such as a timer: enough for the longest periods, and far below the last possible date. */
export const LATEST_TIMER: Instant = Date.UTC(10_999, 11, 31, 23, 59, 59, 999);

/** ISO 8601 in UTC with milliseconds, `2026-01-15T09:00:00.000Z`. */
export function toIso(instant: Instant): string {
  return new Date(instant).toISOString();
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Reads an ISO 8601 date-time (`2026-01-15T09:00:00Z`, offsets allowed; without an offset it is UTC) or a plain date.
 * Undefined when the text is anything else, so that the caller can say where the text is.
 */
export function parseInstant(value: unknown): Instant | undefined {
  if (typeof value !== "string" || !ISO.test(value)) return undefined;
  const hasTime = value.includes("T");
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/.test(value);
  const instant = Date.parse(hasTime && !hasZone ? `${value}Z` : value);
  if (Number.isNaN(instant) || instant < 0 || instant > LATEST) return undefined;
  // Date.parse rolls 2026-02-30 over to March: such a date is a typing error.
  const day = Number(value.slice(8, 10));
  const month = Number(value.slice(5, 7));
  const daysInMonth = new Date(Date.UTC(Number(value.slice(0, 4)), month, 0)).getUTCDate();
  return day >= 1 && day <= daysInMonth ? instant : undefined;
}
