export type LogLevel = "debug" | "info" | "warn" | "error";

/** Where the sandbox says what it does. Fields are data, never a sentence with a secret in it. */
export interface Log {
  write(level: LogLevel, event: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silentLog: Log = { write: () => undefined };
