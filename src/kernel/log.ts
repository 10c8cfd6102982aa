/** Least important first. */
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Where the sandbox says what it does. Fields are data, never a sentence with a secret in it. */
export interface Log {
  write(level: LogLevel, event: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Whether it writes lines of that level: asked by whoever would have to work for one. Without it nobody reads more than what goes wrong. */
  readonly wants?: (level: LogLevel) => boolean;
}

export const silentLog: Log = { write: () => undefined };
