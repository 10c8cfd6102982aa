import type { Command } from "commander";
import { tryParseDuration } from "../../kernel/time/duration.js";
import { parseInstant } from "../../kernel/time/instant.js";
import { logLevels } from "../../kernel/log.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { nearest } from "../../kernel/messages/suggest.js";
import { bareHost } from "../../kernel/messages/text.js";
import { flagOf, parseBaseUrl, parseChoice, parseToken, wrongValue } from "../shared/values.js";
import { logStyles } from "./log.js";
import { tenancyProblem } from "../../sandbox/config/options.js";
import type { FileConfig } from "../../sandbox/config/config-schema.js";
import type { ClockOver } from "../../sandbox/company/create-company.js";

/** `source` is for messages: `--port`, `SANDBOX_PORT` or `sandbox.config.yaml: port`. */
type Parse<T> = (source: string, text: string) => T;

interface Option<T> {
  /** `<file>`, or `<file...>` for a list; undefined for a flag without a value. */
  readonly argument: string | undefined;
  readonly help: string;
  readonly parse: Parse<T>;
  readonly fallback: T;
}

/** All options, in the order of the help. `publicUrl` is the key of the flag `--public-url` and the variable `SANDBOX_PUBLIC_URL`. */
const options = {
  port: option("<number>", "0 takes a free one (default: 4010; exec: 0)", parsePort, 4010),
  host: option("<address>", "0.0.0.0 listens everywhere (default: 127.0.0.1)", parseHost, "127.0.0.1"),
  publicUrl: optional("<url>", "where others reach it; payment links begin with it", parseBaseUrl),
  config: optional("<file>", "the configuration (default: sandbox.config.yaml)", parseText),
  profile: optional<FileConfig["profile"]>("<file>", "settings for what the contract leaves open", parseText),
  fixtures: list("customers, charges and other records to begin with"),
  scenario: list("play a scenario while an application drives the API"),
  rules: list("rules, beside the configuration's"),
  /** The file of a file store; undefined for a store in memory. */
  store: optional("<where>", "memory or file:PATH: where the state is kept\n(default: memory)", parseStore),
  clock: option<ClockOver>("<mode>", "running, frozen or an ISO instant\n(default: running)", parseClock, {
    mode: "running",
  }),
  tenancy: flag("an access token drives its company; the rest needs\nthe admin token"),
  autoProvision: flag("open a company for each new access token"),
  seed: optional("<integer>", "make identifiers and names repeat", parseSeed),
  adminToken: optional("<token>", "the bearer token that the control API asks for", parseToken),
  tlsCert: optional("<file>", "serve HTTPS with this certificate (PEM)", parseText),
  tlsKey: optional("<file>", "the key of the certificate (PEM)", parseText),
  drain: option(
    "<duration>",
    "after SIGTERM, go on answering for so long while\n/_sandbox/health/ready answers 503 (default: 0s)",
    parseDrain,
    0,
  ),
  productionHeadersOnly: flag("answer without the x-sandbox headers"),
  log: option(
    "<form>",
    "pretty, json (one object a line) or silent\n(default: pretty; exec: silent)",
    (source, text) => parseChoice(source, text, logStyles),
    "pretty",
  ),
  logLevel: option(
    "<level>",
    "debug (adds requests), info (what changes), warn or\nerror (default: info)",
    (source, text) => parseChoice(source, text, logLevels),
    "info",
  ),
  record: optional("<file>", "write the session as a scenario when it ends", parseText),
  open: flag("show the dashboard in a browser"),
};

type OptionName = keyof typeof options;
export const startOptionNames = Object.keys(options) as OptionName[];

export type StartFlags = Readonly<Partial<Record<OptionName, string | true | readonly string[]>>>;

export type Variables = Readonly<Record<string, string | undefined>>;

export interface LoadedConfig {
  readonly file: string;
  readonly values: FileConfig;
}

export type StartOptions = {
  readonly [Name in OptionName]: (typeof options)[Name] extends Option<infer T> ? T : never;
};

export function addStartOptions(command: Command): Command {
  for (const name of startOptionNames) {
    const { argument, help } = options[name];
    command.option([flagOf(name), argument].join(" ").trim(), help);
  }
  return command;
}

/**
 * Takes each option from the flag, else the SANDBOX_* variable (unless empty), else the configuration, else the default. PORT comes between
 * SANDBOX_PORT and the configuration. Throws UsageError with all problems.
 */
