import { type Instant, toIso } from "../kernel/instant.js";
import { type Log, type LogLevel, silentLog } from "../kernel/log.js";
import { type Colors, colorsFor } from "./output.js";

export type LogStyle = "pretty" | "json" | "silent";

export interface LogPlace {
  /** The output is another command's: everything goes to stderr, and what went wrong is said even when it is to be silent. */
  readonly beside?: boolean;
}

/**
 * One line for each event: `debug` and `info` on stdout, `warn` and `error` on stderr. The times are those of the sandbox's first company, so
 * that a seeded, frozen run prints the same lines each time.
 */
export function createLog(style: LogStyle, now: () => Instant, { beside = false }: LogPlace = {}): Log {
  if (style === "silent" && !beside) return silentLog;
  const wantsDebug = (process.env["SANDBOX_DEBUG"] ?? "") !== "";
  return {
    write(level, event, fields = {}) {
      if (level === "debug" && !wantsDebug) return;
      const isTrouble = level === "warn" || level === "error";
      if (style === "silent" && !isTrouble) return;
      const stream = isTrouble || beside ? process.stderr : process.stdout;
      const line = { event, level, time: toIso(now()), ...fields };
      stream.write(`${style === "json" ? JSON.stringify(line) : renderPretty(line, colorsFor(stream))}\n`);
    },
  };
}

interface Line {
  readonly event: string;
  readonly level: LogLevel;
  readonly time: string;
  readonly [field: string]: unknown;
}

/** `2026-01-15T09:00:00.000Z  warn   what happened  field=value`; an event that carries its own sentence is said by it. */
function renderPretty({ event, level, time, message, ...fields }: Line, { dim, ...colors }: Colors): string {
  const what = typeof message === "string" ? message : event.replaceAll("-", " ");
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const inline = given
    .filter(([, value]) => !isLong(value))
    .map(([name, value]) => `${dim(`${name}=`)}${renderValue(value)}`);
  // A stack trace, below.
  const below = given.flatMap(([, value]) => (isLong(value) ? value.split("\n").map((line) => `    ${line}`) : []));
  const first = [dim(time), colors[colorOf[level]](level.padEnd(5)), what, ...inline].join("  ");
  return [first, ...below].join("\n");
}

function isLong(value: unknown): value is string {
  return typeof value === "string" && value.includes("\n");
}

function renderValue(value: unknown): string {
  return typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : (JSON.stringify(value) ?? "undefined");
}

const colorOf = { debug: "gray", info: "cyan", warn: "yellow", error: "red" } as const;
