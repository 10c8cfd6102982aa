import { tryParseDuration } from "../../kernel/time/duration.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { nearest } from "../../kernel/messages/suggest.js";
import { parseUrl, quote } from "../../kernel/messages/text.js";

/** The error for a wrong value of a flag or variable. `source` is its name: `--port`, `SANDBOX_PORT`. */
export function wrongValue(source: string, expected: string, text: string, meant?: string): UsageError {
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return new UsageError("command-line", `${source} must be ${expected}, not ${quote(text, SHOWN_MAX)}.${hint}`);
}

const SHOWN_MAX = 80;

/** `--public-url` for `publicUrl`. */
export function flagOf(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function parseChoice<Choice extends string>(source: string, text: string, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const list = [choices.slice(0, -1).join(", "), ...choices.slice(-1)].filter((part) => part !== "").join(" or ");
  throw wrongValue(source, list, text, nearest(text, choices));
}

/** Parses a whole number from `min` to `max`. */
export function parseWhole(source: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw wrongValue(source, `a whole number from ${min} to ${max}`, text);
}

/** Parses a duration to milliseconds. */
export function parseDurationAbove0(flag: string, text: string, example = "30s"): number {
  const parsed = tryParseDuration(text);
  if ("ms" in parsed && parsed.ms > 0) return parsed.ms;
  throw wrongValue(flag, `a duration above 0, such as ${example}`, text);
}

/** Accepts `--only a b` and `--only a,b`. */
export function splitNames(texts: readonly string[] = []): string[] {
  return texts
    .flatMap((text) => text.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** Like `splitNames`, for choices. An empty text is refused, since it is none of them. */
export function parseChoices<Choice extends string>(
  source: string,
  texts: readonly string[],
  choices: readonly Choice[],
): Choice[] {
  const names = splitNames(texts);
  return (names.length === 0 ? texts : names).map((name) => parseChoice(source, name, choices));
}

/** Like `splitNames`, but refuses an empty value: it may come from an unset variable in a script, and would silently do nothing. */
export function requireNames(source: string, texts?: readonly string[]): string[] {
  const names = splitNames(texts);
  if (texts !== undefined && names.length === 0) throw wrongValue(source, "one name or more", texts.join(" "));
  return names;
}

/** Parses an absolute http(s) URL. The result has no slash at its end. */
export function parseBaseUrl(source: string, text: string): string {
  const url = parseUrl(text);
  const isBase = url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
  if (isBase && url.username === "" && url.password === "") return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  const expected = "an absolute http or https URL without credentials and query, such as https://sandbox.example";
  // The text before an @ may be a password.
  throw wrongValue(source, expected, text.replace(/^.*@/s, "…@"));
}

/** A token that a header can carry. The message does not repeat it. */
export function parseToken(source: string, text: string): string {
  if (/^[\x21-\x7E]+$/.test(text)) return text;
  throw new UsageError("command-line", `${source} must be printable ASCII without spaces, and not empty.`);
}

interface TokenSource {
  readonly variable: string;
  /** The flag that takes precedence over the variable. */
  readonly flag?: string;
  /** The value of the flag, if it is given. */
  readonly given?: string | undefined;
}

/** A token from the command line or the environment; undefined when there is none. */
export function readToken({ variable, flag = "", given }: TokenSource): string | undefined {
  if (given !== undefined) return parseToken(flag, given);
  const text = process.env[variable] ?? "";
  return text === "" ? undefined : parseToken(variable, text);
}

/** The variables that scenarios may read as `${env.X}`. */
export function openVariables(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("SANDBOX_")));
}
