import { describe, expect, it } from "vitest";
import { checkArchitecture, checkFolderSizes, checkLength, formatViolations, type SourceFile } from "./architecture.js";
import { findCycles } from "./cycles.js";

function check(sources: Record<string, string>): string {
  return formatViolations(checkArchitecture(Object.entries(sources).map(([path, text]) => ({ path, text }))), "src/");
}

describe("rings", () => {
  it.each([
    ["kernel/a.ts", `import { b } from "../domain/b.js";`, "kernel may not import domain (domain/b.ts)"],
    ["domain/a.ts", `import type { B } from "../http/b.js";`, "domain may not import http (http/b.ts)"],
    ["domain/a.ts", `export { b } from "../sandbox/b.js";`, "domain may not import sandbox (sandbox/b.ts)"],
    ["domain/a.ts", `type B = import("../cli/b.js").B;`, "domain may not import cli (cli/b.ts)"],
    ["adapters/a.ts", `export * from "../sandbox/b.js";`, "adapters may not import sandbox (sandbox/b.ts)"],
    ["sandbox/a.ts", `const b = await import("../http/b.js");`, "sandbox may not import http (http/b.ts)"],
    ["scenarios/a.ts", `import { b } from "../http/b.js";`, "scenarios may not import http (http/b.ts)"],
    ["cli/a.ts", `import { b } from "../library/b.js";`, "cli may not import library (library/b.ts)"],
    ["audit/a.ts", `import { b } from "../http/b.js";`, "audit may not import http (http/b.ts)"],
    ["cli/a.ts", `import { createSandbox } from "../index.js";`, "nothing inside imports index.ts"],
    ["cli/a.ts", `import { verifySignature } from "../webhooks.js";`, "nothing inside imports webhooks.ts"],
    ["cli/a.ts", `import "business-payments-sandbox";`, "src/ does not import its own package by name"],
    ["http/a.ts", `import b from "../../fixtures/b.json" with { type: "json" };`, "fixtures/b.json lies outside src/"],
    ["helpers.ts", "export {};", "only index.ts, webhooks.ts, vitest.ts, jest.ts, node-test.ts are at the top of src/"],
    ["utils/a.ts", "export {};", "src/utils/ is not a ring"],
    ["domain/charges/index.ts", "export {};", "no barrels"],
  ])("%s: %s", (path, text, rule) => {
    expect(check({ [path]: `// first\n${text}\n` })).toMatch(new RegExp(`^src/${path}:[12] ${escapeRegExp(rule)}`));
  });

  it("let each ring import the rings above it, and entry files anything", () => {
    expect(
      check({
        "kernel/a.ts": `import { b } from "./b.js";`,
        "kernel/version.ts": `import manifest from "../../package.json" with { type: "json" };`,
        "domain/charges/a.ts": `import { a } from "../../kernel/a.js"; import { b } from "../customers/b.js";`,
        "http/a.tsx": `import { a } from "../sandbox/a.js"; import { Hono } from "hono";`,
        "cli/a.ts": `import { a } from "../http/a.js"; import { b } from "../audit/b.js";`,
        "index.ts": `export { a } from "./http/a.js"; export { VERSION } from "./kernel/version.js";`,
        "kernel/a.test.ts": `import { a } from "../cli/a.js"; setTimeout(() => console.log(Math.random()), Date.now());`,
      }),
    ).toBe("");
  });

  it("report the line of the import, and ignore comments and strings", () => {
    const text = `/* import "../cli/a.js" */\nconst text = 'import "../cli/a.js"';\n// Date.now()\nimport {\n  b,\n} from "../cli/b.js";`;
    expect(check({ "domain/a.ts": text })).toBe("src/domain/a.ts:4 domain may not import cli (cli/b.ts)");
  });
});

