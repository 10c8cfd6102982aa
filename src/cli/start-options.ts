import { type Instant, parseInstant } from "../kernel/instant.js";
import { type LogLevel, logLevels } from "../kernel/log.js";
import { UsageError } from "../kernel/problem.js";
import { nearest } from "../kernel/suggest.js";
import { type LogStyle, logStyles } from "./log.js";
import { flagOf, parseBaseUrl, parseChoice, wrongValue } from "./values.js";
import type { FileConfig } from "../sandbox/config/config-schema.js";

/** The flags of `start` as they were typed. */
export interface StartFlags {
  readonly port?: string;
  readonly host?: string;
  readonly publicUrl?: string;
  readonly config?: string;
  readonly profile?: string;
  readonly fixtures?: readonly string[];
  readonly scenario?: readonly string[];
  readonly record?: string;
  readonly store?: string;
  readonly clock?: string;
  readonly autoProvision?: true;
  readonly seed?: string;
  readonly adminToken?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly productionHeadersOnly?: true;
  readonly log?: string;
  readonly logLevel?: string;
  readonly open?: true;
}

export type Variables = Readonly<Record<string, string | undefined>>;

export interface LoadedConfig {
  readonly file: string;
  readonly values: FileConfig;
}

/** What was chosen, read and checked. Files are still names. */
export interface StartOptions {
  readonly port: number;
  readonly host: string;
  readonly publicUrl: string | undefined;
  /** A file, or the nested settings themselves. */
  readonly profile: FileConfig["profile"];
  readonly fixtures: readonly string[];
  readonly scenarios: readonly string[];
  readonly record: string | undefined;
  /** The file of a file store; undefined: in memory. */
  readonly store: string | undefined;
  readonly clock: ClockChoice;
  /** Whether that holds for a company that a store remembers, too. */
  readonly clockWins: boolean;
  readonly autoProvision: boolean;
  readonly seed: number | undefined;
  readonly adminToken: string | undefined;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly productionHeadersOnly: boolean;
  readonly log: LogStyle;
  readonly logLevel: LogLevel;
  /** Whether a browser shows the dashboard. */
  readonly open: boolean;
}

/** `at` undefined: frozen at the instant of the start. */
export type ClockChoice = { readonly mode: "running" } | { readonly mode: "frozen"; readonly at: Instant | undefined };

/**
 * The precedence of every option: the flag, then its SANDBOX_* variable (an empty one counts as not set), then the configuration, then the
 * default. PORT stands between SANDBOX_PORT and the configuration. Throws UsageError with everything that is wrong.
 */
export function resolveStartOptions(flags: StartFlags, variables: Variables, config?: LoadedConfig): StartOptions {
  const problems: UsageError[] = [];
  const read = <T>(name: ScalarName, parse: Parse<T>): T | undefined => {
    const found = find(name, flags, variables, config);
    try {
      return found === undefined ? undefined : parse(found.source, found.text);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(found?.isFile === true ? new UsageError("file", error.messages) : error);
      return undefined;
    }
  };
  const given = config?.values;
  const options: StartOptions = {
    port: read("port", parsePort) ?? 4010,
    host: read("host", parseHost) ?? "127.0.0.1",
    publicUrl: read("publicUrl", parseBaseUrl),
    profile: read("profile", parseText) ?? given?.profile,
    fixtures: flags.fixtures ?? listOf(variables["SANDBOX_FIXTURES"]) ?? given?.fixtures ?? [],
    scenarios: flags.scenario ?? listOf(variables["SANDBOX_SCENARIO"]) ?? given?.scenario ?? [],
    record: read("record", parseText),
    store: read("store", parseStore)?.path,
    clock: read("clock", parseClock) ?? { mode: "running" },
    // "the stored clock wins unless the flag is given"
    clockWins: flags.clock !== undefined,
    autoProvision: read("autoProvision", parseSwitch) ?? false,
    seed: read("seed", parseSeed),
    adminToken: read("adminToken", parseToken),
    tlsCert: read("tlsCert", parseText),
    tlsKey: read("tlsKey", parseText),
    productionHeadersOnly: read("productionHeadersOnly", parseSwitch) ?? false,
    log: read("log", (source, text) => parseChoice(source, text, logStyles)) ?? "pretty",
    logLevel: read("logLevel", (source, text) => parseChoice(source, text, logLevels)) ?? "info",
    open: read("open", parseSwitch) ?? false,
  };
  if (problems.length === 0 && (options.tlsCert === undefined) !== (options.tlsKey === undefined)) {
    const [has, lacks] = options.tlsCert === undefined ? ["--tls-key", "--tls-cert"] : ["--tls-cert", "--tls-key"];
    problems.push(new UsageError("command-line", `${has} needs ${lacks} too: HTTPS takes a certificate and its key.`));
  }
  if (problems.length > 0) throw combine(problems);
  return options;
}

