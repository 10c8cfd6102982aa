import { readFileSync } from "node:fs";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { runSandbox } from "../support/cli.js";
import { allPages, root } from "../support/markdown.js";

interface CommandHelp {
  /** `business-payments-sandbox clock`; the whole program is `business-payments-sandbox`. */
  readonly name: string;
  readonly help: string;
}

/** Each command and its printed help: the program, its verbs, their subcommands. */
async function helpOf(path: readonly string[] = []): Promise<readonly CommandHelp[]> {
  const { stdout: help } = await runSandbox([...path, "--help"], { cwd: tmpdir(), env: { npm_command: "exec" } });
  const listed = /^(?:Verbs|Commands):\n((?: {2}.*\n)+)/m.exec(help)?.[1] ?? "";
  const names = [...listed.matchAll(/^ {2}(\w[\w-]*)/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "help");
  const below = await Promise.all(names.map((name) => helpOf([...path, name])));
  return [{ name: ["business-payments-sandbox", ...path].join(" "), help }, ...below.flat()];
}

const commands = await helpOf();

describe.each(commands)("$name --help", ({ name, help }) => {
  const [, examples = ""] = help.split("\nExamples:\n");
  const lines = (examples.split("\n\n")[0] ?? "").split("\n").filter((line) => line.trim() !== "");

  it("has examples of this command", () => {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => !/^ {2}\S/.test(line) || !line.includes("sandbox "))).toEqual([]);
    expect(lines.some((line) => line.includes(`${name} `) || line.endsWith(name))).toBe(true);
  });

  it("has examples with options that exist", () => {
    const calls = lines.flatMap((line) => {
      const [, verb = "", rest = ""] = /sandbox (\w+)(.*)/.exec(line) ?? [];
      // After -- is the command line of another program.
      const [ours = ""] = rest.split(" -- ");
      return [...ours.matchAll(/--[a-z-]+/g)].map(([option]) => ({ verb, option }));
    });
    const unknown = calls.filter(
      ({ verb, option }) =>
        !commands.some(
          (other) => other.name.startsWith(`business-payments-sandbox ${verb}`) && other.help.includes(`  ${option}`),
        ),
    );
    expect(unknown).toEqual([]);
  });
});

/** The commands and options in the sentences and tables of a page: `npx business-payments-sandbox start --port 1`, `--clock frozen`. */
function spansOf(path: string): readonly string[] {
  const prose = readFileSync(root + path, "utf8").replaceAll(/^```[^]*?^```$/gm, "");
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  return spans.filter((span) => /^(?:(?:npx )?(?:business-payments-)?sandbox [a-z]|--[a-z])/.test(span));
}

function isUnderstood(span: string): boolean {
  const [, verb] = /sandbox (\w+)/.exec(span) ?? [];
  const [ours = ""] = span.split(" -- ");
  const options = [...ours.matchAll(/(?<=^| )--[a-z-]+/g)].map(([option]) => option);
  const asked = commands.filter(
    ({ name }) => verb === undefined || verb === "help" || name === `business-payments-sandbox ${verb}`,
  );
  return asked.some(({ help }) => options.every((option) => new RegExp(` ${option}\\b`).test(help)));
}

describe("the sentences of pages", () => {
  const mentions = allPages.map((path) => [path, spansOf(path)] as const).filter(([, spans]) => spans.length > 0);

  it.each(mentions)("%s names commands and options that exist", (_, spans) => {
    expect(spans.filter((span) => !isUnderstood(span))).toEqual([]);
  });

  it.each(allPages)("%s names the command as it runs everywhere, if at all", (path) => {
    const verbs = commands.flatMap(({ name }) => name.split(" ")[1] ?? []).join("|");
    const short = new RegExp(String.raw`(?<![\w/.-])sandbox (?:${verbs})\b`);
    const lines = readFileSync(root + path, "utf8").split("\n");
    const named = lines.filter((line) => !line.startsWith("#") && line !== SET_UP && short.test(line));
    expect(named).toEqual([]);
  });
});

/** The README's own command, in a clone. */
const SET_UP = "npm ci && npx sandbox start";

it("texts outside of the command name it as it runs everywhere", async () => {
  const files = await readdir(`${root}src`, { recursive: true });
  const named = files
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("cli/") && !file.includes(".test."))
    .flatMap((file) => readFileSync(`${root}src/${file}`, "utf8").split("\n"))
    .filter((line) => /(?:\\?`|# +)sandbox [a-z]/.test(line) && !/^\s*(?:\/?\*|\/\/)/.test(line));
  expect(named).toEqual([]);
});

describe("docs/cli.md", () => {
  const page = `${root}docs/cli.md`;

  it("is the help of the commands; UPDATE_DOCS=1 writes it", async () => {
    const rendered = renderPage();
    if (process.env["UPDATE_DOCS"] === "1") await writeFile(page, rendered);
    expect(await readFile(page, "utf8")).toBe(rendered);
  });
});

function renderPage(): string {
  const [whole, ...verbs] = commands;
  const sections = verbs.map(({ name, help }) => `## ${name.replace("business-payments-", "")}\n\n${blockOf(help)}`);
  return `# The command line

<!-- Generated from src/cli. Run UPDATE_DOCS=1 npx vitest run test/docs to write it anew. -->

The output of \`npx business-payments-sandbox --help\` and \`npx business-payments-sandbox VERB --help\`. In a clone, help and errors say \`npx sandbox\`.
[Configuration](configuration.md) covers variables, the file, the log and exit codes.

${blockOf(whole?.help ?? "")}

${sections.join("\n\n")}
`;
}

function blockOf(help: string): string {
  return `\`\`\`text\n${help.trimEnd()}\n\`\`\``;
}
