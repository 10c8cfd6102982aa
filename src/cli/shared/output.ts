import { fstatSync, writeFileSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createColors } from "picocolors";
import { assertWritable, makeFolder } from "../../adapters/files/write-to.js";
import { messageOf, UsageError } from "../../kernel/messages/problem.js";
import { nameAsCalled } from "./name.js";
import type { Style } from "../../kernel/messages/report.js";

export type Colors = ReturnType<typeof createColors>;

/** The widest line, on any terminal. */
export const WIDTH_MAX = 100;
const WIDTH_MIN = 60;

export function printData(text: string): void {
  const data = text.endsWith("\n") ? text : `${text}\n`;
  if (!isStdoutFile()) return void process.stdout.write(data);
  // The stream would write once, and not notice that a full disk has taken only a part.
  try {
    writeFileSync(process.stdout.fd, Buffer.from(data));
  } catch (error) {
    process.stdout.emit("error", error);
  }
}

function isStdoutFile(): boolean {
  try {
    return fstatSync(process.stdout.fd).isFile();
  } catch {
    return false;
  }
}

export function printJson(value: unknown): void {
  printData(JSON.stringify(value, undefined, 2));
}

export const reporterNames = ["pretty", "json", "junit", "md"] as const;

/** How a verb renders its report. `sum` renders the last line for people. */
export interface ReportRenderers<Report> {
  pretty(report: Report, style: Style): string;
  md(report: Report): string;
  junit(report: Report, failOn: readonly string[]): string;
  sum(report: Report, style: Style): string;
}

/** Prints the report on stdout. When a program reads it, the last line for people goes to stderr. */
export function printReport<Report>(
  report: Report,
  { reporter, failOn }: { readonly reporter: (typeof reporterNames)[number]; readonly failOn: readonly string[] },
  render: ReportRenderers<Report>,
): void {
  if (reporter === "pretty") return printData(render.pretty(report, styleFor(process.stdout)));
  if (reporter === "json") printJson(report);
  else printData(render[reporter](report, failOn));
  printDiagnostic(render.sum(report, styleFor(process.stderr)));
}

export function printDiagnostic(text: string): void {
  process.stderr.write(`${nameAsCalled(text)}\n`);
}

/** Colours on a terminal; none in a pipe, in CI, or with NO_COLOR. FORCE_COLOR overrides all of these. */
export function colorsFor(stream: NodeJS.WriteStream): Colors {
  const { env } = process;
  const isSet = (name: string): boolean => (env[name] ?? "") !== "";
  if (isSet("FORCE_COLOR")) return createColors(env["FORCE_COLOR"] !== "0");
  // In a pipe `isTTY` is undefined, which createColors must not get.
  const isPlain = !stream.isTTY || isSet("NO_COLOR") || isSet("CI") || env["TERM"] === "dumb";
  return createColors(!isPlain);
}

/** Makes the folder of a file that is written when the work is done. Throws UsageError("cannot-run") when the file cannot be written there. */
export async function prepareOutput(what: string, file: string): Promise<void> {
  await makeFolder(dirname(file)).catch((error: unknown) => {
    throw new UsageError("cannot-run", `Failed to write ${what} to ${file}: ${messageOf(error)}.`);
  });
  await assertWritable(what, file);
}

/** Also when one is a link to the other. False when one of them is missing. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((file) => stat(file).catch(() => undefined)));
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev;
}

/** Throws UsageError("command-line") when an output would replace a file that the command reads. */
export async function assertReplacesNone(option: string, output: string, inputs: readonly string[]): Promise<void> {
  for (const file of inputs) {
    if (await isSameFile(output, file))
      throw new UsageError(
        "command-line",
        `${option} would replace ${file}, which this command reads. Name another file.`,
      );
  }
}

/** Writes a file. When that fails, the file keeps its old content: `calibrate` may write the profile that it has read. */
export async function writeOutput(what: string, file: string, text: string): Promise<void> {
  await assertWritable(what, file);
  const before = await readFile(file).catch(() => undefined);
  await writeFile(file, text).catch(async (error: unknown) => {
    if (before !== undefined) await writeFile(file, before).catch(() => undefined);
    throw new UsageError("cannot-run", `Failed to write ${what} to ${file}: ${messageOf(error)}.`);
  });
}

/** Shows progress in a line of a terminal, and nothing elsewhere. `clear` is the text that removes the line. */
export function createCounter(stream: NodeJS.WriteStream): { readonly clear: string; show(text: string): void } {
  const isShown = stream.isTTY && (process.env["CI"] ?? "") === "";
  const clear = isShown ? "\r\u001B[K" : "";
  const { dim } = colorsFor(stream);
  return { clear, show: (text) => void (isShown && stream.write(clear + dim(`  ${text}`))) };
}

export function styleFor(stream: NodeJS.WriteStream): Style {
  const { green, red, yellow, bold, dim } = colorsFor(stream);
  const width = Math.max(WIDTH_MIN, Math.min(stream.columns ?? WIDTH_MAX, WIDTH_MAX));
  return { width, good: green, bad: red, warning: yellow, strong: bold, faint: dim };
}

/** Aligns columns two spaces apart, without trailing spaces. */
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
