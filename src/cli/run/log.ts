import { type Instant, toIso } from "../../kernel/time/instant.js";
import { type Log, type LogLevel, logLevels } from "../../kernel/log.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { createLineRenderer } from "./render-line.js";
import { printable, redactAndShorten } from "../../kernel/messages/text.js";

export const logStyles = ["pretty", "json", "silent"] as const;
type LogStyle = (typeof logStyles)[number];

export interface LogChoice {
  readonly style: LogStyle;
  readonly level: LogLevel;
}

export interface LogSource {
  /** The time of the sandbox's first company, for lines that name none. */
  readonly now: () => Instant;
  /** The id of the company that lines for people do not name. */
  readonly home: string | undefined;
  readonly redact: (text: string) => string;
}

export interface LogPlace {
  /** Whether another command owns stdout. Then all lines are written to stderr, and a silent log still writes warnings and errors. */
  readonly beside?: boolean;
}

export interface LineLog extends Log {
  readonly wants: (level: LogLevel) => boolean;
  /** Writes `first`, at any level, and then the lines held so far. Before, only warnings and errors are written. */
  open(first?: { readonly event: string; readonly fields: Fields }): void;
}

export type Fields = Readonly<Record<string, unknown>>;

/**
 * Writes one line per event: `debug` and `info` on stdout, `warn` and `error` on stderr. Texts are redacted and truncated, and cannot end a line or
 * move the cursor of a terminal. `source` is called for each line, since it changes when the sandbox is built.
 */
export function createLog(
  { style, level: least }: LogChoice,
  source: () => LogSource,
  { beside = false }: LogPlace = {},
): LineLog {
  const render = style === "json" ? renderJson : createLineRenderer(source);
  const stamp = (level: LogLevel, event: string): Fields => ({ event, level, time: toIso(systemClock.now()) });
  const renderLeftOut = (count: number, stream: NodeJS.WriteStream): string =>
    render({ ...stamp("warn", "log-lines-left-out"), count }, stream);
  const stderr = createLineOutput(process.stderr, renderLeftOut);
  const stdout = beside ? stderr : createLineOutput(process.stdout, renderLeftOut);
  let held: (() => void)[] | undefined = [];

  const wants = (level: LogLevel): boolean => {
    if (logLevels.indexOf(level) < logLevels.indexOf(least)) return false;
    return style !== "silent" || (beside && isWarningOrError(level));
  };
  const put = (level: LogLevel, event: string, fields: Fields): void => {
    const output = isWarningOrError(level) ? stderr : stdout;
    output.write(render({ ...stamp(level, event), ...cleanFields(fields, source().redact) }, output.stream));
  };
  return {
    wants,
    write(level, event, fields = {}) {
      if (!wants(level)) return;
      if (held === undefined || isWarningOrError(level)) put(level, event, fields);
      else held.push(() => put(level, event, fields));
    },
    open(first) {
      if (first !== undefined && style !== "silent") put("info", first.event, first.fields);
      for (const write of held ?? []) write();
      held = undefined;
    },
  };
}

function isWarningOrError(level: LogLevel): boolean {
  return level === "warn" || level === "error";
}

/** JSON.stringify does not escape all characters that end a line or move the cursor. */
function renderJson(line: Fields): string {
  return printable(JSON.stringify(line));
}

/** Texts are truncated; sentences and stack traces may be longer. */
const TEXT_MAX = 200;
const PROSE_MAX = 8_000;
const prose: ReadonlySet<string> = new Set(["message", "error"]);

function cleanFields(fields: Fields, redact: LogSource["redact"]): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, clean(name, value, redact)]));
}

function clean(name: string, value: unknown, redact: LogSource["redact"]): unknown {
  if (typeof value === "string")
    return times.has(name) ? value : redactAndShorten(value, prose.has(name) ? PROSE_MAX : TEXT_MAX, redact);
  if (typeof value !== "object" || value === null) return value;
  return cleanFields({ ...value }, redact);
}

/** Fields with times, which are never redacted. */
const times: ReadonlySet<string> = new Set(["time", "now"]);

/** The most bytes that are buffered for a slow reader. */
const BACKLOG_BYTES_MAX = 1024 * 1024;

/** Writes lines to a stream. While a pipe is not read, lines beyond {@link BACKLOG_BYTES_MAX} are left out, and their number is written afterwards. */
function createLineOutput(
  stream: NodeJS.WriteStream,
  renderLeftOut: (count: number, stream: NodeJS.WriteStream) => string,
) {
  let leftOut = 0;
  return {
    stream,
    /** `line` has no line break at its end. */
    write(line: string): void {
      if (!stream.writable) return;
      if (stream.writableLength > BACKLOG_BYTES_MAX) {
        leftOut++;
        return;
      }
      if (leftOut > 0) stream.write(`${renderLeftOut(leftOut, stream)}\n`);
      leftOut = 0;
      stream.write(`${line}\n`);
    },
  };
}
