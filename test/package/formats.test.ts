import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { runInNewContext } from "node:vm";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VERSION } from "../../src/kernel/version.js";
import { installPackage } from "../support/install-package.js";
import { root } from "../support/markdown.js";
import { sign } from "../support/signature.js";

const run = promisify(execFile);
const tool = (path: string): string => join(root, "node_modules", path);

let project: string;

beforeAll(async () => {
  project = await installPackage();
  await symlink(tool("jest"), join(project, "node_modules/jest"));
});
afterAll(() => rm(project, { recursive: true, force: true }));

async function write(path: string, text: string): Promise<string> {
  const file = join(project, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

/** The output of a command, whether it passed or not. */
async function outputOf(args: readonly string[]): Promise<string> {
  const env = { PATH: process.env["PATH"] ?? "", NO_COLOR: "1" };
  const ended = await run(process.execPath, args, { cwd: project, env }).catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  return ended.stdout + ended.stderr;
}

it("attw finds no problem, in any way to resolve modules", async () => {
  const { stdout } = await run(process.execPath, [tool("@arethetypeswrong/cli/dist/index.js"), "--pack", "."], {
    cwd: root,
  });
  expect(stdout).toContain("No problems found");
});

describe("CommonJS", () => {
  const shop = `
const { createSandbox, UsageError } = require("business-payments-sandbox");
const { verifySignature } = require("business-payments-sandbox/webhooks");
`;

  it("a required library runs, and is the same code as the imported one", async () => {
    await write(
      "required.cjs",
      `${shop}
createSandbox({ profile: { customers: { unlisted: "generated" } } }).then(async (sandbox) => {
  const imported = await import("business-payments-sandbox");
  const checked = await sandbox.fetch("/v1/transactions/customers/check?msisdn=0700000099").then((answer) => answer.text());
  console.log(imported.UsageError === UsageError, imported.createSandbox === createSandbox, typeof verifySignature, checked);
  await sandbox.close();
});`,
    );
    expect(await outputOf(["required.cjs"])).toMatch(/^true true function .*firstName/);
  });

  it("a jest project without a flag and without ES modules passes", async () => {
    const suite = `${shop}
let sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ clock: "2026-01-15T09:00:00Z", profile: { customers: { unlisted: "generated" } } });
});
afterAll(() => sandbox.close());
test("drops a charge, replays a scenario, generates people", async () => {
  const order = { amount: 10000, externalId: "order-1", description: "Shoes", onCanceledRedirectionUrl: "https://shop.test/no", onCompletedRedirectionUrl: "https://shop.test/yes" };
  await sandbox.fetch("/v1/charges", { json: order });
  await sandbox.clock.advance("1h");
  const hook = await sandbox.webhooks.waitFor("charges/events");
  expect(hook.data.status).toBe("dropped");
  await sandbox.replay("node_modules/business-payments-sandbox/scenarios/charge-dropped.yaml");
  await expect(createSandbox({ clock: "tomorrow" })).rejects.toThrow(UsageError);
  const checked = await sandbox.fetch("/v1/transactions/customers/check?msisdn=0700000099");
  expect(await checked.text()).toMatch(/firstName/);
});
`;
    await write("jest-cjs/shop.test.js", suite);
    await write("jest-cjs/package.json", "{}");
    await write(
      "jest-cjs/jest.config.js",
      `module.exports = { watchman: false, transform: {}, setupFilesAfterEnv: ["business-payments-sandbox/jest"] };`,
    );
    const output = await outputOf(["node_modules/jest/bin/jest.js", "--rootDir", "jest-cjs"]);
    expect(output).toContain("Tests:       1 passed, 1 total");
  });

  it.each(["commonjs", "node16", "node18", "node20", "nodenext"])("types compile under module %s", async (module) => {
    await write("typed/package.json", "{}");
    await write(
      "typed/index.ts",
      `import { createSandbox, type Charge } from "business-payments-sandbox";
import { verifySignature, parseWebhook } from "business-payments-sandbox/webhooks";
import "business-payments-sandbox/jest";
export const isGenuine: boolean = verifySignature("{}", undefined, "secret");
export const opened = createSandbox().then(async (sandbox) => (await sandbox.fetch<Charge>("/v1/charges/1")).json());
export { parseWebhook };
`,
    );
    const resolution =
      module === "commonjs" ? "bundler" : module === "node18" || module === "node20" ? "node16" : module;
    const args = [
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "false",
      "--module",
      module,
      "--moduleResolution",
      resolution,
    ];
    const types = [
      "--typeRoots",
      tool("@types"),
      "--types",
      "node",
      "--target",
      "es2022",
      "--lib",
      "es2023,esnext.disposable",
    ];
    expect(await outputOf([tool("typescript/bin/tsc"), ...args, ...types, "typed/index.ts"])).toBe("");
  });
});

it("works under Yarn Plug'n'Play, imported, required and as a command", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sandbox-pnp-"));
  const yarn = async (...args: string[]) => {
    const { stdout } = await run(process.execPath, [tool("@yarnpkg/cli-dist/bin/yarn.js"), ...args], { cwd: folder });
    return stdout;
  };
  try {
    const { stdout: registry } = await run("npm", ["config", "get", "registry"], { cwd: root });
    const settings = { enableTelemetry: false, enableGlobalCache: false, npmRegistryServer: registry.trim() };
    await writeFile(join(folder, ".yarnrc.yml"), JSON.stringify(settings));
    await writeFile(join(folder, "package.json"), '{ "private": true }');
    await writeFile(join(folder, "yarn.lock"), "");
    await writeFile(join(folder, "required.cjs"), made.replace("IMPORT", "Promise.resolve(require(name))"));
    await writeFile(join(folder, "imported.mjs"), made.replace("IMPORT", "import(name)"));
    await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: root });
    await yarn("add", `./business-payments-sandbox-${VERSION}.tgz`);
    expect(await yarn("node", "required.cjs")).toContain("firstName");
    expect(await yarn("node", "imported.mjs")).toContain("firstName");
    expect(await yarn("sandbox", "--version")).toContain(VERSION);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Opens a sandbox that makes up a person, for which Faker is loaded. */
const made = `
const name = "business-payments-sandbox";
IMPORT.then(async ({ createSandbox }) => {
  const sandbox = await createSandbox({ profile: { customers: { unlisted: "generated" } } });
  const checked = await sandbox.fetch("/v1/transactions/customers/check?msisdn=0700000099");
  console.log(await checked.text());
  await sandbox.close();
});`;

describe("webhooks without Node", () => {
  const body = '{"topic":"charges/events","data":{"id":"1","externalId":"Koné","amount":1,"status":"paid"}}';

  it.each(["browser", "worker", "edge-light"])("verifies signatures under the condition %s", async (condition) => {
    const entry = await write(
      "browser.js",
      `export { parseWebhook, verifySignature } from "business-payments-sandbox/webhooks";`,
    );
    const { outputFiles } = await build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      platform: condition === "browser" ? "browser" : "neutral",
      conditions: [condition],
      format: "iife",
      globalName: "webhooks",
    });
    // Globals that every browser and worker has, and none of Node's.
    const globals = { TextEncoder, TextDecoder, btoa, Uint8Array, ArrayBuffer };
    const check = `webhooks.verifySignature(body, signature, secret) + " " + webhooks.verifySignature(body + " ", signature, secret) + " " +
      webhooks.verifySignature(body, signature.slice(1), secret) + " " + webhooks.verifySignature(bytes, signature, secret) + " " +
      webhooks.parseWebhook(bytes.buffer, signature, secret).data.externalId`;
    const given = {
      body,
      bytes: new TextEncoder().encode(body),
      signature: sign(body, "geheim é"),
      secret: "geheim é",
    };
    expect(runInNewContext(`${outputFiles[0]?.text}; ${check}`, { ...globals, ...given })).toBe(
      "true false false true Koné",
    );
  });
});
