import { execFile, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { sections, tabsOf } from "../../src/http/pages/dashboard/registry.js";
import { operationIds, operations } from "../../src/contract/operations.js";
import { signBody } from "../../src/domain/deliveries/sign-delivery.js";
import { folderWith } from "../support/folder.js";
import { startLive } from "../support/live.js";
import { allPages, readPage, root } from "../support/markdown.js";
import { openPage, shownLanguages, textOf } from "../support/open-page.js";
import { runShell } from "../support/shell.js";

describe("docs/clock-and-webhooks.md", () => {
  const page = openPage("docs/clock-and-webhooks.md");
  const commands = textOf(page.take("bash"));
  const receiver = textOf(page.take("js"));

  it("has commands that work, and the retry schedule that it describes", { timeout: 60_000 }, async () => {
    const live = await startLive({ clock: "running" });
    const printed = await runShell(commands, { url: live.url });
    expect(printed).toContain("6Eb40vIkyMyC4iI2R5yWU4QlCbJL6JvmFswnDCqSd4E=");
    const exhausted = live.deliveries().filter(({ status }) => status === "exhausted");
    expect(exhausted.map(({ url: to, attempts }) => [to, attempts.length])).toContainEqual([
      "http://127.0.0.1:9/webhooks",
      6,
    ]);
    const [first, ...rest] = exhausted[0]?.attempts.map(({ at }) => at) ?? [];
    expect(rest.map((at) => (at - (first ?? 0)) / 1000)).toEqual([10, 70, 370, 2170, 9370]);
  });

  it("has a check that accepts only correct signatures", async () => {
    const [body, secret] = ['{"topic":"charges/events"}', "secret_sandbox"];
    const right = signBody(Buffer.from(body), secret);
    const calls = [`"${right}"`, `"${right.toLowerCase()}"`, "undefined"].map(
      (given) => `isGenuine(rawBody, ${given})`,
    );
    const folder = await folderWith({
      "receiver.mjs": `${receiver}\nconst rawBody = '${body}';\nconsole.log(${calls.join(", ")});`,
    });
    const env = { SECRET_KEY: secret };
    const { stdout } = await promisify(execFile)(process.execPath, ["receiver.mjs"], { cwd: folder, env });
    expect(stdout).toBe("true false false\n");
  });
});

describe("docs/scale.md", () => {
  const commands = textOf(openPage("docs/scale.md").take("sh"));

  it("moves a company", { timeout: 60_000 }, async () => {
    const [source, target] = [await startLive(), await startLive()];
    await source.control("POST", "/companies", { companyId: "company_shop", balance: 7 });
    const instead = { "http://replica-0:4010": source.url, "http://replica-1:4010": target.url };
    await runShell(commands, { url: source.url, instead, cwd: await folderWith({}) });
    expect((await target.control("GET", "/balance?company=company_shop")).body).toMatchObject({ balance: 7 });
    expect((await source.control("POST", "/companies", { companyId: "company_shop" })).status).toBe(201);
  });
});

describe("docs/audit.md", () => {
  const page = openPage("docs/audit.md");
  const lines = textOf(page.take("bash"));
  page.leave("the same lines against a receiver of the reader's", "sh");
  for (const language of ["js", "python", "php"])
    page.leave("test/audit/languages.slow.test.ts audits receivers that are made of these snippets", language);

  it("has commands that work, and names the mistake of its example", { timeout: 60_000 }, async () => {
    const receiver = await startProgram("examples/audit/buggy-receiver.mjs");
    const instead = { "http://127.0.0.1:4020/webhooks": receiver };
    const printed = await runShell(lines, { url: "http://127.0.0.1:9", instead, cwd: await folderWith({}) });
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

describe("docs/dashboard.md", () => {
  const page = openPage("docs/dashboard.md");
  const lines = textOf(page.take("bash"));

  it("has commands that work", async () => {
    const live = await startLive();
    await runShell(lines, { url: live.url });
    expect(live.now()).toBe("2026-01-15T10:00:00.000Z");
  });

  it("names every section and its tabs", () => {
    const [table] = page.tables.filter(({ heading }) => heading === "What is on it");
    const named = (table?.rows ?? []).map(([section = "", tabs = ""]) => `${section}: ${tabs}`);
    const shown = sections.map(
      (section) =>
        `${section.title}: ${
          tabsOf(section).length === 1
            ? ""
            : tabsOf(section)
                .map(({ title }) => title)
                .join(", ")
        }`,
    );
    expect(named).toEqual(shown);
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
      const endpoints = operationIds.map((id) => `${operations[id].method} ${operations[id].path}`);
      expect(titles?.sort()).toEqual(endpoints.sort());
      expect(printed).toContain('"statusCode":400');
    }
  });

  it("stops at the first call that fails", async () => {
    const { url } = await startLive({ profile: { charges: { payEndpoint: "absent" } } });
    await expect(walk(url)).rejects.toThrow(/\n8\. POST [^\n]+\n(?:curl: [^\n]+\n)?\{"statusCode":404,/);
  });
});

describe("docs/payment-page.md", () => {
  const page = openPage("docs/payment-page.md");
  const lines = textOf(page.take("bash"));
  const [rules] = page.take("yaml");
  page.leave("test/browser/checkout.test.ts does the same in a real browser", "js");

  it("has commands that lead to the pages it names", { timeout: 60_000 }, async () => {
    const live = await startLive({ clock: "running" });
    const printed = (await runShell(lines, { url: live.url })).trim().split("\n").filter(Boolean);
    const [payment, ...led] = printed;
    expect(payment).toMatch(new RegExp(`^${live.url}/checkout/[\\da-f-]{36}$`));
    expect(led).toEqual([
      `303 to ${payment}?msisdn=%2B2250700000006`,
      "303 to https://shop.test/no",
      "303 to https://shop.test/yes",
    ]);
  });

  it("has valid rules", async () => {
    const live = await startLive();
    const given: unknown = parse(rules?.text ?? "");
    const answers = await Promise.all([given].flat().map(async (rule) => live.control("POST", "/rules", rule)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  });
});

describe("examples/docker-compose", () => {
  const page = openPage("examples/docker-compose/README.md");
  const script = textOf(page.take("bash"));
  page.leave("docker is needed; files-doc.test.ts looks into compose.yaml", "sh");

  it("has an app that follows its orders, as its README describes", { timeout: 60_000 }, async () => {
    const { url } = await startLive({ clock: "running" });
    const app = await startProgram("examples/docker-compose/app.mjs", { PAYMENTS_URL: url });
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

openPage("examples/scale-out/README.md").leave(
  "docker or a cluster is needed; test/cli/scale-out.slow.test.ts runs nginx.conf and resize.mjs",
  "sh",
);
openPage("examples/kubernetes/README.md").leave("a cluster is needed; test/package checks the file", "sh");
openPage("docs/performance.md").leave(".ci/run runs the short form; profiles are for developers", "sh");
openPage("CONTRIBUTING.md").leave("for developers; .ci/run and the suite itself run them", "sh");

describe("every page", () => {
  const tests = readdirSync(`${root}test/docs`).map((name) => readFileSync(`${root}test/docs/${name}`, "utf8"));
  const opened = tests.flatMap((text) => [...text.matchAll(/\bopenPage\("([^"]+)"\)/g)].map(([, path]) => path));

  it.each(allPages)("%s is opened by one test when it has code, so that its code is executed", (path) => {
    const hasCode = readPage(path).blocks.some(({ language }) => !shownLanguages.includes(language));
    expect(opened.filter((other) => other === path)).toHaveLength(hasCode ? 1 : 0);
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
  throw new Error(`${file} ended before it listened.`);
}
