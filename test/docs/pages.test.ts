import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { operationIds, operationOf } from "../../src/contract/operations.js";
import { folderWith } from "../support/folder.js";
import { startLive } from "../support/live.js";
import { type Page, readPage, root } from "../support/markdown.js";
import { runShell } from "../support/shell.js";

const bashOf = (page: Page): string =>
  page.blocks
    .filter(({ language }) => language === "bash")
    .map(({ text }) => text)
    .join("\n");

describe("docs/clock-and-webhooks.md", () => {
  const page = readPage("docs/clock-and-webhooks.md");

  it("has lines that work, and a retry schedule as it says", { timeout: 60_000 }, async () => {
    const live = await startLive({ clock: "running" });
    const printed = await runShell(bashOf(page), { url: live.url });
    expect(printed).toContain("6Eb40vIkyMyC4iI2R5yWU4QlCbJL6JvmFswnDCqSd4E=");
    const exhausted = live.deliveries().filter(({ status }) => status === "exhausted");
    expect(exhausted.map(({ url: to, attempts }) => [to, attempts.length])).toContainEqual([
      "http://127.0.0.1:9/webhooks",
      6,
    ]);
    const [first, ...rest] = exhausted[0]?.attempts.map(({ at }) => at) ?? [];
    expect(rest.map((at) => (at - (first ?? 0)) / 1000)).toEqual([10, 70, 370, 2170, 9370]);
  });
});

describe("docs/profile.md", () => {
  it("has lines that work", { timeout: 60_000 }, async () => {
    const { url } = await startLive({ clock: "running" });
    const lines = readPage("docs/profile.md").blocks.filter(({ text }) => text.startsWith("curl "));
    expect(lines).toHaveLength(2);
    const printed = await runShell(lines.map(({ text }) => text).join("\n"), { url });
    expect(printed).toContain('"settlement":"manual"');
  });
});

describe("docs/audit.md", () => {
  it("has lines that work, and names the mistake of its example", { timeout: 60_000 }, async () => {
    const receiver = await startProgram("examples/audit/buggy-receiver.mjs");
    const cwd = await folderWith({});
    const script = bashOf(readPage("docs/audit.md"));
    const instead = { "http://127.0.0.1:4020/webhooks": receiver };
    const printed = await runShell(script, { url: "http://127.0.0.1:9", instead, cwd });
    expect(printed).toMatch(/^✗ signature-reprinted \(high\)/m);
    expect(printed).toContain("exit code 4");
    expect(printed.match(/^\d+ failed/gm)).toEqual(["1 failed"]);
    const [example] = readPage("docs/audit.md").blocks.filter(({ language }) => language === "json");
    const shown = JSON.parse(example?.text ?? "");
    const [printedJson = ""] = /^\{$.*?^\}$/ms.exec(printed) ?? [];
    const report = JSON.parse(printedJson);
    expect(Object.keys(shown)).toEqual(Object.keys(report));
    expect(Object.keys(shown.checks[0])).toEqual(Object.keys(report.checks[0]));
    expect(Object.keys(shown.checks[0].received)).toEqual(Object.keys(report.checks[0].received));
  });
});

describe("examples/curl/walkthrough.sh", () => {
  const walk = (url: string) => runShell("SANDBOX_URL=http://127.0.0.1:4010 examples/curl/walkthrough.sh", { url });

  it("calls every endpoint of the contract, and can be repeated", { timeout: 60_000 }, async () => {
    const { url } = await startLive({ clock: "running" });
    for (const _ of [1, 2]) {
      const printed = await walk(url);
      const titles = printed
        .match(/^\d+\. [A-Z]+ [^:]+(?::id[^:]*)?(?=:)/gm)
        ?.map((title) => title.replace(/^\d+\. /, ""));
      const endpoints = operationIds.map((id) => `${operationOf(id).method} ${operationOf(id).path}`);
      expect(titles?.sort()).toEqual(endpoints.sort());
      expect(printed).toContain('"statusCode":400');
    }
  });

  it("stops at the first call that fails", async () => {
    const { url } = await startLive({ profile: { charges: { payEndpoint: "absent" } } });
    await expect(walk(url)).rejects.toThrow(/\n8\. POST [^\n]+\n(?:curl: [^\n]+\n)?\{"statusCode":404,/);
  });
});

describe("examples/docker-compose", () => {
  it("has an app that follows its orders, as its README tells", { timeout: 60_000 }, async () => {
    const { url } = await startLive({ clock: "running" });
    const app = await startProgram("examples/docker-compose/app.mjs", { PAYMENTS_URL: url });
    const script = bashOf(readPage("examples/docker-compose/README.md"));
    const printed = await runShell(script, { url, instead: { "http://127.0.0.1:3000": app } });
    const [created = "", , orders = ""] = printed.trim().split("\n");
    const order = JSON.parse(created);
    expect(order).toEqual({ id: order.id, status: "created", paymentUrl: expect.stringContaining(url) });
    expect(JSON.parse(orders)).toEqual([{ ...order, status: "dropped" }]);
    const forged = await fetch(`${app}/webhooks`, {
      method: "POST",
      body: "{}",
      headers: { "x-service-hmac-sha256": "x" },
    });
    expect(forged.status).toBe(401);
  });
});

describe("every page", () => {
  const pages = ["README.md", "CONTRIBUTING.md", ...readdirSync(`${root}docs`).map((name) => `docs/${name}`)];

  it.each(pages)("%s has a block of bash only where a test runs it", (path) => {
    const executed = ["README.md", "docs/audit.md", "docs/control-api.md", "docs/clock-and-webhooks.md", "docs/coverage.md",
      "docs/fixtures.md", "docs/rules.md", "docs/testing.md"];
    if (!executed.includes(path)) expect(bashOf(readPage(path))).toBe("");
    else expect(bashOf(readPage(path))).not.toBe("");
  });
});

/** An example that listens on a free port, until the test ends. Resolves with its address. */
async function startProgram(file: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = spawn(process.execPath, [`${root}${file}`], {
    env: { ...env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  for await (const line of createInterface({ input: child.stdout })) return line.replace("listening on ", "");
  throw new Error(`${file} ended without saying that it listens.`);
}
