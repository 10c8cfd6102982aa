import { type Command, Option } from "commander";
import { colorsFor } from "./output.js";

/** Describes a verb to commander, with its flags, its help and its action. `exitWith` sets the exit code. */
export type Verb = (command: Command, exitWith: (code: number) => void) => void;

/** Text below the help. Its line breaks stay: commander wraps only what it formats itself. */
export function addClosing(command: Command, ...paragraphs: readonly string[]): void {
  const { bold } = colorsFor(process.stdout);
  command.addHelpText("after", `\n${paragraphs.join("\n\n").replaceAll(/^[A-Z][a-z ]+:$/gm, (title) => bold(title))}`);
}

export interface FormatFlags {
  readonly format?: string;
  readonly json?: true;
}

/** `--json` of a verb that has other formats too. */
export function jsonFormat(): Option {
  return new Option("--json", "short for --format json").conflicts("format");
}

export function formatOf({ json, format }: FormatFlags): string | undefined {
  return json === true ? "json" : format;
}