export function resolveStartOptions(flags: StartFlags, variables: Variables, config?: LoadedConfig): StartOptions {
  const problems: UsageError[] = [];
  const entries = startOptionNames.map((name) => {
    try {
      return [name, readOption(name, flags, variables, config)];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error);
      return [name, undefined];
    }
  });
  const resolved: StartOptions = Object.fromEntries(entries);
  if (problems.length === 0 && (resolved.tlsCert === undefined) !== (resolved.tlsKey === undefined)) {
    const [has, lacks] = resolved.tlsCert === undefined ? ["--tls-key", "--tls-cert"] : ["--tls-cert", "--tls-key"];
    problems.push(new UsageError("command-line", `${has} needs ${lacks} too: HTTPS takes a certificate and its key.`));
  }
  const conflict = problems.length === 0 ? tenancyProblem(resolved) : undefined;
  if (conflict !== undefined) problems.push(new UsageError("command-line", `--tenancy ${conflict}.`));
  if (problems.length > 0) {
    // A wrong command line takes precedence over a wrong file in the exit code.
    const kind = problems.some((problem) => problem.kind === "command-line") ? "command-line" : "file";
    throw new UsageError(
      kind,
      problems.flatMap(({ messages }) => messages),
    );
  }
  return resolved;
}

export function readOption<Name extends OptionName>(
  name: Name,
  flags: StartFlags,
  variables: Variables,
  config?: LoadedConfig,
): StartOptions[Name];
export function readOption(name: OptionName, flags: StartFlags, variables: Variables, config?: LoadedConfig): unknown {
  const { parse, fallback } = options[name];
  const source = flagOf(name);
  const given = flags[name];
  if (given !== undefined && typeof given === "object") return given.map((file) => parseText(source, file));
  if (given !== undefined) return parse(source, String(given));
  const ownVariable = `SANDBOX_${source.slice("--".length).replaceAll("-", "_").toUpperCase()}`;
  for (const variable of name === "port" ? [ownVariable, "PORT"] : [ownVariable]) {
    const text = variables[variable] ?? "";
    if (text !== "") return parse(variable, text);
  }
  // The rules of the configuration apply beside those of files.
  const value = config === undefined || name === "config" || name === "rules" ? undefined : config.values[name];
  if (config === undefined || value === undefined) return fallback;
  // A list, or the settings of a profile.
  if (typeof value === "object") return value;
  try {
    return parse(`${config.file}: ${name}`, String(value));
  } catch (error) {
    throw error instanceof UsageError ? new UsageError("file", error.messages) : error;
  }
}

function option<T>(argument: string, help: string, parse: Parse<T>, fallback: T): Option<T> {
  return { argument, help, parse, fallback };
}

function optional<T>(argument: string, help: string, parse: Parse<T | undefined>): Option<T | undefined> {
  return { argument, help, parse, fallback: undefined };
}

function flag(help: string): Option<boolean> {
  return { argument: undefined, help, parse: parseSwitch, fallback: false };
}

/** An option that takes a list of files, which a variable separates by commas. */
function list(help: string): Option<readonly string[]> {
  const parse = (_source: string, text: string): string[] =>
    text
      .split(",")
      .map((file) => file.trim())
      .filter((file) => file !== "");
  return { argument: "<file...>", help, parse, fallback: [] };
}

export function parsePort(source: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw wrongValue(source, "a whole number from 0 to 65535 (0 takes a free port)", text);
}

function parseHost(source: string, text: string): string {
  const host = bareHost(text);
  if (/^[\w.:%-]+$/.test(host)) return host;
  throw wrongValue(source, "an address or a name of this machine, such as 127.0.0.1 or 0.0.0.0", text);
}

function parseClock(source: string, text: string): ClockOver {
  if (text === "running") return { mode: "running" };
  if (text === "frozen") return { mode: "frozen", at: undefined };
  const at = parseInstant(text);
  if (at !== undefined) return { mode: "frozen", at };
  const meant = nearest(text, ["running", "frozen"]);
  throw wrongValue(source, "running, frozen, or an ISO instant such as 2026-01-15T09:00:00Z", text, meant);
}

function parseDrain(source: string, text: string): number {
  const parsed = tryParseDuration(text);
  if ("error" in parsed) throw wrongValue(source, "a duration such as 10s", text);
  return parsed.ms;
}

export function parseSeed(source: string, text: string): number {
  const seed = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(seed)) return seed;
  throw wrongValue(source, "a whole number", text);
}

function parseSwitch(source: string, text: string): boolean {
  if (/^(?:true|1|yes|on)$/i.test(text)) return true;
  if (/^(?:false|0|no|off)$/i.test(text)) return false;
  throw wrongValue(source, "true or false", text);
}

function parseText(source: string, text: string): string {
  if (text !== "") return text;
  throw wrongValue(source, "a file", text);
}

function parseStore(source: string, text: string): string | undefined {
  if (text === "memory") return undefined;
  if (/^file:.*\S/.test(text)) return text.slice("file:".length);
  throw wrongValue(source, "memory or file:PATH", text, nearest(text, ["memory"]));
}
