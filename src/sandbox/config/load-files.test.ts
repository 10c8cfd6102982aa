import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileProblemsOf } from "../../../test/support/file-problems.js";
import { fromXof } from "../../domain/values/money.js";
import { resolveOptions } from "./options.js";
import { loadConfig, loadFixtureFiles, loadProfileFile, validateFile } from "./load-files.js";
import { findConfigFile } from "../../adapters/files/find-config.js";
import { setUpCompanies } from "./set-up.js";

const START = Date.UTC(2026, 0, 15, 9);

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "load-config-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function given(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

/** The messages of a UsageError("file"), with the folder left out. */
async function problemsOf(loading: Promise<unknown>): Promise<string[]> {
  const messages = await fileProblemsOf(() => loading);
  return messages.map((message) => message.replaceAll(`${folder}/`, ""));
}

describe("loadConfig", () => {
  it("returns every option, with paths relative to the file", async () => {
    const file = await given(
      "deep/sandbox.config.yaml",
      `port: 0
host: 0.0.0.0
publicUrl: https://sandbox.example.test
profile: ../profiles/slow.yaml
fixtures: [a.yaml, /b.yaml]
store: file:state/db.json
clock: 2026-01-15T10:00:00+01:00
autoProvision: true
seed: 42
adminToken: t0ken
tlsCert: cert.pem
tlsKey: key.pem
productionHeadersOnly: false
log: json
balance: 250000.5
`,
    );
    await expect(loadConfig(file)).resolves.toEqual({
      port: 0,
      host: "0.0.0.0",
      publicUrl: "https://sandbox.example.test",
      profile: join(folder, "profiles/slow.yaml"),
      fixtures: [join(folder, "deep/a.yaml"), "/b.yaml"],
      store: `file:${join(folder, "deep/state/db.json")}`,
      clock: "2026-01-15T09:00:00.000Z",
      autoProvision: true,
      seed: 42,
      adminToken: "t0ken",
      tlsCert: join(folder, "deep/cert.pem"),
      tlsKey: join(folder, "deep/key.pem"),
      productionHeadersOnly: false,
      log: "json",
      balance: 250000.5,
    });
  });

  it("accepts nested settings, a single path, and JSON", async () => {
    const file = await given(
      "sandbox.config.json",
      '{\n\t"profile": {"transfers": {"settlement": "manual"}},\n\t"fixtures": "a.yaml",\n\t"clock": "frozen",\n\t"store": "memory"\n}',
    );
    await expect(loadConfig(file)).resolves.toEqual({
      profile: { transfers: { settlement: "manual" } },
      fixtures: [join(folder, "a.yaml")],
      clock: "frozen",
      store: "memory",
    });
  });

  it.each(["", "# port: 4010\n", "---\n", "{}"])("returns nothing for %j", async (text) => {
    await expect(loadConfig(await given("sandbox.config.yaml", text))).resolves.toEqual({});
  });

  it("reports every problem with its position and what would be right", async () => {
    const file = await given(
      "c.yaml",
      `prt: 4010
port: "4010"
host:
publicUrl: example.test
profile: { transfers: { settlement: manul, mni: 1 }, webhooks: { retry: [1s, soon] } }
fixtures: [1, a.yaml]
store: disk
clock: runing
autoProvision: yes
seed: 1.5
adminToken: 123
tlsCert: cert.pem
log: pretti
balance: -1
companies: { id: x }
__proto__: { port: 1 }
`,
    );
    await expect(problemsOf(loadConfig(file))).resolves.toEqual([
      'c.yaml:1:1: prt is not known here. Did you mean "port"?',
      'c.yaml:2:7: port must be a whole number from 0 to 65535, got "4010"',
      "c.yaml:3:6: host must be an address or a name of this machine, a string that is not blank, but it is empty",
      'c.yaml:4:12: publicUrl must be an absolute http or https URL, got "example.test"',
      expect.stringMatching(/^c\.yaml:5:37: transfers\.settlement must be .*, not "manul"$/),
      'c.yaml:5:44: transfers.mni is not a setting. Did you mean "transfers.min"?',
      'c.yaml:5:78: webhooks.retry[1]: "soon" is not a duration: write 10s, 1h30m, PT1H or a number of milliseconds',
      'c.yaml:6:12: fixtures[0] must be the path of a fixtures file, a string that is not blank, got the number 1: write it in quotes, "1"',
      'c.yaml:7:8: store must be memory or file:PATH, got "disk"',
      'c.yaml:8:8: clock must be running, frozen, or an ISO 8601 time such as 2026-01-15T09:00:00Z, got "runing". Did you mean "running"?',
      'c.yaml:9:16: autoProvision must be true or false, got "yes"',
      "c.yaml:10:7: seed must be a whole number from -9007199254740991 to 9007199254740991, got 1.5",
      "c.yaml:11:13: adminToken must be a token: 1 to 200 visible ASCII characters without spaces, got something else",
      "c.yaml:12:10: tlsCert needs tlsKey beside it: HTTPS takes a certificate and its key",
      'c.yaml:13:6: log must be one of pretty, json, silent, got "pretti". Did you mean "pretty"?',
      "c.yaml:14:10: balance must be a number of XOF from 0 to 100000000000 with at most 4 decimals, got -1",
      "c.yaml:15:12: companies must be a list of companies, got a mapping",
      expect.stringMatching(/^c\.yaml:16:1: __proto__ is not known here\. Known are port, host, /),
    ]);
  });

  it.each<[string, string]>([
    ["just text", "c.yaml:1:1: The file must be a mapping of the options of sandbox start, got a text"],
    ["- port: 1", "c.yaml:1:1: The file must be a mapping of the options of sandbox start, got a list of 1"],
    ["port: 1\nport: 2", "c.yaml:2:1: This key is there twice. Remove one"],
    ["profile: 5", "c.yaml:1:10: profile must be nested settings, or the path of a profile file, got 5"],
    ["fixtures: {}", "c.yaml:1:11: fixtures must be a path, or a list of paths, got a mapping"],
    [
      "adminToken: a b",
      "c.yaml:1:13: adminToken must be a token: 1 to 200 visible ASCII characters without spaces, got something else",
    ],
  ])("%j: %s", async (text, message) => {
    await expect(problemsOf(loadConfig(await given("c.yaml", text)))).resolves.toEqual([message]);
  });

  it("limits the problems that it reports", async () => {
    const text = Array.from({ length: 5_000 }, (_, n) => `k${n}: 1`).join("\n");
    const problems = await problemsOf(loadConfig(await given("c.yaml", text)));
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toBe("… and more problems");
  });

  it("returns companies like those of fixtures, set up with the defaults", async () => {
    const file = await given(
      "c.yaml",
      "companies: [{ companyId: company_shop, balance: 5 }, { companyId: b, clock: frozen, accessToken: t }]",
    );
    const { companies = [] } = await loadConfig(file);
    const profile = { charges: { ttl: "5m" } };
    const company = { ...resolveOptions().defaults, profile };
    const [first, second] = await setUpCompanies(companies, START, { company });
    expect(first).toMatchObject({
      id: "company_shop",
      secretKey: "secret_shop",
      balance: fromXof(5),
      frozenAt: undefined,
      profile,
    });
    expect(first?.tokens).toEqual([{ token: "at_shop", expiresAt: null }]);
    expect(second).toMatchObject({ id: "b", secretKey: "secret_b", balance: fromXof(10_000_000), frozenAt: START });
    expect(second?.tokens).toEqual([{ token: "t", expiresAt: null }]);
    await expect(
      problemsOf(loadConfig(await given("c.yaml", "companies: [{ companyId: x }, { companyId: x }]"))),
    ).resolves.toEqual(['c.yaml:1:44: The companyId "x" is taken: line 1 has it']);
  });
});

