import { type Instant, toIso } from "../../kernel/instant.js";

/** A time that is left, by its seconds: `59:48`, `1:00:00`. The last second is shown until it is over. */
export function showCountdown(ms: number): string {
  const { hours, minutes, seconds } = partsOf(ms);
  const tail = `${String(minutes).padStart(hours > 0 ? 2 : 1, "0")}:${String(seconds).padStart(2, "0")}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}

/** The same for machines, as `<time datetime>` wants it: `PT59M48S`. */
export function isoDuration(ms: number): string {
  const { hours, minutes, seconds } = partsOf(ms);
  return `PT${hours > 0 ? `${hours}H` : ""}${minutes > 0 ? `${minutes}M` : ""}${seconds}S`;
}

/** `2026-01-15 09:00:00`, UTC, which is also the time of Abidjan, Dakar and Bamako. */
export function showInstant(instant: Instant): string {
  return toIso(instant).slice(0, 19).replace("T", " ");
}

function partsOf(ms: number) {
  const total = Math.ceil(Math.max(0, ms) / 1000);
  return { hours: Math.floor(total / 3600), minutes: Math.floor(total / 60) % 60, seconds: total % 60 };
}
