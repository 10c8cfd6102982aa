import { UsageError } from "../kernel/problem.js";
import { nearest } from "../kernel/suggest.js";

/**
 * How values of flags and variables are read. `source` is where the text was given, for messages: `--port`, `SANDBOX_PORT`. All throw
 * UsageError("command-line").
 */
export function wrongValue(source: string, expected: string, text: string, meant?: string): UsageError {
  const shown = JSON.stringify(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return new UsageError("command-line", `${source} must be ${expected}, not ${shown}.${hint}`);
}

const SHOWN_MAX = 80;

/** How an option is typed: `publicUrl` as `--public-url`. */
export function flagOf(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** One of a few words. */
export function parseChoice<Choice extends string>(source: string, text: string, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const list = `${choices.slice(0, -1).join(", ")} or ${choices.at(-1) ?? ""}`;
  throw wrongValue(source, list, text, nearest(text, choices));
}

/** An absolute http(s) URL under which paths stand; without the slash at its end. */
export function parseBaseUrl(source: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBase = url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
  if (isBase && url.username === "" && url.password === "") return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  throw wrongValue(source, "an absolute http or https URL without query, such as https://sandbox.example", text);
}

/** What scenarios may read as `${env.X}`: "only `SANDBOX_*`". */
export function openVariables(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith("SANDBOX_")));
}
