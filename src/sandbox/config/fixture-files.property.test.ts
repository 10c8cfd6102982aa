import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import fc, { runs } from "../../../test/support/fast-check.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { type LoadedFixtures, loadFixtureFiles } from "./load-files.js";
import type { FileDefaults } from "./set-up.js";

const START = Date.UTC(2026, 0, 15, 9);

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fixture-files-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function load(
  texts: string | readonly string[],
  defaults?: FileDefaults,
  at: number | undefined = START,
): Promise<LoadedFixtures> {
  const files = [texts].flat().map((text, index) => ({ file: join(folder, `${"abc"[index]}.yaml`), text }));
  for (const { file, text } of files) await writeFile(file, text);
  return loadFixtureFiles(
    files.map(({ file }) => file),
    at,
    defaults,
  );
}

/** The messages of a UsageError("file"), with the folder left out; none when all is well. */
async function problemsOf(texts: string | readonly string[], defaults?: FileDefaults): Promise<string[]> {
  try {
    await load(texts, defaults);
    return [];
  } catch (error) {
    if (!(error instanceof UsageError) || error.kind !== "file") throw error;
    return error.messages.map((message) => message.replaceAll(`${folder}/`, ""));
  }
}

it("any text is either fixtures or a list of problems with positions", async () => {
  const key = fc.constantFrom(
    "companies",
    "customers",
    "charges",
    "companyId",
    "msisdn",
    "generate",
    "amount",
    "status",
    "externalId",
    "metadata",
    "createdAt",
    "profile",
    "accessTokens",
    "__proto__",
    "refunded",
  );
  const word = fc.oneof(
    fc.constantFrom<unknown>(
      "paid",
      "due",
      "-1h",
      "0700000010",
      "a",
      1,
      -1,
      0.5,
      null,
      true,
      "2026-01-15",
      "refunded_partially",
    ),
    fc.string(),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "medium" },
      word,
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(key, tie("tree"), { maxKeys: 5 }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(key, tree, { maxKeys: 5 }), async (value) => {
      for (const problem of await problemsOf(JSON.stringify(value, null, 1)))
        expect(problem).toMatch(/^a\.yaml:\d+:\d+: \S/);
    }),
    { numRuns: runs(300) },
  );
});
