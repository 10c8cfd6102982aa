import { type Command, Option } from "commander";
import { colorsFor } from "./output.js";

/** Defines the flags, help and action of a verb. `exitWith` sets the exit code. */
export type Verb = (command: Command, exitWith: (code: number) => void) => void;

/** Adds text below the help. Commander does not wrap it. */
export function addClosing(command: Command, ...paragraphs: readonly string[]): void {
  const { bold } = colorsFor(process.stdout);
  command.addHelpText("after", `\n${paragraphs.join("\n\n").replaceAll(/^[A-Z][a-z ]+:$/gm, (title) => bold(title))}`);
}

export interface FormatFlags {
  readonly format?: string;
  readonly json?: true;
}

export function jsonFormat(): Option {
  return new Option("--json", "short for --format json").conflicts("format");
}

export function formatOf({ json, format }: FormatFlags): string | undefined {
  return json === true ? "json" : format;
}
