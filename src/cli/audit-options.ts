import { parseSource } from "../adapters/files/source.js";
import { readText } from "../adapters/files/read-text.js";
import { HEADER_DEFAULT } from "../audit/run-audit.js";
import { type JsonBounds, beyondBounds } from "../kernel/json.js";
import { UsageError, renderPosition } from "../kernel/problem.js";
import { DEFAULT_COMPANY } from "../sandbox/config/options.js";
import { parseChoice, wrongValue } from "./values.js";
import type { AuditEvent } from "../audit/wire/check.js";

/** The flags of `audit` as they were typed. */
export interface AuditFlags {
  readonly secret?: string;
  readonly header?: string;
  readonly topic?: string;
  readonly event?: string;
  readonly check?: string;
  readonly order?: string;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly list?: true;
  readonly reporter?: string;
  readonly json?: true;
  readonly out?: string;
}

const REPORTERS = ["pretty", "junit", "json"] as const;
export type AuditReporterName = (typeof REPORTERS)[number];

export interface ParsedAudit {
  /** Undefined only with `--list`. */
  readonly url: string | undefined;
  readonly secret: string;
  readonly header: string;
  readonly topic: string | undefined;
  /** The file with the event. */
  readonly event: string | undefined;
  readonly check: string | undefined;
  readonly order: string | undefined;
  readonly only: readonly string[] | undefined;
  readonly skip: readonly string[];
  readonly reporter: AuditReporterName;
  readonly out: string | undefined;
}

/** Throws UsageError("command-line") for a flag that is wrong. */
export function parseAuditFlags(given: string | undefined, flags: AuditFlags, env: NodeJS.ProcessEnv): ParsedAudit {
  const only = flags.only === undefined ? undefined : splitNames(flags.only);
  const skip = splitNames(flags.skip ?? []);
  // `--only garbage http://…`: an option that takes many takes the address as well.
  const url = given ?? takeUrl(skip) ?? takeUrl(only);
  if (url === undefined && flags.list !== true) {
    throw new UsageError(
      "command-line",
      "Which receiver? Give its URL, such as `sandbox audit http://127.0.0.1:4020/webhooks`.",
    );
  }
  const secret = flags.secret ?? (env["SANDBOX_SECRET_KEY"] || DEFAULT_COMPANY.secretKey);
  if (secret === "") throw new UsageError("command-line", "--secret must not be empty. Give the company's secret key.");
  const reporter = flags.json === true ? "json" : flags.reporter;
  return {
    url,
    secret,
    header: flags.header === undefined ? HEADER_DEFAULT : parseHeaderName(flags.header),
    topic: flags.topic === undefined ? undefined : parseTopic(flags.topic),
    event: flags.event,
    check: flags.check,
    order: flags.order,
    only,
    skip,
    reporter: reporter === undefined ? "pretty" : parseChoice("--reporter", reporter, REPORTERS),
    out: flags.out,
  };
}

/** `--only a b` and `--only a,b`. */
function splitNames(texts: readonly string[]): string[] {
  return texts.flatMap((text) => (isUrl(text) ? [text] : text.split(","))).filter((name) => name !== "");
}

function takeUrl(names: string[] | undefined): string | undefined {
  return names !== undefined && isUrl(names.at(-1) ?? "") ? names.pop() : undefined;
}

function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

/** RFC 9110: a token. */
function parseHeaderName(text: string): string {
  if (/^[!#$%&'*+.^_`|~\w-]{1,100}$/.test(text)) return text;
  throw wrongValue("--header", "the name of a header, such as x-service-hmac-sha256", text);
}

function parseTopic(text: string): string {
  if (text.trim() !== "") return text;
  throw wrongValue("--topic", "a topic, such as charges/events", text);
}

/**
 * The event of a file, as exactly the bytes that are in it.
 *
 * Throws UsageError("file") with line and column where it is no JSON object.
 */
export async function readEvent(file: string): Promise<AuditEvent> {
  const text = await readText(file);
  const value = parseJson(text);
  const excess = beyondBounds(value, EVENT_BOUNDS);
  if (excess !== undefined) throw new UsageError("file", `${file}: the event ${excess}.`);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { text, value: { ...value } };
  if (value === undefined) throw new UsageError("file", explainNotJson(text, file));
  const position = { file, line: 1, column: 1 };
  throw new UsageError(
    "file",
    renderPosition(position, 'an event must be a JSON object, such as {"topic": …, "data": …}.'),
  );
}

/** What is nested deeper could not be printed again by the checks that change it. */
const EVENT_BOUNDS: JsonBounds = { depth: 200, members: 100_000 };

/** undefined: it is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The reader of YAML knows where; what it takes and JSON does not, it cannot place. */
function explainNotJson(text: string, file: string): readonly string[] {
  try {
    parseSource(text, file);
  } catch (error) {
    if (error instanceof UsageError) return error.messages;
    throw error;
  }
  return [renderPosition({ file, line: 1, column: 1 }, "an event must be JSON: it is sent as it is in the file.")];
}
