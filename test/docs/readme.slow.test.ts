import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DEFAULT_COMPANY } from "../../src/sandbox/config/options.js";
import { followSteps, stepsOf } from "../support/follow-page.js";
import { type Page, root } from "../support/markdown.js";
import { openPage } from "../support/open-page.js";
import { acceptedProfile } from "../support/profiles.js";
import { runShell } from "../support/shell.js";
import { type NumberBehaviour, type TestNumberRole, numberBehaviours } from "../../src/domain/accounts/test-numbers.js";

const page = openPage("README.md");
const french = openPage("README.fr.md");
for (const language of ["bash", "sh", "ts"]) french.leave("it has the code of README.md", language);
const firstBug = stepsOf(page);
const aside = page.take("sh").map(({ text }) => text);
page.leave("library-doc.slow.test.ts runs it", "ts");

const EXEC = "npx business-payments-sandbox exec --fail-on critical -- pytest";

describe("the README", () => {
  it("has the commands to set it up, and no others", () => {
    expect(aside).toEqual([
      "npm ci && npx sandbox start",
      "npm cit",
      expect.stringMatching(/^npm pack\s.*\nnpm install .*\nnpx business-payments-sandbox start$/),
      EXEC,
    ]);
  });

  it("fits on 150 lines", () => {
    expect(readFileSync(`${root}README.md`, "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  });

  it("catches a double payout as it shows", { timeout: 60_000 }, async () => {
    expect(firstBug).toHaveLength(2);
    await followSteps(firstBug, { url: "http://127.0.0.1:4010", cwd: root });
  });

  it("runs the tests of other languages with `exec`", { timeout: 60_000 }, async () => {
    const headers = `{ authorization: "Bearer " + process.env.SANDBOX_ACCESS_TOKEN }`;
    const call = `fetch(process.env.SANDBOX_URL + "/v1/balance", { headers: ${headers} })`;
    const suite = `node -e '${call}.then(({ status }) => console.log(status))'`;
    const printed = await runShell(`${EXEC.replace("pytest", suite)} 2>&1`, { url: "http://127.0.0.1:4010" });
    expect(printed).toContain("200\n");
    expect(printed).toContain("sandbox: 1 request");
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

describe("the README in French", () => {
  it("has the code, the output, the links and the defaults of the English page", () => {
    const codeOf = ({ blocks }: Page) => blocks.map(({ language, text }) => ({ language, text }));
    expect(codeOf(french)).toEqual(codeOf(page));
    expect(french.links.filter((link) => link !== "README.md")).toEqual(
      page.links.filter((link) => link !== "README.fr.md"),
    );
    const numbersOf = ({ tables }: Page) => tables.flatMap(({ rows }) => rows.map((cells) => cells.flatMap(codeIn)));
    const codeIn = (cell: string) => [...cell.matchAll(/`[^`]+`/g)].map(([code]) => code);
    const states = new Set(["`completed`", "`paid`", "`pending`", "`failed`"]);
    expect(numbersOf(french).map((row) => row.filter((code) => !states.has(code)))).toEqual(numbersOf(page));
  });
});

function cellsOf({ transfer, payment, kycStatus, lateMs, silent, confirmMs }: NumberBehaviour): string[] {
  const quiet = silent ? ", without any webhook" : "";
  const late = lateMs === 0 ? "" : `, ${lateMs / 60_000} minutes late`;
  const confirmed = confirmMs === undefined ? "" : ` ${confirmMs / 1000} s later, confirmed on the phone`;
  const outcomeOf = (result: typeof transfer | typeof payment, fails: string): string => {
    if (result === "refused") return "refused with 422";
    if (result.outcome === "failed") return `${fails}, \`${"reason" in result ? result.reason : result.error}\``;
    return result.outcome === "pending" ? "pending for ever" : result.outcome;
  };
  return [
    outcomeOf(transfer, "failed") + late + quiet,
    outcomeOf(payment, "fails") + quiet + confirmed,
    `\`${kycStatus}\``,
  ];
}
