import { existsSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runSandbox, startSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { originOfNobody } from "../support/listen.js";

const balanceIs = (balance: number, more = ""): string => `name: The balance is ${balance}
${more}
given: { balance: 500 }
steps:
  - request: GET /v1/balance
    expect: { status: 200, body: { balance: ${balance} } }
`;
const good = balanceIs(500, "tags: [good]");
const bad = balanceIs(501, "tags: [bad]");
const drops = `name: A charge is dropped
steps:
  - advance: 1h
`;

const replay = (folder: string, args: readonly string[], env: Record<string, string> = {}) =>
  runSandbox(["replay", ...args], { cwd: folder, env });

describe("replay", () => {
  it("reports passed and failed scenarios, with the failure's position, and exits with 4", async () => {
    const folder = await folderWith({ "good.yaml": good, "bad.yaml": bad });
    const { code, stdout, stderr } = await replay(folder, ["good.yaml", "bad.yaml"]);
    expect(code).toBe(4);
    expect(stdout).toMatch(/^✓ The balance is 500/m);
    expect(stdout).toMatch(/^✗ The balance is 501/m);
    expect(stdout).toContain("bad.yaml:5:5: GET /v1/balance");
    expect(stdout).toContain("- expected 501");
    expect(stdout).toContain("+ received 500");
    expect(stdout).toMatch(/^1 passed, 1 failed in /m);
    expect(stderr).toBe("");
  });

  it("accepts folders and patterns, and exits with 0 when all pass", async () => {
    const folder = await folderWith({
      "one.yaml": good,
      "two.yml": good,
      "three.json": '{"steps":[{"request":"GET /v1/balance"}]}',
    });
    for (const path of [".", "*.{yaml,yml,json}"]) {
      const { code, stdout } = await replay(folder, [path]);
      expect(stdout).toMatch(/^3 passed in /m);
      expect(code).toBe(0);
    }
  });

  it("finds the files of the current folder by a pattern that begins above it", async () => {
    const folder = await folderWith({ "one.yaml": good, "below/two.yaml": good, "below/deep/three.yaml": good });
    for (const path of ["../**/*.yaml", `${folder}/**/*.yaml`, "./deep/../../**/*.yaml"]) {
      const { stdout } = await replay(join(folder, "below"), [path]);
      expect([path, stdout]).toEqual([path, expect.stringMatching(/^3 passed in /m)]);
    }
  });

  it("exits with 6 when every scenario is skipped", async () => {
    const folder = await folderWith({ "settles.yaml": "name: Settles\nsteps: [{ settle: true }]\n" });
    const finished = await replay(folder, ["."]);
    expect(finished).toMatchObject({ code: 6, stdout: expect.stringMatching(/^1 skipped in /m) });
    expect(finished.stderr).toBe("sandbox: inconclusive: every scenario was skipped.\n");
  });

  it("ignores other files in a folder of scenarios", async () => {
    const folder = await folderWith({
      "sandbox.config.yaml": "clock: frozen\n",
      "people.yaml": "customers: [{ msisdn: '+2250700000010', firstName: Awa, lastName: Koné }]\n",
      "profile.yaml": "transfers: { settlement: manual }\n",
      "node_modules/other/index.yaml": "neither: this\n",
      "scenario.yaml":
        "given: { fixtures: people.yaml }\nsteps: [{ request: GET /v1/balance, save: { b: body.balance } }, { use: part.yaml }]\n",
      "part.yaml": "steps: [{ request: GET /v1/balance, expect: { body: { balance: '${b}' } } }]\n",
    });
    const { code, stdout, stderr } = await replay(folder, ["."]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^1 passed in /m);
    expect((await replay(folder, ["part.yaml"])).stderr).toContain("${b} is not known here");
    expect((await replay(folder, ["profile.yaml"])).code).toBe(2);
  });

  it.each(["node_modules/shop/scenarios", "node_modules/shop/**/*.yaml", "node_modules/shop", "absolute"])(
    "accepts %s, even inside node_modules",
    async (path) => {
      const folder = await folderWith({
        "node_modules/shop/scenarios/a.yaml": good,
        "node_modules/shop/scenarios/b.yaml": good,
      });
      const { code, stdout } = await replay(folder, [path === "absolute" ? `${folder}/node_modules/shop` : path]);
      expect(stdout).toMatch(/^2 passed in /m);
      expect(code).toBe(0);
    },
  );

  it("knows the shipped scenarios by name, in any folder", async () => {
    const folder = await folderWith({});
    const one = await replay(folder, ["@shipped/charge-dropped"]);
    expect(one).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("1 passed in ") });
    const some = await replay(folder, ["@shipped/refund-*", "@shipped/charge-dropped.yaml", "--reporter", "json"]);
    expect(JSON.parse(some.stdout)).toMatchObject({ passed: 5, failed: 0 });
    expect(await replay(folder, ["@shipped/charge-droped"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "@shipped/charge-dropped"?'),
    });
  });

  it("lists scenarios instead of replaying them, by default the shipped ones", async () => {
    const folder = await folderWith({ "good.yaml": good, "bad.yaml": bad });
    const shipped = await replay(folder, ["--list"]);
    expect(shipped).toMatchObject({ code: 0, stderr: "" });
    expect(shipped.stdout).toMatch(/^@shipped\/charge-dropped +A charge that nobody pays is dropped after one hour$/m);
    expect(shipped.stdout.trim().split("\n").length).toBeGreaterThan(50);
    expect((await replay(folder, ["--list", "--tag", "refunds"])).stdout).not.toContain("charge-dropped");
    const own = await replay(folder, [".", "--list"]);
    expect(own).toMatchObject({ code: 0, stdout: expect.stringMatching(/^bad\.yaml +.+\ngood\.yaml +.+\n$/) });
  });

  it("reports the problems of every other file in a folder", async () => {
    const folder = await folderWith({ "good.yaml": good, "wrong.yaml": "name: A scenario\nstpes: []\n" });
    expect(await replay(folder, ["."])).toMatchObject({ code: 2, stderr: expect.stringContaining("wrong.yaml:2:1") });
  });

  it("selects by name, tag and shard, and stops at --bail", async () => {
    const folder = await folderWith({ "a.yaml": bad, "b.yaml": good, "c.yaml": good });
    const counts = async (...args: string[]): Promise<string> =>
      (await replay(folder, [".", ...args])).stdout.trim().split("\n").at(-1) ?? "";
    expect(await counts("--filter", "is 500")).toMatch(/^2 passed in/);
    expect(await counts("--tag", "bad", "good")).toMatch(/^2 passed, 1 failed in/);
    expect(await counts("--tag", "bad")).toMatch(/^1 failed in/);
    const shards = await Promise.all(["1/2", "2/2"].map((shard) => counts("--shard", shard)));
    expect(shards.map((line) => line.replace(/ in .*/, ""))).toEqual(["1 passed, 1 failed", "1 passed"]);
    // A shard may be empty.
    expect((await replay(folder, [".", "--shard", "4/4"])).code).toBe(0);
    expect((await replay(folder, [".", "--shard", "4/4", "--fail-on", "findings"])).code).toBe(0);
    expect(await counts("--shard", "4/4")).toMatch(/^0 passed in/);
    expect(await counts("--bail", "--workers", "1")).toMatch(/^1 failed, 2 not run \(--bail\) in/);
  });

  it.each([
    ["junit", /<testsuites name="business-payments-sandbox" tests="2" failures="1" errors="0"/],
    ["json", /"failed": 1/],
    ["tap", /^TAP version 14\n1\.\.2\n/],
    ["github", /^::error file=bad\.yaml,line=5,col=5,title=The balance is 501::/],
  ])("reports as %s, to stdout or a file, with a line for the user on stderr", async (reporter, form) => {
    const folder = await folderWith({ "bad.yaml": bad, "good.yaml": good });
    const printed = await replay(folder, ["bad.yaml", "good.yaml", "--reporter", reporter]);
    expect(printed.code).toBe(4);
    expect(printed.stdout).toMatch(form);
    expect(printed.stderr).toMatch(/^1 passed, 1 failed in /);
    const kept = await replay(folder, ["bad.yaml", "good.yaml", "--reporter", reporter, "--out", "report"]);
    expect(kept.stdout).toBe("");
    expect(await readFile(join(folder, "report"), "utf8")).toMatch(form);
  });

  it("adds annotations in GitHub Actions to the chosen report", async () => {
    const folder = await folderWith({ "bad.yaml": bad });
    const { stdout } = await replay(folder, ["."], { GITHUB_ACTIONS: "true" });
    expect(stdout).toMatch(/^✗ The balance is 501/m);
    expect(stdout).toMatch(/^::error file=bad\.yaml,line=5,col=5/m);
  });

  it.each(["json", "junit", "tap"])("leaves %s on stdout as it is, with annotations on stderr", async (reporter) => {
    const skipped = "name: Settles\nsteps: [{ settle: true }]\n";
    const folder = await folderWith({ "bad.yaml": bad, "skipped.yaml": skipped });
    const args = [".", "--seed", "1", "--reporter", reporter];
    const { stdout, stderr } = await replay(folder, args, { GITHUB_ACTIONS: "true" });
    expect(stdout).not.toContain("::");
    expect(stdout.trimEnd()).toMatch(/(?:\}|<\/testsuites>|# SKIP .*)$/);
    expect(stderr).toMatch(/^::error file=bad\.yaml,line=5,col=5/m);
    expect(stderr).toMatch(/^::notice file=skipped\.yaml,/m);
  });

  it("marks an invalid file at its line", async () => {
    const folder = await folderWith({
      "wrong.yaml": "steps:\n  - request: GET /v1/balance\n    expekt: { status: 200 }\n",
    });
    for (const [args, env] of [
      [["wrong.yaml", "--reporter", "github"], {}],
      [["wrong.yaml"], { GITHUB_ACTIONS: "true" }],
    ] as const) {
      const { code, stdout } = await replay(folder, args, env);
      expect(code).toBe(2);
      expect(stdout).toMatch(/^::error file=wrong\.yaml,line=3,col=5::steps\[0\]\.expekt/m);
    }
  });

  it("creates the folder of the report, and fails before anything runs if it cannot", async () => {
    const folder = await folderWith({ "good.yaml": good, taken: "" });
    const made = await replay(folder, ["good.yaml", "--reporter", "junit", "--out", "reports/today/junit.xml"]);
    expect(made.code).toBe(0);
    expect(await readFile(join(folder, "reports/today/junit.xml"), "utf8")).toMatch(/^<\?xml/);
    const refused = await replay(folder, ["good.yaml", "--out", "taken/junit.xml"]);
    expect(refused).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("taken/junit.xml") });
  });

  it.runIf(existsSync("/dev/full"))("does not report success when the report could not be printed", async () => {
    const folder = await folderWith({ "good.yaml": good, "bad.yaml": bad });
    const print = (file: string) =>
      runSandbox(["replay", file, "--reporter", "json"], { cwd: folder, stdoutFile: "/dev/full" });
    const passed = await print("good.yaml");
    expect(passed.stderr).toContain("Failed to write the output: ENOSPC");
    expect(passed.code).toBe(3);
    expect((await print("bad.yaml")).code).toBe(4);
  });

  it("repeats identifiers with the same seed", async () => {
    const folder = await folderWith({
      "a.yaml": "steps: [{ request: GET /v1/balance, expect: { body: { id: '${uuid}' } } }]\n",
    });
    const stdoutWith = async (seed: string): Promise<string | undefined> =>
      /expected "([^"]+)"/.exec((await replay(folder, ["a.yaml", "--seed", seed])).stdout)?.[1];
    const [one, two, three] = await Promise.all([stdoutWith("7"), stdoutWith("7"), stdoutWith("8")]);
    expect(one).toMatch(/^[0-9a-f-]{36}$/);
    expect(two).toBe(one);
    expect(three).not.toBe(one);
  });

  it("lets scenarios read only SANDBOX_ variables", async () => {
    const step = (name: string): string =>
      `steps: [{ request: GET /v1/balance, expect: { body: { currency: '\${env.${name}}' } } }]\n`;
    const folder = await folderWith({ "a.yaml": step("SANDBOX_X"), "b.yaml": step("PATH") });
    expect((await replay(folder, ["a.yaml"], { SANDBOX_X: "XOF" })).code).toBe(0);
    expect(await replay(folder, ["b.yaml"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("only variables that start with SANDBOX_"),
    });
  });
});

