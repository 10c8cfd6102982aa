import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DEFAULT_COMPANY } from "../../src/sandbox/config/options.js";
import { startSandbox } from "../support/cli.js";
import { followSteps, stepsOf } from "../support/follow-page.js";
import { allPages, root } from "../support/markdown.js";
import { openPage } from "../support/open-page.js";
import { type ReceivedRequest, type ReplyTo, startReceiver } from "../support/receiver.js";
import { acceptedProfile } from "../support/profiles.js";
import { runShell } from "../support/shell.js";
import { startShop } from "../support/shop.js";
import { type NumberBehaviour, type TestNumberRole, numberBehaviours } from "../../src/domain/accounts/test-numbers.js";

const page = openPage("README.md");
const [subscribeAndCharge, skipAnHour, lookAtDelivery, redeliver, ...others] = page
  .take("bash", ({ heading }) => heading === "The second, with a webhook")
  .map(({ text }) => text);
const firstBug = stepsOf(page);
const aside = page.take("sh").map(({ text }) => text);
page.leave("library-doc.test.ts compiles it among the examples of the library", "ts");
const shown = (language: string): string => page.blocks.find((block) => block.language === language)?.text ?? "";

describe("the README", () => {
  it("begins with the two commands, and names no others", () => {
    expect(aside).toEqual([
      "npm ci && npx business-payments-sandbox start",
      "npm cit",
      "node examples/first-bug/buggy-receiver.mjs",
      expect.stringMatching(/^npm pack\s.*\nnpm install .*\nnpx business-payments-sandbox start$/),
    ]);
  });

  it("catches a bug with one command, within two screens", { timeout: 60_000 }, async () => {
    const [before = ""] = readFileSync(`${root}README.md`, "utf8").split("\n## The second");
    expect(before.split("\n").length).toBeLessThan(100);
    expect(firstBug).toHaveLength(2);
    await followSteps(firstBug, { url: "http://127.0.0.1:4010", cwd: root });
  });

  it("has commands that print what it shows", { timeout: 60_000 }, async () => {
    const sandbox = await startSandbox();
    const shop = await startShop("buggy-receiver.mjs");
    const line = await startReceiver(forwardTo(() => current.url));
    let current = shop;
    const run = (commands = ""): Promise<string> =>
      runShell(commands, { url: sandbox.url, instead: { "http://127.0.0.1:4020/webhooks": line.url } });
    expect(others).toEqual([]);

    expect(await run(subscribeAndCharge)).toContain('"status":"created"');
    expect(await run(skipAnHour)).toContain("webhooks: 1 attempted, 1 succeeded, 0 failed");
    expect(await shop.nextLine()).toBe(spokenLine("basket-1", 0));
    const record = await run(lookAtDelivery);
    for (const part of shown("").split(" … ")) expect(record).toContain(part);

    current = await startShop("receiver.mjs");
    await run(redeliver);
    expect(await current.nextLine()).toBe(spokenLine("basket-1", 1));
    expect(await sandbox.stop()).toBe(0);
  });

  it("links to every page of docs/", () => {
    const linked = page.links.map((link) => link.replace(/#.*/, ""));
    expect(allPages.filter((path) => path.startsWith("docs/") && !linked.includes(path))).toEqual([]);
  });

  it("shows the one line that differs between the shops", () => {
    const [before, after] = ["buggy-receiver.mjs", "receiver.mjs"].map((file) => codeOf(file));
    const [added] = shown("diff")
      .split("\n")
      .filter((text) => text.startsWith("+"));
    const line = `${added?.slice(1)}\n`;
    expect(after).toContain(line);
    expect(after?.replace(line, "")).toBe(before);
  });

  it("names what the sandbox starts with", () => {
    const values = page.tables.find(({ header }) => header[0] === "What")?.rows.map(([, value]) => value);
    expect(values).toEqual([
      "`http://127.0.0.1:4010`",
      `\`${DEFAULT_COMPANY.token}\``,
      `\`${DEFAULT_COMPANY.id}\``,
      `\`${DEFAULT_COMPANY.secretKey}\``,
      "10 000 000 XOF",
      "`http://127.0.0.1:4010/_sandbox`",
      "`http://127.0.0.1:4010/openapi.yaml`",
    ]);
  });

  it("describes each test number", () => {
    const { testNumbers } = acceptedProfile().profile;
    const roles = Object.entries(numberBehaviours) as [TestNumberRole, NumberBehaviour][];
    const rows = page.tables.find(({ header }) => header[0] === "Number")?.rows;
    expect(rows).toEqual(roles.map(([role, behaviour]) => [`\`${testNumbers[role]}\``, ...cellsOf(behaviour)]));
  });
});

/** `the shop prints \`…\``, the n-th time. */
function spokenLine(order: string, index: number): string | undefined {
  const readme = readFileSync(`${root}README.md`, "utf8");
  const spoken = [...readme.matchAll(/the shop prints `([^`]+)`/g)].map(([, text]) => text);
  expect(spoken[index]).toContain(order);
  return spoken[index];
}

/** One address for two shops, one after the other, as a restart on the same port would have it. */
function forwardTo(url: () => string): ReplyTo {
  return async ({ raw, headers }: ReceivedRequest) => {
    const signature = String(headers["x-service-hmac-sha256"]);
    const answer = await fetch(url(), { method: "POST", body: raw, headers: { "x-service-hmac-sha256": signature } });
    return { status: answer.status, body: await answer.text() };
  };
}

/** Without the comment at its head. */
function codeOf(file: string): string {
  return readFileSync(`${root}examples/first-bug/${file}`, "utf8").replace(/^\/\*\*[^]*?\*\/\n/, "");
}

function cellsOf({ transfer, payment, kycStatus, lateMs, silent }: NumberBehaviour): string[] {
  const quiet = silent ? ", without any webhook" : "";
  const late = lateMs === 0 ? "" : `, ${lateMs / 60_000} minutes late`;
  const outcomeOf = (result: typeof transfer | typeof payment, fails: string): string => {
    if (result === "refused") return "refused with 422";
    if (result.outcome === "failed") return `${fails}, \`${"reason" in result ? result.reason : result.error}\``;
    return result.outcome === "pending" ? "pending for ever" : result.outcome;
  };
  return [outcomeOf(transfer, "failed") + late + quiet, outcomeOf(payment, "fails") + quiet, `\`${kycStatus}\``];
}