/** Everything wrong at once; what was typed decides the exit code before what stands in a file. */
function combine(problems: readonly UsageError[]): UsageError {
  const kind = problems.some((problem) => problem.kind === "command-line") ? "command-line" : "file";
  return new UsageError(
    kind,
    problems.flatMap(({ messages }) => messages),
  );
}

type ScalarName = Exclude<keyof StartFlags, "fixtures" | "scenario" | "config">;

/** `source` is where the text was given, for messages: `--port`, `SANDBOX_PORT` or `sandbox.config.yaml: port`. */
type Parse<T> = (source: string, text: string) => T;

interface Found {
  readonly source: string;
  readonly text: string;
  readonly isFile?: true;
}

function find(name: ScalarName, flags: StartFlags, variables: Variables, config?: LoadedConfig): Found | undefined {
  const source = flagOf(name);
  const flag = flags[name];
  if (flag !== undefined) return { source, text: String(flag) };
  const ownVariable = `SANDBOX_${source.slice("--".length).replaceAll("-", "_").toUpperCase()}`;
  for (const variable of name === "port" ? [ownVariable, "PORT"] : [ownVariable]) {
    const text = variables[variable] ?? "";
    if (text !== "") return { source: variable, text };
  }
  const value = config?.values[name];
  // The settings of a profile may stand in the configuration itself; they are not text.
  if (config === undefined || value === undefined || typeof value === "object") return undefined;
  return { source: `${config.file}: ${name}`, text: String(value), isFile: true };
}

function listOf(text: string | undefined): string[] | undefined {
  const files = text
    ?.split(",")
    .map((file) => file.trim())
    .filter((file) => file !== "");
  return files === undefined || files.length === 0 ? undefined : files;
}

function parsePort(source: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw wrongValue(source, "a whole number from 0 to 65535 (0 takes a free port)", text);
}

function parseHost(source: string, text: string): string {
  const host = text.replace(/^\[(.*)\]$/, "$1");
  if (/^[\w.:%-]+$/.test(host)) return host;
  throw wrongValue(source, "an address or a name of this machine, such as 127.0.0.1 or 0.0.0.0", text);
}

function parseClock(source: string, text: string): ClockChoice {
  if (text === "running") return { mode: "running" };
  if (text === "frozen") return { mode: "frozen", at: undefined };
  const at = parseInstant(text);
  if (at !== undefined) return { mode: "frozen", at };
  const meant = nearest(text, ["running", "frozen"]);
  throw wrongValue(source, "running, frozen, or an ISO instant such as 2026-01-15T09:00:00Z", text, meant);
}

function parseSeed(source: string, text: string): number {
  const seed = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(seed)) return seed;
  throw wrongValue(source, "a whole number", text);
}

function parseSwitch(source: string, text: string): boolean {
  if (/^(?:true|1|yes|on)$/i.test(text)) return true;
  if (/^(?:false|0|no|off)$/i.test(text)) return false;
  throw wrongValue(source, "true or false", text);
}

/** What fits behind "Bearer ". The token itself is not repeated in the message. */
function parseToken(source: string, text: string): string {
  if (/^[\x21-\x7E]+$/.test(text)) return text;
  throw new UsageError("command-line", `${source} must be printable ASCII without spaces, and not empty.`);
}

function parseText(source: string, text: string): string {
  if (text !== "") return text;
  throw wrongValue(source, "a file", text);
}

function parseStore(source: string, text: string): { readonly path: string | undefined } {
  if (text === "memory") return { path: undefined };
  if (/^file:.*\S/.test(text)) return { path: text.slice("file:".length) };
  throw wrongValue(source, "memory or file:PATH", text, nearest(text, ["memory"]));
}