describe("replay --target", () => {
  it("replays scenarios that need only the API, and skips the others with the reason", async () => {
    const sandbox = await startSandbox(["--clock", "frozen"]);
    const api = "steps: [{ request: GET /v1/balance, expect: { status: 200, body: { balance: 10000000 } } }]\n";
    const folder = await folderWith({ "api.yaml": api, "drops.yaml": drops, "given.yaml": good });
    const { code, stdout } = await replay(folder, [
      ".",
      "--target",
      sandbox.url,
      "--token",
      "at_sandbox",
      "--company",
      "company_sandbox",
    ]);
    expect(stdout).toMatch(/^✓ api/m);
    expect(stdout).toMatch(/^- A charge is dropped skipped: "advance" needs the sandbox's clock \(line 3\)/m);
    expect(stdout).toMatch(/^- The balance is 500 skipped: given\.balance needs the sandbox/m);
    expect(stdout).toMatch(/^1 passed, 2 skipped in /m);
    expect(code).toBe(0);
    expect(await sandbox.stop()).toBe(0);
  });

  it("exits with 0 when every scenario is skipped, and says so", async () => {
    const sandbox = await startSandbox(["--clock", "frozen"]);
    const folder = await folderWith({ "drops.yaml": drops });
    const target = ["--target", sandbox.url, "--token", "at_sandbox", "--company", "company_sandbox"];
    const finished = await replay(folder, [".", ...target, "--allow", "double-payout:at_sandbox"]);
    expect(finished).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 skipped in /m) });
    expect(finished.stdout).toContain("warning: allowed, but never found: double-payout:[redacted]\n");
    expect(await sandbox.stop()).toBe(0);
  });

  it("exits with 3 when the target cannot be reached", async () => {
    const url = await originOfNobody();
    const folder = await folderWith({ "a.yaml": good });
    const finished = await replay(folder, ["a.yaml", "--target", `${url}/token-1`, "--token", "token-1"]);
    expect(finished).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/Failed to reach the target .*\/\[redacted\]: .*ECONNREFUSED/),
    });
  });
});