describe("packages", () => {
  it.each([
    ["kernel/a.ts", "hono"],
    ["kernel/a.ts", "undici"],
    ["kernel/a.ts", "lowdb/node", "lowdb"],
    ["domain/a.ts", "hono/http-exception", "hono"],
    ["domain/a.ts", "node:fs/promises", "node:fs"],
    ["domain/a.ts", "node:http"],
    ["domain/a.ts", "commander"],
    ["sandbox/a.ts", "@hono/node-server/serve-static", "@hono/node-server"],
  ])("%s may not import %s", (path, specifier, named = specifier) => {
    const ring = path.split("/")[0] ?? "";
    expect(check({ [path]: `import type { X } from "${specifier}";` })).toBe(
      `src/${path}:1 ${ring} may not import ${named}`,
    );
  });
});

describe("time, randomness and the machine", () => {
  it.each([
    ["http/a.ts", "const now = Date.now();", "wall time (Date.now)"],
    ["http/a.ts", "const now = Date?.now();", "wall time (Date.now)"],
    ["http/a.ts", `const now = Date["now"]();`, "wall time (Date.now)"],
    ["http/a.ts", "const now = new Date();", "wall time (new Date())"],
    ["http/a.ts", "const now = Date();", "wall time (Date())"],
    ["http/a.ts", "const now = performance.now();", "wall time (performance.now)"],
    ["http/a.ts", "const now = process.hrtime.bigint();", "wall time (process.hrtime)"],
    ["http/a.ts", "setTimeout(() => {}, 1);", "wall time (setTimeout)"],
    ["http/a.ts", "const timers = { set: setInterval };", "wall time (setInterval)"],
    ["http/a.ts", "globalThis.setImmediate(() => {});", "wall time (globalThis.setImmediate)"],
    ["http/a.ts", `import { setTimeout as wait } from "node:timers/promises";`, "wall time (node:timers/promises)"],
    ["kernel/a.ts", "const now = Date.now();", "wall time (Date.now)"],
    ["kernel/records/ids.ts", "const now = Date.now();", "wall time (Date.now)"],
    ["http/a.ts", "const x = Math.random();", "randomness (Math.random)"],
    ["http/a.ts", "const x = crypto.randomUUID();", "randomness (crypto.randomUUID)"],
    ["http/a.ts", `import { randomBytes } from "node:crypto";`, "randomness (node:crypto)"],
    ["http/a.ts", `import { nanoid } from "nanoid";`, "randomness (nanoid)"],
    ["kernel/time/system-clock.ts", "const x = Math.random();", "randomness (Math.random)"],
    ["http/a.ts", "const x = process.env.HOME;", "process.env is read in cli/ only"],
    ["http/a.ts", `import { env } from "node:process";`, "process.env is read in cli/ only"],
    ["http/a.ts", "console.log(1);", "console is written in cli/ only"],
    ["domain/a.ts", "process.nextTick(() => {});", "the domain does not know the process"],
    ["domain/a.ts", `import process from "node:process";`, "the domain does not know the process"],
    ["domain/a.ts", "const x = y as any;", "no `as any` here"],
    ["contract/a.ts", "const x = y as unknown as Charge;", "no `as unknown as` here"],
    ["http/api/a.ts", "const x = y as unknown as Charge;", "no `as unknown as` here"],
  ])("%s: %s", (path, text, rule) => {
    expect(check({ [path]: text })).toMatch(new RegExp(`^src/${path}:1 ${escapeRegExp(rule)}`));
  });

  it("are allowed in their own places, and similar names anywhere", () => {
    expect(
      check({
        "kernel/time/system-clock.ts":
          "export const now = () => Date.now() + performance.now(); setTimeout(now, 1); new Date();",
        "kernel/records/ids.ts": `import { randomBytes } from "node:crypto"; import { customAlphabet } from "nanoid"; export const x = Math.random() + randomBytes(1)[0]; export const id = crypto.randomUUID();`,
        "cli/a.ts": "console.log(process.env.HOME, process.argv);",
        "http/a.ts": `import { createHmac, timingSafeEqual } from "node:crypto"; const x = y as unknown as Charge;`,
        "sandbox/a.ts":
          "clock.setTimeout(1); const date = new Date(at); type T = ReturnType<typeof setTimeout>; interface I { setTimeout(): void }",
        "domain/a.ts": "const x = { process: 1, status: y as Status }; x.process; date.now();",
      }),
    ).toBe("");
  });
});

