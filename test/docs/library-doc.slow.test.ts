import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { describe, expect, it } from "vitest";
import { folderWith } from "../support/folder.js";
import { patternOf } from "../support/follow-page.js";
import { startLive } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import { root } from "../support/markdown.js";
import { openPage, textOf } from "../support/open-page.js";
import { runShell } from "../support/shell.js";

const library = openPage("docs/library.md");
const testing = openPage("docs/testing.md");

const run = promisify(execFile);
/** TypeScript of the documentation: file name → text. */
const program = { "program.ts": textOf(library.take("ts")) };
const inReadme = /```ts\n([^]*?)```/.exec(readFileSync(`${root}README.md`, "utf8"))?.[1] ?? "";
const README_IMPORTS = `
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSandbox } from "business-payments-sandbox";
import { createPayments } from "./payments.js";
import { openShop } from "./shop.js";
`;
const readmeTest = { "readme.test.ts": README_IMPORTS + inReadme };
const tests = Object.fromEntries(testing.take("ts").map(({ text }, index) => [`page-${index + 1}.test.ts`, text]));
const shop = Object.fromEntries(
  ["payments.ts", "shop.ts"].map((name) => [name, readFileSync(`${root}examples/vitest/${name}`, "utf8")]),
);

/** A project that has installed the package: these files as JavaScript. */
async function projectWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await folderWith({ "package.json": '{ "type": "module" }' });
  for (const [name, text] of Object.entries(files)) {
    const { code } = await transform(text, { loader: "ts", target: "node20" });
    await writeFile(join(folder, name.replace(/\.ts$/, ".js")), code);
  }
  await mkdir(join(folder, "node_modules"));
  await symlink(root, join(folder, "node_modules/business-payments-sandbox"));
  return folder;
}

it("TypeScript of the pages, and of the examples beside each function, compiles", { timeout: 60_000 }, async () => {
  expect(examples.length).toBeGreaterThan(10);
  const folder = await folderWith({
    ...program,
    ...tests,
    ...readmeTest,
    ...shop,
    "examples.ts":
      EXAMPLE_SCOPE + examples.map((text, index) => `export async function example${index}() {\n${text}}\n`).join(""),
    "package.json": '{ "type": "module" }',
    "tsconfig.json": JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: { typeRoots: [join(root, "node_modules/@types")], noUnusedLocals: false },
      include: ["*.ts", join(root, "src/raw.d.ts")],
    }),
  });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [tsc, "--project", folder]).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(stdout).toBe("");
});

describe("docs/library.md", { timeout: 60_000 }, () => {
  it("is a program that prints the message that the page shows", async () => {
    const folder = await projectWith(program);
    const { stdout } = await run(process.execPath, [join(folder, "program.js")], { cwd: root });
    const shown = library.blocks.find(({ language }) => language === "text");
    expect(stdout.trim()).toMatch(patternOf(shown?.text ?? ""));
  });

  it.each([
    ["SandboxOptions", "sandbox-options.ts", "Options"],
    ["AuditOptions", "audit.ts", "Audit a receiver"],
  ])("has every option of %s", (type, file, heading) => {
    const source = readFileSync(`${root}src/library/${file}`, "utf8");
    const [, options = ""] = source.split(`export interface ${type}`);
    const names = [...options.matchAll(/^ {2}readonly (\w+)\?/gm)].map(([, name]) => name);
    expect(names).not.toEqual([]);
    const rows = library.tables.find((table) => table.heading === heading)?.rows ?? [];
    expect(new Set(rows.map(([name]) => name?.replaceAll("`", "")))).toEqual(new Set(names));
  });
});

it("the README's test passes", { timeout: 60_000 }, async () => {
  const folder = await projectWith({ ...readmeTest, ...shop });
  const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap", "readme.test.js"], { cwd: folder });
  expect(stdout).toMatch(/^# pass 1$/m);
});

describe("docs/testing.md", { timeout: 60_000 }, () => {
  const withSandbox = testing.take("bash", ({ text }) => text.includes("api.sh"));
  const withExec = testing.take("bash", ({ text }) => text.includes("npx business-payments-sandbox exec"));

  it("has test files that pass", async () => {
    const folder = await projectWith({ ...tests, ...shop });
    const names = Object.keys(tests).map((name) => name.replace(/\.ts$/, ".js"));
    const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap", ...names], { cwd: folder });
    expect(stdout).toMatch(/^# fail 0$/m);
    for (const title of ["is shipped once it is paid", "after one hour", "3 h pass"])
      expect(stdout).toMatch(new RegExp(`ok \\d+ - .*${title}`));
  });

  it("has lines that work against a sandbox", async () => {
    const { url } = await startLive();
    const receiver = await startReceiver();
    const printed = await runShell(textOf(withSandbox), { url, instead: { "http://127.0.0.1:4020": receiver.origin } });
    expect(printed).toContain('"status":"succeeded"');
    expect(printed).toContain('"settled":true');
  });

  it("has commands that start their own sandbox", async () => {
    const cwd = await folderWith({});
    const printed = await runShell(textOf(withExec), { url: "http://127.0.0.1:4010", cwd });
    expect(printed.match(/\{"balance":10000000,"currency":"XOF"\}/g)).toHaveLength(2);
    expect(printed).toContain('"firedCount":0');
    expect(printed).toContain('"requests": 0');
  });
});

/** The examples in the documentation of each function. */
const examples = ["src/webhooks.ts", ...readdirSync(`${root}src/library`).map((name) => `src/library/${name}`)].flatMap(
  (path) =>
    [...readFileSync(root + path, "utf8").matchAll(/^(?: *\* )?```ts\n([^]*?)^(?: *\* )?```$/gm)].map(
      ([, block = ""]) =>
        block
          .replaceAll(/^ *\* ?/gm, "")
          // Examples are compiled inside functions, which cannot have import statements.
          .replaceAll(/^import (\{.+\}) from (".+");$/gm, "const $1 = await import($2);"),
    ),
);

/** The names that an example assumes. */
const EXAMPLE_SCOPE = `
import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, beforeEach } from "node:test";
import { audit, calibrate, createSandbox, explore, type Sandbox, type Transaction, vary, type WebhookEvent } from "business-payments-sandbox";
import { parseWebhook, verifySignature } from "business-payments-sandbox/webhooks";
declare const sandbox: Sandbox;
declare const request: IncomingMessage;
declare const response: ServerResponse;
declare const rawBody: string;
declare function paySalaries(url: string, token: string): Promise<void>;
`;
