import { execFile } from "node:child_process";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { parseSync } from "oxc-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPackage } from "../support/install-package.js";
import { VERSION } from "../../src/kernel/version.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

/** The package as a user gets it: packed from this tree and installed in an empty project elsewhere. */
describe("the packed package", () => {
  let project: string;
  let installed: string;

  beforeAll(async () => {
    project = await installPackage();
    installed = join(project, "node_modules/business-payments-sandbox");
  });

  afterAll(async () => {
    await rm(project, { recursive: true, force: true });
  });

  it("contains the program and its data, but no sources or tests", async () => {
    const files = await readdir(installed, { recursive: true, withFileTypes: true });
    const paths = files
      .filter((file) => file.isFile())
      .map((file) =>
        join(file.parentPath, file.name)
          .slice(installed.length + 1)
          .split(sep)
          .join("/"),
      );
    const known = [
      /^(?:package\.json|README(?:\.fr)?\.md|LICENSE|bin\/sandbox\.js)$/,
      /^dist\/(?:cli\.cjs|THIRD-PARTY-LICENSES\.txt|chunks\/[\w-]+\.cjs)$/,
      /^dist\/(?:index|webhooks|webhooks-browser|vitest|jest|node-test)\.c?js$/,
      /^dist\/(?:index|webhooks|vitest|jest|node-test|webhook-events-[\w-]+)\.d\.c?ts$/,
      /^(?:fixtures|scenarios)\/[\w/-]+\.yaml$/,
      /^schema\/(?:config|fixtures|profile|scenario|explore-report|vary-report|calibrate-report)\.schema\.json$/,
    ];
    expect(paths.filter((path) => !known.some((pattern) => pattern.test(path)))).toEqual([]);
    expect(paths).toEqual(
      expect.arrayContaining(["dist/cli.cjs", "dist/index.js", "dist/index.cjs", "dist/webhooks.js", "LICENSE"]),
    );
    const sizes = await Promise.all(paths.map(async (path) => (await stat(join(installed, path))).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3_000_000);
    expect(await readFile(join(installed, "dist/THIRD-PARTY-LICENSES.txt"), "utf8")).toMatch(/^hono \d/m);
  });

  it("runs nothing when it is installed", async () => {
    const { scripts } = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    const names = ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];
    expect(names.filter((name) => Object.hasOwn(scripts, name))).toEqual([]);
  });

  it("depends only on Faker", async () => {
    const packages = (await readdir(join(project, "node_modules"))).filter((name) => !name.startsWith("."));
    expect(packages.sort()).toEqual(["@faker-js", "business-payments-sandbox"]);
  });

  it.each(["sandbox", "business-payments-sandbox"])("runs as `npx %s`", async (command) => {
    const { stdout } = await run("npx", ["--no-install", command, "--version"], { cwd: project });
    expect(stdout.trim()).toBe(VERSION);
  });

  it.each(["Node16", "NodeNext", "Bundler"])(
    "has types for moduleResolution %s that need no package of ours",
    async (resolution) => {
      await writeFile(join(project, "program.ts"), program);
      const module = resolution === "Bundler" ? "ESNext" : resolution;
      // skipLibCheck off: a declaration that imports a bundled package would be an error in an installation.
      const libraries = [
        "--skipLibCheck",
        "false",
        "--typeRoots",
        join(root, "node_modules/@types"),
        "--types",
        "node",
      ];
      const language = [
        "--strict",
        "--exactOptionalPropertyTypes",
        "--target",
        "es2022",
        "--lib",
        "es2023,esnext.disposable",
      ];
      const options = ["--noEmit", "--module", module, "--moduleResolution", resolution, ...language, ...libraries];
      const tsc = join(root, "node_modules/typescript/bin/tsc");
      const { stdout } = await run(process.execPath, [tsc, ...options, "program.ts"], { cwd: project }).catch(
        (error: unknown) => error as { stdout: string },
      );
      expect(stdout).toBe("");
    },
  );

  it("works as a library", async () => {
    const { code } = await transform(program, { loader: "ts", target: "node20" });
    await writeFile(join(project, "program.js"), code);
    const limits = { timeout: 30_000, killSignal: "SIGKILL" } as const;
    const { stdout } = await run(process.execPath, ["program.js"], { cwd: project, ...limits });
    expect(stdout).toBe("order-1 was paid: genuine\npayout-1 completed, with a fee of 50\norder-2 was dropped\n");
  });

  it("verifies signatures with nothing but node:crypto", async () => {
    const [webhooks, ...others] = await staticImports(join(installed, "dist/webhooks.js"));
    expect(webhooks?.imports).toEqual(["node:crypto"]);
    expect(webhooks?.text).not.toMatch(/import\(|require/);
    expect(others).toEqual([]);
  });
});

/** An application and its test that use the package. */
const program = `
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Charge, createSandbox, type Sandbox, type WebhookEvent } from "business-payments-sandbox";
import { verifySignature } from "business-payments-sandbox/webhooks";

const sandbox: Sandbox = await createSandbox({
  clock: "2026-01-15T09:00:00Z",
  profile: { transfers: { settlement: { after: "1m" } } },
});

const heard: string[] = [];
const shop = createServer(async (request, response) => {
  let rawBody = "";
  for await (const chunk of request) rawBody += chunk;
  const isGenuine = verifySignature(rawBody, request.headers["x-service-hmac-sha256"], sandbox.secretKey);
  const event: WebhookEvent = JSON.parse(rawBody);
  if (event.topic === "charges/events")
    heard.push(event.data.externalId + " was " + event.data.status + (isGenuine ? ": genuine" : ": forged"));
  response.writeHead(200).end();
});
await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
const { port } = shop.address() as AddressInfo;

await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: "http://127.0.0.1:" + port } });
const order = (externalId: string) => ({
  amount: 10_000,
  externalId,
  description: "Shoes",
  onCanceledRedirectionUrl: "https://shop.test/no",
  onCompletedRedirectionUrl: "https://shop.test/yes",
});
const created = await sandbox.fetch<Charge>("/v1/charges", { json: order("order-1") });
const { id } = await created.json();
await sandbox.fetch("/v1/charges/" + id + "/pay", { method: "POST" });
await sandbox.webhooks.waitFor("charges/events", (event) => event.data.id === id);
console.log(heard.join());

const company = await sandbox.company({ balance: 50_000 });
await company.fetch("/v1/transactions", {
  json: { type: "transfer", amount: 5000, msisdn: "+2250700000001", reference: "payout-1" },
});
await company.clock.advance("1m");
const { data } = await company.webhooks.waitFor("transaction/completed");
console.log(data.reference + " " + data.status + ", with a fee of " + data.fee);
await company.close();

await sandbox.fetch("/v1/charges", { json: order("order-2") });
await sandbox.clock.advance("1h");
const dropped = await sandbox.webhooks.waitFor("charge/events", (event) => event.data.status === "dropped");
console.log(dropped.data.externalId + " was " + dropped.data.status);
await sandbox.close();
shop.close();
`;

interface Module {
  readonly text: string;
  /** The module's static imports. */
  readonly imports: readonly string[];
}

/** A module and everything that is loaded with it. */
async function staticImports(path: string, seen = new Map<string, Module>()): Promise<Module[]> {
  if (seen.has(path)) return [];
  const text = await readFile(path, "utf8");
  const imports = parseSync(path, text).module.staticImports.map(({ moduleRequest }) => moduleRequest.value);
  seen.set(path, { text, imports });
  for (const name of imports) if (name.startsWith(".")) await staticImports(join(dirname(path), name), seen);
  return [...seen.values()];
}
