import { type Instant, toIso } from "../kernel/instant.js";
import { type Log, type LogLevel, silentLog } from "../kernel/log.js";
import { type Colors, colorsFor } from "./output.js";

export type LogStyle = "pretty" | "json" | "silent";

/**
 * One line for each event: `debug` and `info` on stdout, `warn` and `error` on stderr. The times are those of the sandbox's first company, so
 * that a seeded, frozen run prints the same lines each time.
 */
export function createLog(style: LogStyle, now: () => Instant): Log {
  if (style === "silent") return silentLog;
  const wantsDebug = (process.env["SANDBOX_DEBUG"] ?? "") !== "";
  return {
    write(level, event, fields = {}) {
      if (level === "debug" && !wantsDebug) return;
      const stream = level === "warn" || level === "error" ? process.stderr : process.stdout;
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
function renderPretty({ event, level, time, message, ...fields }: Line, colors: Colors): string {
  const what = typeof message === "string" ? message : event.replaceAll("-", " ");
  const details = Object.entries(fields).map(([name, value]) => `${colors.dim(`${name}=`)}${renderValue(value)}`);
  return [colors.dim(time), colorOf[level](colors)(level.padEnd(5)), what, ...details].join("  ");
}

function renderValue(value: unknown): string {
  return typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : (JSON.stringify(value) ?? "undefined");
}

const colorOf: Readonly<Record<LogLevel, (colors: Colors) => (text: string) => string>> = {
  debug: (colors) => colors.dim,
  info: (colors) => colors.cyan,
  warn: (colors) => colors.yellow,
  error: (colors) => colors.red,
};
