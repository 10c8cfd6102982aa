import { describe, expect, it } from "vitest";
import { checkArchitecture, checkFolderSizes, formatViolations, type SourceFile } from "./architecture.js";

function check(sources: Record<string, string>): string {
  return formatViolations(checkArchitecture(Object.entries(sources).map(([path, text]) => ({ path, text }))));
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

describe("time and casts", () => {
  it.each([
    ["http/a.ts", "const now = new Date();", "wall time (Date())"],
    ["kernel/records/ids.ts", "const now = Date();", "wall time (Date())"],
    ["contract/a.ts", "const x = y as unknown as Charge;", "no `as unknown as` here"],
    ["http/api/a.ts", "const x = y as unknown as Charge;", "no `as unknown as` here"],
  ])("%s: %s", (path, text, rule) => {
    expect(check({ [path]: text })).toMatch(new RegExp(`^src/${path}:1 ${escapeRegExp(rule)}`));
  });

  it("are allowed in their own places", () => {
    expect(
      check({
        "kernel/time/system-clock.ts": "new Date();",
        "sandbox/a.ts": "const date = new Date(at); const x = y as unknown as Charge;",
      }),
    ).toBe("");
  });
});

describe("folders", () => {
  it("refuses folders that import each other, types included", () => {
    const files = {
      "http/api/a.ts": `import { b } from "../shared/b.js";`,
      "http/shared/b.ts": `export const b = 1;`,
      "http/shared/c.ts": `import type { A } from "../api/a.js";`,
    };
    expect(check(files)).toContain("src/http/api:1 folders import each other: http/api -> http/shared -> http/api");
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

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