describe("cycles", () => {
  it("refuses a cycle of values anywhere", () => {
    const text = check({
      "http/a.ts": `import { b } from "./b.js";`,
      "http/b.tsx": `\nconst c = await import("./c.js");`,
      "http/c.ts": `export { a } from "./a.js";`,
    });
    expect(text).toBe("src/http/a.ts:1 import cycle: http/a.ts -> http/b.tsx -> http/c.ts -> http/a.ts");
  });

  it("refuses a cycle of types in kernel/ and domain/ only", () => {
    const two = (ring: string): Record<string, string> => ({
      [`${ring}/a.ts`]: `import { b } from "./b.js";`,
      [`${ring}/b.ts`]: `import type { A } from "./a.js";`,
    });
    expect(check(two("http"))).toBe("");
    expect(check(two("kernel"))).toBe("src/kernel/a.ts:1 type import cycle: kernel/a.ts -> kernel/b.ts -> kernel/a.ts");
    expect(check(two("domain"))).toContain("src/domain/a.ts:1 type import cycle");
  });

  it("finds one shortest cycle in each group of cycles, and none in a tree", () => {
    const graph = { a: ["b"], b: ["c", "d"], c: ["a"], d: ["c"], e: ["e"], f: ["a"] };
    expect(findCycles(new Map(Object.entries(graph)))).toEqual([
      ["a", "b", "c", "a"],
      ["d", "c", "a", "b", "d"],
      ["e", "e"],
    ]);
    expect(
      findCycles(
        new Map([
          ["a", ["b", "c"]],
          ["b", ["c"]],
          ["c", []],
        ]),
      ),
    ).toEqual([]);
  });
});

describe("folders", () => {
  it("refuses folders that import each other, types included", () => {
    const files = {
      "http/api/a.ts": `import { b } from "../shared/b.js";`,
      "http/shared/b.ts": `export const b = 1;`,
      "http/shared/c.ts": `import type { A } from "../api/a.js";`,
    };
    expect(check(files)).toBe("src/http/api/a.ts:1 folders import each other: http/api -> http/shared -> http/api");
    expect(check({ ...files, "http/shared/c.ts": "" })).toBe("");
  });

  it("requires 4 to 15 files in a folder, and permits fewer only beside folders", () => {
    const folder = (name: string, count: number): SourceFile[] =>
      Array.from({ length: count }, (_, index) => ({ path: `${name}/f${index}.ts`, text: "" }));
    expect(checkFolderSizes([...folder("http/api", 4), ...folder("cli", 15), ...folder("http", 1)])).toEqual([]);
    const wrong = checkFolderSizes([...folder("http/api", 3), ...folder("cli", 16)]);
    expect(wrong.map(({ path }) => path)).toEqual(["http/api", "cli"]);
  });
});

describe("state in modules", () => {
  it.each(["let count = 0;", "export const cache = new Map();", "const seen = [];", "const ids = new WeakSet();"])(
    "refuses %s",
    (text) => expect(check({ "http/a.ts": text })).toContain("src/http/a.ts:1 state in a module"),
  );

  it.each(["const count = 0;", 'const words = new Set(["a"]);', "const none: readonly string[] = [];"])(
    "allows %s",
    (text) => expect(check({ "http/a.ts": text })).toBe(""),
  );
});

describe("length", () => {
  const lines = (count: number): string => "\n".repeat(count);

  it("is 450 lines for a source and 600 for a test", () => {
    expect(check({ "http/a.ts": lines(450), "http/a.test.ts": lines(600) })).toBe("");
    expect(check({ "http/a.ts": lines(451) })).toBe("src/http/a.ts:451 a file of 451 lines; 450 is the most");
    expect(check({ "http/a.test.ts": lines(601) })).toContain("src/http/a.test.ts:601 a file of 601 lines");
    expect(checkLength([{ path: "test/support/a.ts", text: lines(600) }])).toEqual([]);
  });
});

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
