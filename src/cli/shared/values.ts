import { UsageError } from "../../kernel/problem.js";
import { nearest } from "../../kernel/suggest.js";
import { countFindings } from "../../sandbox/observation/finding.js";

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

/** What makes a run fail that went well by itself: exit code 5. */
export interface GateFlags {
  /** `findings` */
  readonly failOn?: string;
  /** Per cent of the contract. */
  readonly failUnder?: string;
}

export interface Gates {
  readonly onFindings: boolean;
  readonly minPercent: number | undefined;
}

/** Throws UsageError("command-line") for a gate that there is not. */
export function parseGates({ failOn, failUnder }: GateFlags): Gates {
  if (failOn !== undefined) parseChoice("--fail-on", failOn, ["findings"]);
  return {
    onFindings: failOn !== undefined,
    minPercent: failUnder === undefined ? undefined : parsePercent(failUnder),
  };
}

/** A line for each gate that failed. */
export function failedGates(gates: Gates, findings: number, percent: number | undefined): readonly string[] {
  const { onFindings, minPercent } = gates;
  return [
    ...(onFindings && findings > 0
      ? [`--fail-on findings: there ${findings === 1 ? "is" : "are"} ${countFindings(findings)}`]
      : []),
    ...(minPercent !== undefined && percent !== undefined && percent < minPercent
      ? [`--fail-under ${minPercent}: ${percent} % of the contract was met`]
      : []),
  ];
}

function parsePercent(text: string): number {
  const value = Number(text);
  if (/^\d{1,3}(?:\.\d+)?$/.test(text) && value <= 100) return value;
  throw new UsageError("command-line", `--fail-under must be a number of per cent from 0 to 100, got "${text}".`);
}

/** Why a file that was named could not be read. */
export function explainUnreadable(file: string, error: unknown): UsageError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const why = typeof code === "string" ? (reasons[code] ?? code) : String(error);
  return new UsageError("file", `Failed to read ${file}: ${why}.`);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "it may not be read",
  EPERM: "it may not be read",
};