describe("wrong use of replay", () => {
  it.each<[string, readonly string[], number, RegExp]>([
    ["a missing file", ["nowhere.yaml"], 2, /there is no such file or folder/],
    ["an empty folder", ["empty"], 2, /no \.yaml, \.yml or \.json file is there/],
    ["a filter that matches nothing", ["good.yaml", "--filter", "^nothing$"], 2, /no scenario matches/],
    ["no path", [], 1, /missing required argument/i],
    ["a wrong reporter", ["good.yaml", "--reporter", "juint"], 1, /Did you mean junit/],
    ["a wrong shard", ["good.yaml", "--shard", "3/2"], 1, /--shard must be i\/n/],
    ["a wrong number of workers", ["good.yaml", "--workers", "0"], 1, /--workers must be a whole number from 1/],
    ["a wrong expression", ["good.yaml", "--filter", "("], 1, /--filter must be a regular expression/],
    ["a token without a target", ["good.yaml", "--token", "x"], 1, /--token goes with --target/],
    ["a target without a token", ["good.yaml", "--target", "http://127.0.0.1:1"], 1, /--target needs --token/],
    ["a report that cannot be written", ["good.yaml", "--out", "good.yaml/x"], 3, /Failed to write/],
  ])("%s", async (_, args, code, message) => {
    const folder = await folderWith({ "good.yaml": good });
    await mkdir(join(folder, "empty"));
    const finished = await replay(folder, args);
    expect(finished).toMatchObject({ code, stderr: expect.stringMatching(message) });
    expect(finished.stderr).not.toMatch(/^ +at /m);
  });

  it("reports every problem of every file before anything runs", async () => {
    const folder = await folderWith({
      "a.yaml": "steps: [{ advnace: 1h }]\n",
      "b.yaml": "setps: []\n",
      "c.yaml": good,
    });
    const { code, stdout, stderr } = await replay(folder, ["."]);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/a\.yaml:1:11: .*Did you mean "advance"/);
    expect(stderr).toMatch(/b\.yaml:1:1: .*Did you mean "steps"/);
  });
});

