import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Finished, runSandbox, runUntilListening, startSandbox, type StartedSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";

/** As imports spell it, minified or not. */
const SERVER = /["'](?:node:)?http2?["']/;
const dist = new URL("../../dist/", import.meta.url).href;

/** The text of each file of `dist/` that a run of the command loads. Node notes them for who wants to know what is covered. */
async function filesOf(run: (env: Readonly<Record<string, string>>) => Promise<Finished>): Promise<string[]> {
  const folder = await folderWith({});
  const { code, stderr } = await run({ NODE_V8_COVERAGE: folder });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const reports = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  const scripts = reports.flatMap((report): readonly { readonly url: string }[] => JSON.parse(report).result);
  const urls = new Set(scripts.map(({ url }) => url).filter((url) => url.startsWith(dist)));
  return Promise.all([...urls].map((url) => readFile(fileURLToPath(url), "utf8")));
}

describe("what a command loads", () => {
  it.each([["--help"], ["start", "--help"], ["help", "exec"], ["--version"], ["sign", "-"]])(
    "%s %s: no server",
    async (...args) => {
      const files = await filesOf((env) => runSandbox(args, { env }));
      expect(files.length).toBeGreaterThan(1);
      expect(files.filter((text) => SERVER.test(text))).toEqual([]);
    },
  );

  it("start: the server, in a handful of files, and not what few starts need", async () => {
    const files = await filesOf((env) => runUntilListening(["--port", "0"], { env }));
    expect(files.some((text) => SERVER.test(text))).toBe(true);
    expect(files.length).toBeLessThanOrEqual(6);
    const lazies = ["There is no snapshot", "tag:yaml.org,2002:", "UND_ERR_SOCKET", "signature-reprinted"];
    for (const lazy of [
      ...lazies,
      ZOD,
      "commander.unknownOption",
      "ipaddr: the address",
      "Unterminated character class",
    ])
      expect({ lazy, found: files.some((text) => text.includes(lazy)) }).toEqual({ lazy, found: false });
  });

  it("start and a read: of Node neither its fetch nor HTTP/2", async () => {
    const sandbox = await startSandbox([], { env: { NODE_OPTIONS: `--import ${tellingModules}` } });
    await (await fetch(`${sandbox.url}/v1/balance`, { headers })).arrayBuffer();
    expect(await sandbox.stop()).toBe(0);
    const modules = sandbox.stderr.split("\n");
    expect(modules).toContain("NativeModule http");
    for (const late of ["http2", "https", "internal/deps/undici/undici"])
      expect(modules).not.toContain(`NativeModule ${late}`);
  });

  it.each([
    ["a read", false, (url: string) => fetch(`${url}/v1/balance`, { headers })],
    ["what is checked", true, (url: string) => fetch(`${url}/v1/charges`, { method: "POST", headers, body: "{}" })],
  ])("%s: zod is loaded: %s", async (_, isLoaded, ask) => {
    const files = await filesOf((env) => runWhile(env, ({ url }) => ask(url)));
    expect(files.some((text) => text.includes(ZOD))).toBe(isLoaded);
  });
});

/** A module that says on stderr, at the end, which of its own modules Node has loaded. */
const tellingModules = `data:text/javascript,${encodeURIComponent(
  `process.on("exit", () => process.stderr.write(process.moduleLoadList.join("\\n")));`,
)}`;

/** What only that library says. */
const ZOD = "ZodError";
const headers = {
  authorization: "Bearer at_sandbox",
  "x-company-id": "company_sandbox",
  "content-type": "application/json",
};

async function runWhile(
  env: Readonly<Record<string, string>>,
  ask: (sandbox: StartedSandbox) => Promise<Response>,
): Promise<Finished> {
  const sandbox = await startSandbox([], { env });
  const answer = await ask(sandbox);
  expect([200, 400]).toContain(answer.status);
  await answer.arrayBuffer();
  return { code: await sandbox.stop(), stdout: "", stderr: sandbox.stderr };
}
