import { createColors } from "picocolors";
import type { Style } from "../../kernel/report.js";

export type Colors = ReturnType<typeof createColors>;

/** What is printed at most across, however wide the terminal: longer lines are hard to read. */
export const WIDTH_MAX = 100;
const WIDTH_MIN = 60;

/** Data: what the command was asked for. */
export function printData(text: string): void {
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

export function printJson(value: unknown): void {
  printData(JSON.stringify(value, undefined, 2));
}

/** Diagnostics: what went wrong, or what to know about it. */
export function printDiagnostic(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Colours for people at a terminal; none in a pipe, in CI, or when NO_COLOR asks for none. FORCE_COLOR outdoes all of that. */
export function colorsFor(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv = process.env): Colors {
  const isSet = (name: string): boolean => (env[name] ?? "") !== "";
  if (isSet("FORCE_COLOR")) return createColors(env["FORCE_COLOR"] !== "0");
  // `isTTY` is undefined in a pipe, for which createColors would decide by itself.
  const isPlain = !stream.isTTY || isSet("NO_COLOR") || isSet("CI") || env["TERM"] === "dumb";
  return createColors(!isPlain);
}

/** The style of a report on this stream. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const { green, red, yellow, bold, dim } = colorsFor(stream);
  const width = Math.max(WIDTH_MIN, Math.min(stream.columns ?? WIDTH_MAX, WIDTH_MAX));
  return { width, good: green, bad: red, warning: yellow, strong: bold, faint: dim };
}

/** Columns as wide as their widest cell, two spaces apart; nothing trails a line. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, cell.length)));
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
