import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Finished, runSandbox, runUntilListening } from "../support/cli.js";
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

  it("start: the server, in a dozen files, and not what few starts need", async () => {
    const files = await filesOf((env) => runUntilListening(["--port", "0"], { env }));
    expect(files.some((text) => SERVER.test(text))).toBe(true);
    expect(files.length).toBeLessThanOrEqual(14);
    for (const lazy of ["There is no snapshot", "tag:yaml.org,2002:", "UND_ERR_SOCKET", "signature-reprinted"])
      expect({ lazy, found: files.some((text) => text.includes(lazy)) }).toEqual({ lazy, found: false });
  });
});
