import { spawnSync } from "node:child_process";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPackage } from "../support/install-package.js";
import { root } from "../support/markdown.js";

/** A suite whose tests pass. Variables decide what its client does. */
const suite = (imports: string, [before, after]: readonly [string, string]): string => `
${imports}
import { createSandbox } from "business-payments-sandbox";
const { RULE, ALLOW, PAYS } = process.env;
const lost = { name: "lost", on: "request", match: { path: "/v1/transactions" }, then: { fault: "reset", commit: true }, times: 1 };
let sandbox;
${before}(async () => {
  sandbox = await createSandbox({ rules: RULE ? [lost] : [], findings: { allow: ALLOW ? [ALLOW] : [] } });
});
${after}(() => sandbox.close());
const pay = (reference) =>
  fetch(sandbox.url + "/v1/transactions", {
    method: "POST",
    headers: { authorization: "Bearer " + sandbox.accessToken, "content-type": "application/json" },
    body: JSON.stringify({ type: "transfer", amount: 5000, msisdn: "+2250700000010", reference }),
  });
test("pays", async () => {
  if (PAYS === "once") await pay("payout-1").catch(() => pay("payout-1"));
  if (PAYS === "twice") await pay("payout-1").catch(() => pay("payout-2"));
  await sandbox.reset();
});
test("does nothing", () => {});
`;

/** A file of Vitest that makes a mistake at a sandbox of its own, which it leaves open. */
const OPEN = `
import { test } from "vitest";
import { createSandbox } from "business-payments-sandbox";
test("pays twice", async () => {
  const sandbox = await createSandbox({ clock: "frozen" });
  const transfer = { type: "transfer", amount: 5000, msisdn: "+2250700000010" };
  const pay = (reference) => sandbox.fetch("/v1/transactions", { json: { ...transfer, reference } });
  sandbox.rules.add({ on: "request", then: { fault: "reset", commit: true }, times: 1 });
  await pay("payout-1").catch(() => pay("payout-2"));
});`;

const files = {
  "vitest.config.js": `export default { test: { include: [(process.env.FOLDER ?? "vitest") + "/*.test.js"], setupFiles: ["business-payments-sandbox/vitest"], isolate: !process.env.SHARED, maxWorkers: 1 } };`,
  "vitest/a.test.js": suite(`import { afterAll, beforeAll, test } from "vitest";`, ["beforeAll", "afterAll"]),
  "vitest/b.test.js": suite(`import { afterAll, beforeAll, test } from "vitest";`, ["beforeAll", "afterAll"]),
  "vitest-shared/sandbox.js": `
    import { createSandbox } from "business-payments-sandbox";
    export const sandbox = await createSandbox();
    const transfer = { type: "transfer", amount: 5000, msisdn: "+2250700000010" };
    const pay = (reference) => sandbox.fetch("/v1/transactions", { json: { ...transfer, reference } });
    /** Pays twice, but only for the second file that calls it. */
    export async function work() {
      globalThis.files = (globalThis.files ?? 0) + 1;
      if (globalThis.files !== 2) return;
      sandbox.rules.add({ on: "request", then: { fault: "reset", commit: true }, times: 1 });
      await pay("payout-1").catch(() => pay("payout-2"));
    }`,
  "vitest-shared/a.test.js": `import { test } from "vitest"; import { work } from "./sandbox.js"; test("works", work);`,
  "vitest-shared/b.test.js": `import { test } from "vitest"; import { work } from "./sandbox.js"; test("works", work);`,
  "vitest-shared/c.test.js": `import { test } from "vitest"; import { work } from "./sandbox.js"; test("works", work);`,
  "vitest-open/a.test.js": OPEN,
  "vitest-open/b.test.js": OPEN,
  "jest.config.js": `export default { testMatch: ["**/jest/*.test.js"], transform: {}, watchman: false, setupFilesAfterEnv: ["business-payments-sandbox/jest"] };`,
  "jest/a.test.js": suite("", ["beforeAll", "afterAll"]),
  "jest/b.test.js": suite("", ["beforeAll", "afterAll"]),
  "node/a.test.js": suite(`import { after, before, test } from "node:test";`, ["before", "after"]),
  "node/b.test.js": suite(`import { after, before, test } from "node:test";`, ["before", "after"]),
};

const runners = {
  vitest: ["node_modules/vitest/vitest.mjs", "run"],
  "vitest without isolation": ["node_modules/vitest/vitest.mjs", "run"],
  jest: ["--experimental-vm-modules", "node_modules/jest/bin/jest.js", "--runInBand"],
  "node:test": ["--import", "business-payments-sandbox/node-test", "--test", "node/"],
};

let project: string;

beforeAll(async () => {
  project = await installPackage();
  for (const runner of ["vitest", "jest"])
    await symlink(join(root, "node_modules", runner), join(project, "node_modules", runner));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), text);
  }
});

afterAll(() => rm(project, { recursive: true, force: true }));

describe.each(Object.entries(runners))("the setup file with %s", (name, args) => {
  /** Both files of the suite do the same. */
  function run(variables: Readonly<Record<string, string>>) {
    const shared = name === "vitest without isolation" ? { SHARED: "1" } : {};
    const env = { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", ...shared, ...variables };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: project, env, encoding: "utf8" });
    return { status, output: stdout + stderr };
  }

  it("passes a suite without findings, whose rules fired", () => {
    const { status, output } = run({ RULE: "1", PAYS: "once" });
    expect(status, output).toBe(0);
  });

  it("fails each file with a finding, although a reset came after it", () => {
    const { status, output } = run({ RULE: "1", PAYS: "twice" });
    expect(status, output).toBe(1);
    expect(output).toContain("critical: double-payout");
    expect(output).toContain("The sandbox has 1 finding.");
    expect(output).toMatch(/fix: .*same reference/);
    expect(failedFiles(output)).toBe(2);
  });

  it("passes expected findings", () => {
    const { status, output } = run({ RULE: "1", PAYS: "twice", ALLOW: "double-payout:payout-1" });
    expect(status, output).toBe(0);
  });

  it("fails each file with a rule that never fired", () => {
    const { status, output } = run({ RULE: "1" });
    expect(status, output).toBe(1);
    expect(output).toContain('The rule "lost" never fired.');
    expect(failedFiles(output)).toBe(2);
  });
});

describe("the setup file with Vitest without isolation", () => {
  function run(folder: string) {
    const env = { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", SHARED: "1", FOLDER: folder };
    const { status, stdout, stderr } = spawnSync(process.execPath, runners.vitest, {
      cwd: project,
      env,
      encoding: "utf8",
    });
    return { status, output: stdout + stderr };
  }

  it("fails the file that makes a mistake at the sandbox of an earlier one", () => {
    const { status, output } = run("vitest-shared");
    expect([status, failedFiles(output)], output).toEqual([1, 1]);
    expect(output).toContain("critical: double-payout");
  });

  it("fails each file, although an earlier one left its sandbox open with the same finding", () => {
    const { status, output } = run("vitest-open");
    expect([status, failedFiles(output)], output).toEqual([1, 2]);
  });
});

/** How many files each runner says have failed. Their tests have passed. */
function failedFiles(output: string): number {
  const counted = /Test Files\s+(\d+) failed/.exec(output) ?? /Test Suites: (\d+) failed/.exec(output);
  return Number((counted ?? /^[#ℹ] fail (\d+)/m.exec(output))?.[1]);
}
