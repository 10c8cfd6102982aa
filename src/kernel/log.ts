/** Least important first. */
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The sandbox's log. Fields are data, never a sentence with a secret in it. */
export interface Log {
  write(level: LogLevel, event: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Whether it writes lines of that level. Without this function only warnings and errors are written. */
  readonly wants?: (level: LogLevel) => boolean;
}

export const silentLog: Log = { write: () => undefined };

/** What a log says about a bug. */
export function stackOf(thrown: unknown): string | undefined {
  return thrown instanceof Error ? thrown.stack : String(thrown);
}
