import { describe, expect, it } from "vitest";
import { runSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";

const files = {
  "sandbox.config.yaml": "port: 0\nclock: frozen\n",
  "profile.yaml": "charges: { ttl: 10m }\n",
  "fixtures.yaml": 'customers: [{ msisdn: "+2250700000099", firstName: Awa, lastName: Koné, kycStatus: complete }]\n',
  "wrong.yaml": "charges:\n  tll: 10m\n  min: -1\n",
};

describe("sandbox validate", () => {
  it("reports the kind of each valid file", async () => {
    const cwd = await folderWith({ ...files, "rules.yaml": "- { on: delivery, then: { hold: next } }\n" });
    const given = ["sandbox.config.yaml", "profile.yaml", "fixtures.yaml", "rules.yaml"];
    expect(await runSandbox(["validate", ...given], { cwd })).toEqual({
      code: 0,
      stdout:
        "sandbox.config.yaml: ok (config)\nprofile.yaml: ok (profile)\nfixtures.yaml: ok (fixtures)\nrules.yaml: ok (rules)\n",
      stderr: "",
    });
  });

  it("accepts tenancy without an admin token, which start may be given in a variable", async () => {
    const cwd = await folderWith({ "sandbox.config.yaml": "port: 0\ntenancy: true\n" });
    expect(await runSandbox(["validate", "sandbox.config.yaml"], { cwd })).toEqual({
      code: 0,
      stdout: "sandbox.config.yaml: ok (config)\n",
      stderr: "",
    });
  });

  it.each([
    { what: "repeated keys", text: "a:\n".repeat(200_001) },
    { what: "unknown escapes", text: String.raw`- "\q"${"\n"}`.repeat(200_000) },
  ])("reports the first of 200 000 problems: $what", async ({ text }) => {
    const cwd = await folderWith({ "profile.yaml": text });
    const { code, stderr } = await runSandbox(["validate", "profile.yaml"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^profile\.yaml:.*\n… and 199950 more problems\n$/s);
  });

  it("refuses keys within keys, however deep they are", async () => {
    const cwd = await folderWith({ "profile.yaml": `${"? ".repeat(50_000)}\ncharges: 1\n` });
    const { code, stderr } = await runSandbox(["validate", "profile.yaml"], { cwd });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "profile.yaml:1:1: It is nested too deep to be read. Make it flatter\n",
    });
  });

  it("reports every problem with line and column, beside valid files", async () => {
    const cwd = await folderWith(files);
    const { code, stdout, stderr } = await runSandbox(["validate", "wrong.yaml", "no.yaml", "profile.yaml"], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "profile.yaml: ok (profile)\n" });
    expect(stderr.trim().split("\n")).toEqual([
      expect.stringMatching(/^wrong\.yaml:2:3: .*Did you mean "charges\.ttl"\?/),
      expect.stringMatching(/^wrong\.yaml:3:8: .*charges\.min/),
      expect.stringMatching(/^Failed to read no\.yaml: there is no such file/),
    ]);
  });

  it("shows control characters of a file as escapes", async () => {
    const cwd = await folderWith({ "profile.yaml": String.raw`"a\e[2Jb": 1` });
    const { code, stderr } = await runSandbox(["validate", "profile.yaml"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(String.raw`a\u001b[2Jb`);
  });

  it("prints its findings as JSON", async () => {
    const cwd = await folderWith(files);
    const { code, stdout, stderr } = await runSandbox(["validate", "--json", "wrong.yaml", "profile.yaml"], { cwd });
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
    expect(JSON.parse(stdout)).toEqual([
      {
        file: "wrong.yaml",
        kind: "profile",
        problems: [expect.stringContaining("wrong.yaml:2:3: "), expect.stringContaining("wrong.yaml:3:8: ")],
      },
      { file: "profile.yaml", kind: "profile", problems: [] },
    ]);
  });

  it("reports what start would refuse: too many rules, and settings that conflict", async () => {
    const rules = (length: number): string =>
      JSON.stringify(Array.from({ length }, () => ({ on: "request", then: { status: 500 } })));
    const cwd = await folderWith({
      "rules.json": rules(1_001),
      "many/sandbox.config.json": `{"port":0,"rules":${rules(1_001)}}`,
      "together/sandbox.config.json": `{"port":0,"rules":${rules(600)},"companies":[{"companyId":"a","rules":${rules(600)}}]}`,
      "missing/sandbox.config.json": '{"port":0,"fixtures":["none.yaml"]}',
    });
    const alone = await runSandbox(["validate", "rules.json"], { cwd });
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining("with at most 1000")]);
    for (const [config, problem] of [
      ["many/sandbox.config.json", /must be a list of .*, with at most 1000/],
      ["together/sandbox.config.json", /a company has at most 1000 rules/],
      ["missing/sandbox.config.json", /none\.yaml: there is no such file/],
    ] as const) {
      const { code, stderr } = await runSandbox(["validate", config], { cwd });
      const started = await runSandbox(["start", "--config", config], { cwd });
      expect([code, stderr, stderr]).toEqual([2, started.stderr, expect.stringMatching(problem)]);
    }
  });
});
