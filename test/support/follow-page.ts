import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import type { Block } from "./markdown.js";
import type { OpenPage } from "./open-page.js";
import { prepareShell, type ShellOptions } from "./shell.js";

/** The steps of a page, in order. Call it while tests are collected, since it takes the page's code. */
export function stepsOf(page: OpenPage): readonly Step[] {
  const taken = new Set([
    ...page.take("bash"),
    ...page.take("js", isFile),
    ...page.take("yaml", isFile),
    ...page.take("python", isFile),
  ]);
  return page.blocks.flatMap((block, index): readonly Step[] => {
    const name = fileName(block);
    if (name !== undefined && block.language === "diff") return [{ change: name, diff: block.text }];
    if (!taken.has(block)) return [];
    if (name !== undefined) return [{ file: name, text: `${block.text}\n` }];
    const next = page.blocks[index + 1];
    return [{ commands: block.text, shown: next?.language === "text" ? next.text : undefined }];
  });
}

/** A file to write, a change to a file, or commands with their output. An undefined output is not compared, but the commands must succeed. */
export type Step =
  | { readonly file: string; readonly text: string }
  | { readonly change: string; readonly diff: string }
  | { readonly commands: string; readonly shown: string | undefined };

/** Runs the steps in one folder and one bash, and compares the output with the page. */
export async function followSteps(
  steps: readonly Step[],
  options: ShellOptions & { readonly cwd: string },
): Promise<void> {
  const shell = openShell(options);
  try {
    for (const step of steps) {
      if ("file" in step) {
        await mkdir(dirname(join(options.cwd, step.file)), { recursive: true });
        await writeFile(join(options.cwd, step.file), shell.adapt(step.text));
      } else if ("change" in step) await applyDiff(join(options.cwd, step.change), step.diff);
      else {
        const { printed, code } = await shell.run(step.commands);
        if (step.shown !== undefined) expect(printed.trim(), step.commands).toMatch(patternOf(shell.adapt(step.shown)));
        else expect(code, `${step.commands}\n${printed}`).toBe(0);
      }
    }
  } finally {
    shell.close();
  }
}

/** `…` matches any text; alone on a line it matches any lines. */
export function patternOf(shown: string): RegExp {
  const lines = shown.trim().split("\n");
  const parts = lines.map((line) => {
    if (line.trim() === "…") return String.raw`(?:.*\n)*?`;
    const texts = line.split("…").map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    return String.raw`${texts.join(".*")}\n`;
  });
  // The printed text has no line end at its end.
  return new RegExp(
    `^${parts
      .join("")
      .replace(/\\n$/, "")
      .replace(/\(\?:\.\*\\n\)\*\?$/, "[^]*")}$`,
  );
}

/** `// shop.mjs`, `# sandbox.config.yaml` or `--- shop.mjs` in the first line. */
function fileName({ language, text }: Block): string | undefined {
  if (!["js", "yaml", "python", "diff"].includes(language)) return undefined;
  return /^(?:\/\/|#|---) ([\w./-]+\.\w+)$/m.exec(text.split("\n")[0] ?? "")?.[1];
}

function isFile(block: Block): boolean {
  return fileName(block) !== undefined;
}

/** A diff without line numbers: its lines with ` ` and `-` are replaced by those with ` ` and `+`. */
async function applyDiff(path: string, diff: string): Promise<void> {
  const lines = diff.split("\n").slice(1);
  const side = (sign: string): string =>
    lines
      .flatMap((line) => (line === "" || line.startsWith(" ") || line.startsWith(sign) ? `${line.slice(1)}\n` : ""))
      .join("");
  const before = await readFile(path, "utf8");
  expect(before.split(side("-"))).toHaveLength(2);
  await writeFile(
    path,
    before.replace(side("-"), () => side("+")),
  );
}

/** One bash that runs commands one after another, as in a terminal. */
function openShell(options: ShellOptions) {
  const { adapt, env, cwd, prelude } = prepareShell(options);
  const child = spawn("bash", [], { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  // As typed by hand: a plain curl, and failures do not end it.
  child.stdin.write(`${prelude}\nunset -f curl; set +e +u; exec 2>&1\n`);
  return {
    adapt,
    async run(commands: string): Promise<{ printed: string; code: number }> {
      child.stdin.write(`{\n${adapt(commands)}\n} </dev/null\nprintf '\\n${END}%d\\n' $?\n`);
      const printed: string[] = [];
      for (;;) {
        const { value, done } = await lines.next();
        if (done === true) throw new Error(`bash ended after it had printed:\n${printed.join("\n")}`);
        if (value.startsWith(END)) return { printed: printed.join("\n"), code: Number(value.slice(END.length)) };
        printed.push(value);
      }
    },
    close: () => void child.stdin.end(),
  };
}

const END = "=== over: ";
