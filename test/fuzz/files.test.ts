import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseSource } from "../../src/adapters/files/source.js";
import { UsageError } from "../../src/kernel/messages/problem.js";
import {
  loadConfig,
  loadFixtureFiles,
  loadProfileFile,
  loadRuleFiles,
  validateFile,
} from "../../src/sandbox/config/load-files.js";
import { parseScenario } from "../../src/scenarios/file/parse-scenario.js";
import { folderWith } from "../support/folder.js";
import { runs } from "../support/fuzz.js";
import { hostileJson, hostileText, splice } from "../support/hostile.js";
import fc from "../support/fast-check.js";

const config = `port: 4010
clock: 2026-01-15T09:00:00Z
autoProvision: true
limits: { requests: 5, companies: 2 }
balance: 500000.5
adminToken: s3cret
profile: &p
  transfers: { settlement: { after: 1s }, fee: { rate: 0.01 } }
  charges: { ttl: 10m }
  webhooks: { retry: [1s, 2m], allow: [10.0.0.0/8, shop.test] }
companies:
  - companyId: company_a
    accessTokens: [one, { token: two, expiresAt: 2026-01-16T00:00:00Z }]
    profile: *p
    rules: [{ on: transfer, match: { amount: { $gt: 5 } }, then: { outcome: failed, reason: "no" }, times: 2 }]
`;
const profile = `charges:\n  ttl: 10m\nwebhooks:\n  retry: fast\nrateLimit: { requests: 10, per: 1s }\n`;
const shipped = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => readFileSync(join(folder, file), "utf8"));
const texts = [config, profile, ...shipped("fixtures"), ...shipped("scenarios")];

const words = [...new Set(texts.join("\n").match(/[A-Za-z$][\w.]*/g))];
const piece = fc.oneof(
  hostileText,
  fc.constantFrom(...words),
  fc.constantFrom(
    "\n",
    "  ",
    "\t",
    ":",
    "- ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "&a ",
    "*a",
    "*p",
    "!!js/function ",
    "!!binary ",
    "|\n",
    ">-\n",
    "---\n",
    "...\n",
    "%YAML 9.9\n",
    "<<: *p\n",
    "'",
    '"',
    "#",
    "@",
    "`",
    "\u0000",
    "\u0085",
  ),
);
const edited = fc
  .tuple(fc.constantFrom(...texts), fc.array(fc.tuple(fc.nat(), fc.nat(20), piece), { minLength: 1, maxLength: 6 }))
  .map(([text, edits]) => edits.reduce((changed, [at, length, put]) => splice(changed, at, length, put), text));
const nonsense = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
const json = hostileJson(words).map((value) => JSON.stringify(value));
const bombs = fc.oneof(
  fc.integer({ min: 1, max: 100_000 }).map((depth) => "[".repeat(depth)),
  fc
    .integer({ min: 1, max: 5_000 })
    .map((depth) => Array.from({ length: depth }, (_, at) => `${" ".repeat(at)}a:`).join("\n")),
  fc
    .integer({ min: 1, max: 30 })
    .map((levels) =>
      Array.from(
        { length: levels },
        (_, at) => `a${at}: &a${at} [${at === 0 ? "x" : Array.from({ length: 9 }, () => `*a${at - 1}`).join(",")}]`,
      ).join("\n"),
    ),
  fc.integer({ min: 1, max: 50_000 }).map((count) => Array.from({ length: count }, (_, at) => `k${at}: 0`).join("\n")),
);
const text = fc.oneof(
  { weight: 20, arbitrary: edited },
  { weight: 10, arbitrary: nonsense },
  { weight: 10, arbitrary: json },
);

/** The problems of a file are reported with their places, and nothing else fails. */
async function expectProblems(read: () => unknown, given: string): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { messages } = error;
    expect({ given, count: messages.length }).not.toEqual({ given, count: 0 });
    for (const message of messages) {
      if (/\n\s+at |node:internal|node_modules|got undefined|\[object/.test(message.replaceAll(/"[^]*"/g, '"…"')))
        expect({ given, message }).toEqual("a message without a trace of us");
      if (!/:\d+:\d+: \S|^… and \d+ more|^Failed to (?:read|validate) /.test(message))
        expect({ given, message }).toEqual("a message with its place, or about the whole file");
    }
  }
}

describe("a file", () => {
  it("of any kind is valid, or has problems", async () => {
    const folder = await folderWith({});
    const name = fc.constantFrom("sandbox.config.yaml", "profile.yaml", "fixtures.yaml", "scenario.yaml", "x.json");
    await fc.assert(
      fc.asyncProperty(name, text, async (file, given) => {
        const path = join(folder, file);
        await writeFile(path, given);
        await expectProblems(() => validateFile(path), given);
      }),
      runs(),
    );
  });

  it.each([
    ["a configuration", loadConfig],
    ["a profile", loadProfileFile],
    ["fixtures", (path: string) => loadFixtureFiles([path], 0)],
    ["rules", (path: string) => loadRuleFiles([path])],
  ])("that is loaded as %s is accepted, or has problems", async (_, load) => {
    const path = join(await folderWith({}), "file.yaml");
    await fc.assert(
      fc.asyncProperty(text, async (given) => {
        await writeFile(path, given);
        await expectProblems(() => load(path), given);
      }),
      runs(0.5),
    );
  });

  it("that is read as a scenario is accepted, or has problems", async () => {
    const noOther = (): Promise<never> => Promise.reject(new UsageError("file", "There is no other file here."));
    await fc.assert(
      fc.asyncProperty(text, (given) =>
        expectProblems(() => parseScenario(parseSource(given, "scenario.yaml"), noOther), given),
      ),
      runs(),
    );
  });

  it("that is a bomb is refused in time", async () => {
    const path = join(await folderWith({}), "sandbox.config.yaml");
    await fc.assert(
      fc.asyncProperty(bombs, async (given) => {
        await writeFile(path, given);
        await expectProblems(() => validateFile(path), given.slice(0, 100));
      }),
      runs(0.01),
    );
  });
});
