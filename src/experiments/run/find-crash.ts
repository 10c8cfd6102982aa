/** Codes by which a shell says that a signal ended its command: SIGABRT, SIGSEGV. */
const CRASH_CODES: ReadonlySet<number | null> = new Set([134, 139]);

/**
 * How runtimes report an error that nothing caught, in output without white space at its end. What a test runner prints about a failed test does not
 * match.
 */
const traces: Readonly<Record<string, RegExp>> = {
  "an uncaught exception in Node": /^Node\.js v\d{1,3}\.\d{1,3}\.\d{1,3}\S{0,100}\s*$/m,
  // The trace of a group, as a failing asyncio.TaskGroup raises it, ends with a line of dashes.
  "an uncaught exception in Python": /Traceback \(most recent call last\):\r?\n(?:[ \t].*\r?\n)+(?:\S.*| +\+-+)$/,
  // Only the first line that begins like this counts: a search from each of thousands would take seconds.
  "a panic in Go": /^(?:(?!panic: |fatal error: )[^\n]*\n)*(?:panic|fatal error): [^]*\ngoroutine \d+/,
  "an uncaught exception in Java": /^Exception in thread "/m,
  "an uncaught exception in PHP": /^PHP Fatal error: {2}Uncaught/m,
  "a panic in Rust": /^thread '.*' (?:\(\d+\) )?panicked at /m,
};

/** Why the end of a process counts as a crash; null when it does not. `output` is stdout and stderr. */
export function findCrash(
  code: number | null,
  signal: NodeJS.Signals | null,
  stderr: string,
  output: string,
): string | null {
  if (signal !== null) return `ended by ${signal}`;
  if (code === 0) return null;
  if (CRASH_CODES.has(code)) return `exit code ${code}`;
  // Without a php.ini, PHP prints errors to stdout.
  if (code === 255 && /^Fatal error: Uncaught/m.test(output)) return "an uncaught exception in PHP";
  const errors = stderr.trimEnd();
  return Object.entries(traces).find(([, trace]) => trace.test(errors))?.[0] ?? null;
}