describe("init", () => {
  it("writes files that validate, replay and pass as a test", async () => {
    const folder = await folderWith({});
    const { code, stdout } = await runSandbox(["init", "shop"], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toContain(join("shop", "sandbox.config.yaml"));
    const shop = join(folder, "shop");
    const files = ["sandbox.config.yaml", "scenarios/first.yaml"];
    expect(await runSandbox(["validate", ...files], { cwd: shop })).toMatchObject({ code: 0, stderr: "" });
    expect((await replay(shop, ["scenarios"])).code).toBe(0);
    const tested = await runSandbox(["exec", "--", process.execPath, "--test", "--test-reporter=tap"], { cwd: shop });
    expect(tested.stdout).toContain("# pass 1");
    expect(tested.code).toBe(0);
  });

  it("writes missing files, and does not change existing ones", async () => {
    const folder = await folderWith({ "sandbox.config.yaml": "port: 1\n" });
    const { code, stdout } = await runSandbox(["init"], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Written:\n {2}scenarios\/first\.yaml\n {2}test\/first\.test\.mjs\n\nLeft as it is:\n {2}sandbox\.config\.yaml\n\nNext:/,
    );
    expect(await readFile(join(folder, "sandbox.config.yaml"), "utf8")).toBe("port: 1\n");
  });

  it("adds no second configuration, which start would refuse", async () => {
    const folder = await folderWith({ "sandbox.config.json": "{}" });
    const { code, stdout } = await runSandbox(["init"], { cwd: folder });
    expect([code, stdout]).toEqual([0, expect.stringContaining("Left as it is:\n  sandbox.config.json\n")]);
    expect(await readdir(folder)).not.toContain("sandbox.config.yaml");
  });

  it("leaves no part of a file that it could not write", async () => {
    const folder = await folderWith({});
    const { code, stderr } = await runSandbox(["init"], { cwd: folder, fileBlocks: 1 });
    expect([code, stderr]).toEqual([3, expect.stringContaining("Failed to write sandbox.config.yaml: EFBIG")]);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("a session of start", () => {
  const order = {
    amount: 10_000,
    description: "Shoes",
    onCanceledRedirectionUrl: "https://shop.test/no",
    onCompletedRedirectionUrl: "https://shop.test/yes",
  };
  const create = (url: string, externalId: string): Promise<Response> =>
    fetch(`${url}/v1/charges`, {
      method: "POST",
      headers: {
        authorization: "Bearer at_sandbox",
        "x-company-id": "company_sandbox",
        "content-type": "application/json",
      },
      body: JSON.stringify({ ...order, externalId }),
    });

  it("is recorded, and the recording passes when replayed", async () => {
    const folder = await folderWith({});
    const file = join(folder, "session.yaml");
    const sandbox = await startSandbox(["--record", file, "--clock", "frozen"]);
    const { id } = (await (await create(sandbox.url, "order-1")).json()) as { id: string };
    await runSandbox(["clock", "advance", "1h", "--url", sandbox.url]);
    await fetch(`${sandbox.url}/v1/charges/${id}`, { headers: { authorization: "Bearer at_sandbox" } });
    expect(await sandbox.stop()).toBe(0);
    expect(await readFile(file, "utf8")).toContain("- advance: 1h");
    expect(await replay(folder, ["session.yaml"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("1 passed"),
    });
  });

  it("is recorded up to the configured limit", async () => {
    const folder = await folderWith({ "sandbox.config.yaml": "limits: { recordedRequests: 2 }\nrecord: session.yaml" });
    const sandbox = await startSandbox([], { cwd: folder });
    for (const externalId of ["order-1", "order-2", "order-3"]) await create(sandbox.url, externalId);
    expect(await sandbox.stop()).toBe(0);
    const scenario = await readFile(join(folder, "session.yaml"), "utf8");
    expect([...new Set(scenario.match(/order-\d/g))]).toEqual(["order-1", "order-2"]);
    expect(scenario).toContain("the last 1 request(s) are left out");
    expect(sandbox.stderr).toContain("It has reached its limit: the last 1 request(s) are left out.");
  });

  it("is recorded with rules, the payment page and fixtures", async () => {
    const fixture = "charges: [{ externalId: old, amount: 500, description: Tea, id: old }]";
    const folder = await folderWith({ "shop.yaml": fixture });
    const sandbox = await startSandbox(
      ["--record", "reports/session.yaml", "--fixtures", "shop.yaml", "--clock", "frozen"],
      {
        cwd: folder,
      },
    );
    const rule = { on: "request", match: { path: "/v1/charges" }, then: { fault: "hang", delay: "1ms" }, times: 1 };
    const headers = { "content-type": "application/json" };
    await fetch(`${sandbox.url}/_sandbox/rules`, { method: "POST", headers, body: JSON.stringify(rule) });
    await expect(create(sandbox.url, "order-1")).rejects.toThrow("fetch failed");
    const form = new URLSearchParams({ action: "pay", msisdn: "+2250700000001" });
    await fetch(`${sandbox.url}/checkout/old`, { method: "POST", body: form, redirect: "manual" });
    await runSandbox(["clock", "advance", "1h", "--url", sandbox.url]);
    expect(await sandbox.stop()).toBe(0);
    const scenario = await readFile(join(folder, "reports/session.yaml"), "utf8");
    expect(scenario).toMatch(/fault: hang[^]*lost: true[^]*POST \/_sandbox\/charges\/old\/pay[^]*- advance: 1h\n$/);
    expect(await replay(folder, ["reports/session.yaml"])).toMatchObject({ code: 0 });
  });

  it("is recorded from the moment at which its fixtures began", async () => {
    const fixture = "charges: [{ externalId: old, amount: 500, description: Tea, id: old }]";
    const folder = await folderWith({ "shop.yaml": fixture });
    const sandbox = await startSandbox(["--record", "session.yaml", "--fixtures", "shop.yaml"], { cwd: folder });
    await fetch(`${sandbox.url}/v1/webhooks`, {
      method: "POST",
      headers: { authorization: "Bearer at_sandbox", "content-type": "application/json" },
      body: JSON.stringify({ topic: "charges/events", url: "http://127.0.0.1:9/" }),
    });
    await runSandbox(["clock", "advance", "1h", "--url", sandbox.url]);
    expect(await sandbox.stop()).toBe(0);
    expect(await readFile(join(folder, "session.yaml"), "utf8")).toMatch(/externalId: old\n +status: dropped/);
    expect(await replay(folder, ["session.yaml"])).toMatchObject({ code: 0 });
  });

  it("is recorded with companies that are opened later, which have the fixtures too", async () => {
    const fixture = "customers: [{ msisdn: '+2250700000010', firstName: Aya, lastName: Kouamé }]";
    const folder = await folderWith({ "shop.yaml": fixture });
    const options = ["--record", "session.yaml", "--fixtures", "shop.yaml", "--auto-provision"];
    const sandbox = await startSandbox(options, { cwd: folder });
    const check = `${sandbox.url}/v1/transactions/customers/check?msisdn=%2B2250700000010`;
    const known = await fetch(check, { headers: { authorization: "Bearer at_gw0" } });
    expect(await known.json()).toMatchObject({ firstName: "Aya" });
    expect(await sandbox.stop()).toBe(0);
    expect(await readFile(join(folder, "session.yaml"), "utf8")).toMatch(/as: gw0[^]*firstName: Aya/);
    expect(await replay(folder, ["session.yaml"])).toMatchObject({ code: 0 });
  });

  it("is recorded beside companies of a fixtures file, without their records", async () => {
    const folder = await folderWith({});
    const fixtures = join(import.meta.dirname, "../../fixtures/two-companies.yaml");
    const sandbox = await startSandbox(["--record", "session.yaml", "--fixtures", fixtures], { cwd: folder });
    for (const token of ["at_boutique", "at_transport"])
      await fetch(`${sandbox.url}/v1/balance`, { headers: { authorization: `Bearer ${token}` } });
    expect(await sandbox.stop()).toBe(0);
    expect(await replay(folder, ["session.yaml"])).toMatchObject({ code: 0 });
  });

  it("that a scenario cannot repeat is refused at the end, and nothing is written", async () => {
    const folder = await folderWith({});
    const first = await startSandbox(["--store", "file:state.json"], { cwd: folder });
    const { id } = (await (await create(first.url, "order-1")).json()) as { id: string };
    await first.stop();
    const second = await startSandbox(["--store", "file:state.json", "--record", "session.yaml"], { cwd: folder });
    await fetch(`${second.url}/v1/charges/${id}`, { headers: { authorization: "Bearer at_sandbox" } });
    expect(await second.stop()).toBe(3);
    expect(second.stderr).toContain("Failed to write the recording to session.yaml");
    expect(second.stderr).toContain(`GET /v1/charges/${id}`);
    await expect(readFile(join(folder, "session.yaml"))).rejects.toThrow("ENOENT");
  });

  it("plays a scenario's other steps while an application drives the API", async () => {
    const scenario = `name: A created charge is paid
given: { balance: 500 }
steps:
  - name: the customer pays
    when: { request: { operation: createCharge, status: 201 } }
    request: GET /_sandbox/charges
    save: { charge: "body.data[0].id" }
  - request: POST /v1/charges/\${charge}/pay
    expect: { body: { status: paid } }
  - name: after payment
    when: { event: { type: charge.paid } }
    request: GET /v1/balance
    expect: { body: { balance: 10500 } }
`;
    const folder = await folderWith({ "scenario.yaml": scenario });
    const sandbox = await startSandbox(["--scenario", join(folder, "scenario.yaml")]);
    await create(sandbox.url, "order-1");
    expect(await sandbox.waitForLine("scenario-ended")).toMatchObject({
      scenario: "A created charge is paid",
    });
    const charges = (await (await fetch(`${sandbox.url}/_sandbox/charges`)).json()) as { data: { status: string }[] };
    expect(charges.data.map(({ status }) => status)).toEqual(["paid"]);
    expect(await sandbox.stop()).toBe(0);
  });

  it.each(["POST /reset", "PUT /snapshots/begin"])(
    "plays on after %s, which takes back what it has waited for",
    async (call) => {
      const paid = "{ when: { event: { type: charge.paid } }, request: GET /v1/balance }";
      const folder = await folderWith({ "scenario.yaml": `steps: [${paid}, ${paid}]` });
      const sandbox = await startSandbox(["--scenario", join(folder, "scenario.yaml")]);
      const control = (method: string, path: string) => fetch(`${sandbox.url}/_sandbox${path}`, { method });
      const pay = async (externalId: string): Promise<void> => {
        await create(sandbox.url, externalId);
        const { data } = (await (await control("GET", "/charges")).json()) as { data: { id: string }[] };
        await control("POST", `/charges/${data[0]?.id}/pay`);
      };
      await control("POST", "/snapshots/begin");
      await create(sandbox.url, "never-paid");
      await pay("order-1");
      await sandbox.waitForLine("scenario-step");
      const [method = "", path = ""] = call.split(" ");
      expect((await control(method, path)).status).toBe(200);
      await pay("order-2");
      expect(await sandbox.waitForLine("scenario-ended")).toMatchObject({ outcome: "passed" });
      expect(await sandbox.stop()).toBe(0);
    },
  );

  it("reports where a played scenario failed, and keeps serving", async () => {
    const folder = await folderWith({ "scenario.yaml": bad });
    const sandbox = await startSandbox(["--scenario", join(folder, "scenario.yaml")]);
    expect(await sandbox.waitForLine("scenario-ended")).toMatchObject({ outcome: "failed" });
    expect(sandbox.stderr).toContain("scenario.yaml:5:5: GET /v1/balance");
    expect((await fetch(`${sandbox.url}/_sandbox/health`)).status).toBe(200);
    expect(await sandbox.stop()).toBe(0);
  });

  it("is refused with a wrong scenario", async () => {
    const folder = await folderWith({ "scenario.yaml": "steps: [{ advnace: 1h }]\n" });
    const finished = await runSandbox(["start", "--port", "0", "--scenario", join(folder, "scenario.yaml")]);
    expect(finished).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean "advance"') });
  });
});

describe("validate", () => {
  it("checks scenarios and the files that they use", async () => {
    const folder = await folderWith({
      "good.yaml": good,
      "bad.yaml": "steps:\n  - use: broken.yaml\n",
      "broken.yaml": "steps:\n  - wiat: 1s\n",
    });
    expect(await runSandbox(["validate", "good.yaml"], { cwd: folder })).toMatchObject({
      code: 0,
      stdout: "good.yaml: ok (scenario)\n",
    });
    const wrong = await runSandbox(["validate", "bad.yaml"], { cwd: folder });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/broken\.yaml:2:5: .*Did you mean "wait"/) });
  });
});