describe("findConfigFile", () => {
  it.each(["sandbox.config.yaml", "sandbox.config.yml", "sandbox.config.json"])("finds %s", async (name) => {
    await given(`${name}.bak`, "");
    expect(findConfigFile(folder)).toBeUndefined();
    const file = await given(name, "");
    expect(findConfigFile(folder)).toBe(file);
  });

  it("refuses two files", async () => {
    await given("sandbox.config.json", "{}");
    await given("sandbox.config.yml", "");
    await expect(problemsOf((async () => findConfigFile(folder))())).resolves.toEqual([
      "Failed to choose a configuration: sandbox.config.yml and sandbox.config.json are both there. Keep one, or name it with --config.",
    ]);
  });
});

describe("loadProfileFile", () => {
  it("returns the overrides", async () => {
    const file = await given(
      "p.yaml",
      "transfers: { min: 100, fee: { rate: 0 } }\nrateLimit: { requests: 5, per: 1s }\ncharges:\n",
    );
    await expect(loadProfileFile(file)).resolves.toEqual({
      transfers: { min: 100, fee: { rate: 0 } },
      rateLimit: { requests: 5, per: "1s" },
    });
  });

  it("reports a wrong value at the value and a wrong name at the name", async () => {
    const file = await given(
      "p.yaml",
      "transfers:\n  settlement: manul\n  min: 900000\ncharge: { ttl: 1h }\nwebhooks:\n  retry:\n    - 10s\n    - soon\nbatch: 500\n",
    );
    const problems = await problemsOf(loadProfileFile(file));
    expect(problems.map((problem) => problem.split(" ", 2).join(" "))).toEqual([
      "p.yaml:2:15: transfers.settlement",
      "p.yaml:3:8: transfers.min",
      "p.yaml:4:11: charge.ttl",
      "p.yaml:8:7: webhooks.retry[1]:",
      "p.yaml:9:8: batch",
    ]);
    expect(problems[2]).toContain('Did you mean "charges.ttl"?');
    await expect(problemsOf(loadProfileFile(await given("p.yaml", "[]")))).resolves.toEqual([
      'p.yaml:1:1: A profile must be an object such as {"transfers": {"settlement": "manual"}}, not []',
    ]);
  });
});

