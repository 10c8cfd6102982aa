import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const VERBS =
  "start|exec|replay|audit|proxy|calibrate|explore|vary|init|clock|companies|sign|validate|openapi|profile|help|--help|<verb>";
const MENTION = new RegExp(String.raw`(?<![\w/.-])(?:npx business-payments-)?sandbox (?=(?:${VERBS})(?![\w.-]))`, "g");

/** The name in texts that are read later or elsewhere: npx finds this package in a clone, in a project and in the registry. */
export const DOCS_NAME = "npx business-payments-sandbox";

/** Texts call the command `sandbox`, and outside of `cli/` {@link DOCS_NAME}. This replaces both by the name with which the user can run it. */
export function nameAsCalled(text: string, name: string = calledAs()): string {
  return text.replaceAll(MENTION, `${name} `);
}

/** `npx sandbox` inside a clone. Elsewhere npx would fetch another package of that name. */
function calledAs(): string {
  const root = programFolder();
  const folder = existsSync(join(root, ".git")) ? currentFolder() : undefined;
  if (folder !== undefined && !relative(root, folder).startsWith("..")) return "npx sandbox";
  return process.env["npm_command"] === undefined ? "business-payments-sandbox" : DOCS_NAME;
}

/** The current folder; undefined when it was removed. */
function currentFolder(): string | undefined {
  try {
    return realpathSync(".");
  } catch {
    return undefined;
  }
}

/** The folder of the package. */
export function programFolder(): string {
  // Links of npm lead to bin/sandbox.js.
  return dirname(dirname(realpathSync(process.argv[1] ?? ".")));
}
