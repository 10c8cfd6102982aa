/** Least important first. */
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The sandbox's log. Fields are data, never sentences with secrets in them. */
export interface Log {
  write(level: LogLevel, event: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Whether the log writes lines of that level. Without this function it gets only warnings and errors. */
  readonly wants?: (level: LogLevel) => boolean;
}

export const silentLog: Log = { write: () => undefined };

/** Describes a bug for the log. */
export function stackOf(thrown: unknown): string | undefined {
  return thrown instanceof Error ? thrown.stack : String(thrown);
}
