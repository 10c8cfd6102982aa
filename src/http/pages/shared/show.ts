import { type Money, toXof } from "../../../domain/values/money.js";
import { type Instant, toIso } from "../../../kernel/time/instant.js";

/** How customers write XOF, in both languages of the payment page. */
const format = new Intl.NumberFormat("fr", {
  style: "currency",
  currency: "XOF",
  minimumFractionDigits: 0,
  maximumFractionDigits: 4,
});

/** `10 000 F CFA`, with narrow no-break spaces. */
export function showMoney(money: Money): string {
  return format.format(toXof(money)).replaceAll("\u00a0", "\u202f");
}

/** `10 000 XOF`, as the API names the currency. */
export function showXof(money: Money): string {
  return `${showNumber(toXof(money))}\u202fXOF`;
}

/** `−10 000`, with narrow no-break spaces. */
export function showNumber(number: number): string {
  const text = number.toLocaleString("fr", { maximumFractionDigits: 4 });
  return text.replaceAll("\u00a0", "\u202f").replace("-", "\u2212");
}

/** A duration of real time: `<1 ms`, `12 ms`, `1,5 s`. */
export function showMs(ms: number): string {
  if (ms < 1) return "<1\u202fms";
  return ms < 1000 ? `${Math.round(ms)}\u202fms` : `${showNumber(Math.round(ms / 100) / 10)}\u202fs`;
}

/** The time left, in seconds rounded up: `59:48`, `1:00:00`. */
export function showCountdown(ms: number): string {
  const { hours, minutes, seconds } = partsOf(ms);
  const tail = `${String(minutes).padStart(hours > 0 ? 2 : 1, "0")}:${String(seconds).padStart(2, "0")}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}

/** The time left for `<time datetime>`: `PT59M48S`. */
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