describe("validateFile", () => {
  it.each<[string, string, string]>([
    ["sandbox.config.yaml", "", "config"],
    ["sandbox.config.json", '{"transactions": []}', "config"],
    ["profile.yaml", "", "profile"],
    ["strict-profile.json", "{}", "profile"],
    ["x.yaml", "transfers: { min: 1 }", "profile"],
    ["x.yaml", "charges: { min: 1 }\ncustomers: { unlisted: generated }", "profile"],
    ["x.yaml", "rateLimit: off", "profile"],
    ["x.yaml", "charges: []\ncustomers: []", "fixtures"],
    ["x.yaml", "companies: []\ncharges: []", "fixtures"],
    ["x.yaml", "companies: []\nport: 1", "config"],
    ["fixtures/shop.yaml", "", "fixtures"],
    ["fixtures/shop.yaml", "companies: []", "fixtures"],
    ["my-config.yml", "companies: []", "config"],
  ])("takes %s with %j for %s", async (name, text, kind) => {
    expect((await validateFile(await given(name, text))).kind).toBe(kind);
  });

  it("reports the problems of each kind", async () => {
    const problemsIn = async (name: string, text: string): Promise<string[]> =>
      (await validateFile(await given(name, text))).problems.map((problem) => problem.slice(folder.length + 1));
    await expect(problemsIn("profile.yaml", "transfer: { min: 1 }")).resolves.toEqual([
      'profile.yaml:1:13: transfer.min is not a setting. Did you mean "transfers.min"?',
    ]);
    await expect(problemsIn("sandbox.config.yaml", "port: no")).resolves.toEqual([
      'sandbox.config.yaml:1:7: port must be a whole number from 0 to 65535, got "no"',
    ]);
    await expect(problemsIn("fixtures.yaml", "charge: []")).resolves.toEqual([
      'fixtures.yaml:1:1: charge is not known here. Did you mean "charges"?',
    ]);
    await expect(problemsIn("fixtures.yaml", "charges: []")).resolves.toEqual([]);
  });

  it("reports a file that it cannot classify, read or parse", async () => {
    await expect(problemsOf(validateFile(await given("x.yaml", "hello: 1")))).resolves.toEqual([
      expect.stringMatching(/^Failed to validate x\.yaml: neither its name nor its keys say/),
    ]);
    await expect(problemsOf(validateFile(join(folder, "none.yaml")))).resolves.toEqual([
      "Failed to read none.yaml: there is no such file. Check its path.",
    ]);
    await expect(problemsOf(validateFile(await given("profile.yaml", "a: [")))).resolves.toEqual([
      expect.stringMatching(/^profile\.yaml:1:\d+: /),
    ]);
  });
});

describe("several fixture files", () => {
  it("have all their problems reported at once", async () => {
    const bad = await given("bad.yaml", "charges: 1");
    const torn = await given("torn.yaml", "charges: [");
    await expect(problemsOf(loadFixtureFiles([join(folder, "none.yaml"), bad, torn], START))).resolves.toEqual([
      "Failed to read none.yaml: there is no such file. Check its path.",
      expect.stringMatching(/^torn\.yaml:1:\d+: /),
      "bad.yaml:1:10: charges must be a list of charges, got 1",
    ]);
  });
});
