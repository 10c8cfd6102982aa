import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buffer, text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Finished, type InputAndOutput, type RunOptions, runSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { problemsOfHar } from "../support/har.js";
import { startReceiver } from "../support/receiver.js";
import { root } from "../support/markdown.js";
import type { LooseJson } from "../support/world.js";

/** The command of a child that runs a JavaScript module. */
const node = (code: string): string[] => [process.execPath, "--input-type=module", "--eval", code];

const exec = (
  options: readonly string[],
  command: readonly string[],
  run?: RunOptions & InputAndOutput,
): Promise<Finished> => runSandbox(["exec", ...options, "--", ...command], run);

/** The JSON that a child of `exec OPTIONS` printed. */
async function outputOf(options: readonly string[], code: string, run?: RunOptions): Promise<LooseJson> {
  const { code: exitCode, stdout, stderr } = await exec(options, node(code), run);
  if (exitCode !== 0) throw new Error(`exec ended with ${exitCode}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Defines `api(path, json?)`, which calls the API. */
const client = `
const { SANDBOX_URL, SANDBOX_ACCESS_TOKEN, SANDBOX_COMPANY_ID } = process.env;
const headers = { authorization: "Bearer " + SANDBOX_ACCESS_TOKEN, "x-company-id": SANDBOX_COMPANY_ID, "content-type": "application/json" };
const api = async (path, json) => (await fetch(SANDBOX_URL + path, { headers, ...(json && { method: "POST", body: JSON.stringify(json) }) })).json();
const order = { amount: 10000, externalId: "order-1", description: "Shoes", onCanceledRedirectionUrl: "https://shop.test/no", onCompletedRedirectionUrl: "https://shop.test/yes" };
`;

/** A child that runs until it gets a signal. */
async function start(options: readonly string[], code: string) {
  const child = spawn(process.execPath, [`${root}bin/sandbox.js`, "exec", ...options, "--", ...node(code)], {
    env: { PATH: process.env["PATH"] ?? "" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const stderr = text(child.stderr);
  const ended = new Promise<number | string>((resolve) =>
    child.once("close", (exitCode, signal) => resolve(exitCode ?? signal ?? "unknown")),
  );
  const nextLine = async (): Promise<string> => String((await lines.next()).value);
  return { child, stderr, ended, nextLine };
}

describe("the child's environment", () => {
  it("has the address and credentials of a running sandbox", async () => {
    const seen = await outputOf(
      [],
      `${client}
       const { SANDBOX_SECRET_KEY } = process.env;
       const created = await api("/v1/charges", order);
       console.log(JSON.stringify({ SANDBOX_URL, SANDBOX_ACCESS_TOKEN, SANDBOX_COMPANY_ID, SANDBOX_SECRET_KEY, status: created.status }));`,
    );
    expect(seen).toEqual({
      SANDBOX_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      SANDBOX_ACCESS_TOKEN: "at_sandbox",
      SANDBOX_COMPANY_ID: "company_sandbox",
      SANDBOX_SECRET_KEY: "secret_sandbox",
      status: "created",
    });
  });

  it("has the additional names of --env", async () => {
    const seen = await outputOf(
      ["--env", "PAY_URL=url", "--env", "PAY_KEY=token", "PAY_COMPANY=company", "--env", "PAY_SECRET=secret"],
      `const { PAY_URL, PAY_KEY, PAY_COMPANY, PAY_SECRET, SANDBOX_URL } = process.env;
       console.log(JSON.stringify([PAY_URL === SANDBOX_URL, PAY_KEY, PAY_COMPANY, PAY_SECRET]))`,
    );
    expect(seen).toEqual([true, "at_sandbox", "company_sandbox", "secret_sandbox"]);
  });

  it.each([
    ["PAY_URL", /--env must be NAME=url\|token\|company\|secret, such as PAYMENTS_URL=url, got "PAY_URL"/],
    ["PAY URL=url", /--env must be NAME=/],
    ["PAY_URL=urls", /--env PAY_URL= must be url, token, company or secret, not "urls"\. Did you mean url\?/],
  ])("does not accept --env %s", async (given, message) => {
    const { code, stdout, stderr } = await exec(["--env", given], node("console.log('ran')"));
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(message);
  });

  it("keeps all other variables, PORT included", async () => {
    const env = { PORT: "1", COLOUR: "red" };
    const seen = await outputOf([], "console.log(JSON.stringify([process.env.PORT, process.env.COLOUR]))", { env });
    expect(seen).toEqual(["1", "red"]);
    // `start` would refuse this value.
    expect(await outputOf([], "console.log(1)", { env: { PORT: "none" } })).toBe(1);
  });
});

it("ends with its command, although a scenario still waits", async () => {
  const cwd = await folderWith({
    "wait.yaml": "steps: [{ wait: 10m }]",
    "eventually.yaml": `steps: [{ eventually: { within: 10m, request: GET /v1/balance, expect: { status: 1 } } }]`,
  });
  const { code, stderr } = await exec(["--scenario", "wait.yaml", "eventually.yaml"], ["true"], { cwd });
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^sandbox: \d request/)]);
});

describe("the exit code", () => {
  it.each([0, 1, 42])("is the child's: %i", async (given) => {
    const { code } = await exec([], node(`process.exit(${given})`));
    expect(code).toBe(given);
  });

  it.each([
    ["SIGKILL", 137],
    ["SIGTERM", 143],
    ["SIGABRT", 134],
  ])("of a child that %s ended is %i, as a shell would say", async (signal, expected) => {
    const { code } = await exec([], node(`process.kill(process.pid, "${signal}"); setInterval(() => {}, 1000);`));
    expect(code).toBe(expected);
  });

  it("is 1 without a command", async () => {
    const { code, stderr } = await exec([], [""]);
    expect(code).toBe(1);
    expect(stderr).toContain("exec needs a command");
  });

  it("is 3 when the command is missing or not executable", async () => {
    const missing = await exec([], ["no-such-command-anywhere"]);
    expect(missing).toEqual({
      code: 3,
      stdout: "",
      stderr: "sandbox: Failed to run no-such-command-anywhere: there is no such command.\n",
    });
    const notOne = await exec([], [`${root}package.json`]);
    expect(notOne.code).toBe(3);
    expect(notOne.stderr).toMatch(/Failed to run .*package\.json: .*EACCES/);
    const inFile = await exec([], [`${root}package.json/run`]);
    expect([inFile.code, inFile.stderr]).toEqual([3, expect.stringMatching(/Failed to run .*: spawn ENOTDIR/)]);
    const line = await exec([], [`node ${"x".repeat(300)}`]);
    expect([line.code, line.stderr]).toEqual([
      3,
      expect.stringMatching(/Failed to run node x{55}…: spawn ENAMETOOLONG/),
    ]);
  });

  it("does not show a secret in the name of a missing command", async () => {
    const { code, stderr } = await exec(["--admin-token", "admin-token-1"], ["ADMIN_TOKEN=admin-token-1", "npm"]);
    expect(code).toBe(3);
    expect(stderr).toBe("sandbox: Failed to run ADMIN_TOKEN=[redacted]: there is no such command.\n");
  });

  it.each(["start", "exec"])("%s does not show a secret in the path of a store that it cannot read", async (verb) => {
    const store = `file:${join(await folderWith({ "admin-token-1": "{" }), "admin-token-1")}`;
    const words = verb === "exec" ? ["--", "true"] : [];
    const { code, stderr } = await runSandbox([verb, "--admin-token", "admin-token-1", "--store", store, ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain("/[redacted]:1:2: ");
    expect(stderr).not.toContain("admin-token-1");
  });

  it.each([[["exec"]], [["exec", "--"]], [["exec", "--clock", "frozen"]]])(
    "is 1 for %j, which has no command",
    async (args) => {
      const { code, stdout, stderr } = await runSandbox(args);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/command/);
    },
  );

  it("is 1 or 2 for wrong options, and the command does not run", async () => {
    const wrong = await exec(["--clock", "tomorrow"], node("console.log('ran')"));
    expect([wrong.code, wrong.stdout]).toEqual([1, ""]);
    const missing = await exec(["--profile", "nowhere.yaml"], node("console.log('ran')"));
    expect([missing.code, missing.stdout]).toEqual([2, ""]);
  });
});

describe("signals", () => {
  it.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const)(
    "%s is passed on to a child, which may take its time",
    async (signal) => {
      const { child, ended, nextLine } = await start(
        [],
        `process.on("${signal}", async () => {
         const { status } = await fetch(process.env.SANDBOX_URL + "/_sandbox/health");
         console.log("${signal} " + status);
         process.exit(5);
       });
       console.log("ready");
       setInterval(() => {}, 1000);`,
      );
      expect(await nextLine()).toBe("ready");
      child.kill(signal);
      // The sandbox runs until the child has ended.
      expect(await nextLine()).toBe(`${signal} 200`);
      expect(await ended).toBe(5);
    },
  );

  it("end a child that does not handle them", async () => {
    const { child, ended, nextLine } = await start([], "console.log('ready'); setInterval(() => {}, 1000);");
    await nextLine();
    child.kill("SIGTERM");
    expect(await ended).toBe(143);
  });

  it("reach a child that is just being started", async () => {
    const signalAtStart = `import childProcess from "node:child_process";
      import { syncBuiltinESMExports } from "node:module";
      const { spawn } = childProcess;
      childProcess.spawn = (...given) => {
        const child = spawn(...given);
        process.kill(process.pid, "SIGTERM");
        return child;
      };
      syncBuiltinESMExports();`;
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(signalAtStart)}` };
    expect((await exec([], ["sleep", "30"], { env })).code).toBe(143);
  });
});

describe("input and output", () => {
  it("are the child's, byte for byte; the sandbox prints on stderr", async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256));
    const child = spawn(
      process.execPath,
      [
        `${root}bin/sandbox.js`,
        "exec",
        "--",
        ...node("process.stdin.pipe(process.stdout); console.error('of the child');"),
      ],
      { env: { PATH: process.env["PATH"] ?? "" } },
    );
    child.stdin.end(bytes);
    const [stdout, stderr] = await Promise.all([buffer(child.stdout), text(child.stderr)]);
    expect(stdout.equals(bytes)).toBe(true);
    expect(stderr).toMatch(
      /^of the child\nsandbox: 0 requests, 0 webhooks acknowledged\nsandbox: the sandbox was never called\nsandbox: 0 % of the contract covered \(0 of \d+\)\n$/,
    );
  });

  it("include calls of unknown paths", async () => {
    const call = "const c = (p) => fetch(process.env.SANDBOX_URL + p, {method: 'POST'});";
    const { stderr } = await exec(
      [],
      node(`${call} c('/charges').then(() => c('/charges')).then(() => c('/v1/nope'))`),
    );
    expect(stderr).toMatch(/^sandbox: 3 requests \(3 × 4xx\), /);
    expect(stderr).toContain(
      '\nsandbox: There is no POST /charges here. Did you mean "/v1/charges"? (2 times)\nsandbox: There is no POST /v1/nope here\n',
    );
  });

  it("may stay unused", async () => {
    const { code, stdout } = await exec([], node("process.exit(0)"), { stdin: "x".repeat(1_000_000) });
    expect([code, stdout]).toEqual([0, ""]);
  });

  it("belong to the child when the sandbox logs", async () => {
    const { stdout, stderr } = await exec(["--log", "json"], node("console.log('of the child')"));
    expect(stdout).toBe("of the child\n");
    expect(stderr).toContain('"event":"stopped"');
  });

  it("do not include options after --, which are the child's", async () => {
    const { stdout } = await exec(["--clock", "frozen"], ["printf", "%s ", "--clock", "--help", "-x", "--", "end"]);
    expect(stdout).toBe("--clock --help -x -- end ");
  });
});

describe("the sandbox", () => {
  it("uses a free port, so that several can run at a time", async () => {
    const wait = "console.log(process.env.SANDBOX_URL); process.stdin.resume();";
    const runs = await Promise.all([1, 2].map(() => start([], wait)));
    const urls = await Promise.all(runs.map(({ nextLine }) => nextLine()));
    expect(new Set(urls).size).toBe(2);
    const answers = await Promise.all(urls.map((url) => fetch(`${url}/_sandbox/health`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    for (const { child } of runs) child.stdin.end();
    expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual([0, 0]);
    await Promise.all(urls.map((url) => expect(fetch(url)).rejects.toThrow("fetch failed")));
  });

  it("accepts the options of start", async () => {
    const folder = await folderWith({ "strict.yaml": "http: { createdStatus: 200 }\n" });
    const options = ["--clock", "2026-01-15T09:00:00Z", "--profile", join(folder, "strict.yaml"), "--seed", "7"];
    const seen = await outputOf(
      options,
      `${client}
       const created = await fetch(SANDBOX_URL + "/v1/charges", { method: "POST", headers, body: JSON.stringify(order) });
       const { id } = await created.json();
       await api("/_sandbox/clock/advance", { by: "1h" });
       const { status } = await api("/v1/charges/" + id);
       console.log(JSON.stringify({ created: created.status, status, now: (await api("/_sandbox/clock")).now }));`,
    );
    expect(seen).toEqual({ created: 200, status: "dropped", now: "2026-01-15T10:00:00.000Z" });
  });

  it("applies files of rules beside those of the configuration, and sends at the end what they hold", async () => {
    const cwd = await folderWith({
      "sandbox.config.yaml": "rules: [{ on: request, match: { path: /v1/balance }, then: { status: 503 } }]\n",
      "one.yaml": "- { on: request, match: { path: /v1/balance, nth: 2 }, then: { status: 502 }, times: 1 }\n",
      "two.json": JSON.stringify([{ on: "delivery", then: { hold: "end" } }]),
    });
    const receiver = await startReceiver();
    const seen = await outputOf(
      ["--rules", "one.yaml", "two.json"],
      `${client}
       await api("/v1/webhooks", { topic: "charges/events", url: ${JSON.stringify(receiver.url)} });
       const { id } = await api("/v1/charges", order);
       await fetch(SANDBOX_URL + "/v1/charges/" + id + "/pay", { method: "POST", headers });
       const statuses = [];
       for (let n = 0; n < 3; n++) statuses.push((await fetch(SANDBOX_URL + "/v1/balance", { headers })).status);
       await api("/_sandbox/settle", {});
       const { data } = await api("/_sandbox/deliveries");
       console.log(JSON.stringify({ statuses, deliveries: data.map(({ status }) => status) }));`,
      { cwd },
    );
    expect(seen).toEqual({ statuses: [503, 502, 503], deliveries: ["pending"] });
    expect(receiver.received.map(({ body }) => body.data.status)).toEqual(["paid"]);
  });

  it("names what is wrong in a file of rules with line and column", async () => {
    const cwd = await folderWith({ "rules.yaml": "- on: request\n  then: { fault: rest }\n" });
    const { code, stderr } = await exec(["--rules", "rules.yaml"], node(""), { cwd });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^(?:sandbox: )?rules\.yaml:2:\d+: .*fault must be one of/),
    ]);
  });

  it("uses the configuration of the folder, except its port", async () => {
    const cwd = await folderWith({ "sandbox.config.yaml": "balance: 77\nport: 1\n" });
    const seen = await outputOf([], `${client} console.log(JSON.stringify(await api("/v1/balance")));`, { cwd });
    expect(seen).toEqual({ balance: 77, currency: "XOF" });
  });
});

describe("the report", () => {
  it("shows no secret that the client sent anywhere", async () => {
    const leak = `
      const { SANDBOX_URL: url, SANDBOX_ACCESS_TOKEN: token, SANDBOX_SECRET_KEY: key } = process.env;
      const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
      const post = (path, body) => fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
      await post("/v1/webhooks", { topic: "transactions/started", url: "http://127.0.0.1:1/?key=" + key });
      await post("/v1/transactions", { amount: 5000, msisdn: "0700000001", reference: token, type: "transfer" });
      await post("/_sandbox/rules", { name: "of " + token, on: "request", match: { body: { key } }, then: { status: 503 } });
      await post("/_sandbox/rules", { on: "request", match: { headers: { authorization: "Bearer " + token } }, then: { body: key } });
      await post("/_sandbox/settle");
    `;
    const folder = await folderWith({});
    const allow = ["--allow", "webhook-slow:http://127.0.0.1:1/?key=secret_sandbox"];
    const { code, stderr } = await exec([...allow, "--fail-under", "1", "--report", folder], node(leak));
    expect(code, stderr).toBe(0);
    const files = await Promise.all(
      ["sandbox.json", "coverage.md"].map((file) => readFile(join(folder, file), "utf8")),
    );
    expect(stderr).toContain("not acknowledged: transactions/started to http://127.0.0.1:1/?key=[redacted]");
    expect(stderr).toContain('the rule "of [redacted]" never fired');
    expect(stderr).toContain("allowed, but never found: webhook-slow:http://127.0.0.1:1/?key=[redacted]");
    expect([stderr, ...files].join()).not.toMatch(/at_sandbox|secret_sandbox/);
  });

  it("shows names on lines of its own, without control characters", async () => {
    const rule = { name: "x\u001b[2J\n::error::y", on: "request", match: { method: "DELETE" }, then: { status: 503 } };
    const { stderr } = await exec([], node(`${client} await api("/_sandbox/rules", ${JSON.stringify(rule)});`));
    expect(stderr).toContain(String.raw`the rule "x\u001b[2J`);
    expect(stderr).toContain("::error::y");
    expect(stderr.trimEnd().split("\n")).toSatisfy((lines: string[]) =>
      lines.every((line) => line.startsWith("sandbox: ")),
    );
  });

  const program = `${client}
    import { createServer } from "node:http";
    const shop = createServer((request, response) => response.writeHead(200).end()).listen(0, async () => {
      const url = "http://127.0.0.1:" + shop.address().port;
      await api("/v1/webhooks", { topic: "charges/events", url });
      await api("/v1/webhooks", { topic: "charges/events", url: "http://127.0.0.1:9/" });
      const { id } = await api("/v1/charges", order);
      await api("/v1/charges", { ...order, externalId: undefined });
      await api("/v1/charges/" + id + "/pay", {});
      await api("/_sandbox/settle", {});
      shop.close();
      process.exitCode = Number(process.env.EXIT ?? 0);
    });`;

  it("prints requests and unacknowledged webhooks on stderr", async () => {
    const { stderr } = await exec(["--clock", "frozen"], node(program));
    expect(stderr).toMatch(
      /^sandbox: 5 requests \(4 × 2xx, 1 × 4xx\), 1 webhook acknowledged\nsandbox: not acknowledged: charges\/events to http:\/\/127\.0\.0\.1:9\/: .*ECONNREFUSED.*\nsandbox: 8\.\d % of the contract covered \(\d+ of \d+\)\nsandbox: 1 finding\nsandbox: warning: webhook-unacknowledged\n/,
    );
  });

  it("has an archive of requests and webhooks, which a reset does not empty", async () => {
    const file = join(await folderWith({}), "reports/traffic.har");
    const { code } = await exec(
      ["--clock", "frozen", "--har", file],
      node(`${client}
        await api("/v1/charges", order);
        await api("/_sandbox/reset", {});
        await api("/v1/balance");`),
    );
    expect(code).toBe(0);
    const archive = JSON.parse(await readFile(file, "utf8"));
    expect(problemsOfHar(archive)).toEqual([]);
    const asked = archive.log.entries.map(
      ({ request, response }: LooseJson) => `${request.method} ${new URL(request.url).pathname} ${response.status}`,
    );
    expect(asked).toEqual(["POST /v1/charges 201", "GET /v1/balance 200"]);
    expect(JSON.stringify(archive)).not.toContain("at_sandbox");
  });

  it("writes the archive as requests come, so that it does not have to fit into memory", async () => {
    const file = join(await folderWith({}), "traffic.har");
    const seen = await outputOf(
      ["--har", file],
      `${client}
        import { readFile } from "node:fs/promises";
        await api("/v1/balance");
        let entries = [];
        for (const end = Date.now() + 5_000; entries.length === 0 && Date.now() < end; ) entries = JSON.parse(await readFile(${JSON.stringify(file)}, "utf8") || "{}").log?.entries ?? [];
        console.log(JSON.stringify(entries.length));`,
    );
    expect(seen).toBe(1);
  });

  it("is also written to a folder, which is created", async () => {
    const folder = join(await folderWith({}), "reports/today");
    const { code } = await exec(["--clock", "2026-01-15T09:00:00Z", "--report", folder], node(program));
    expect(code).toBe(0);
    expect(JSON.parse(await readFile(join(folder, "sandbox.json"), "utf8"))).toMatchObject({
      requests: 5,
      statuses: { "2xx": 4, "4xx": 1 },
      webhooks: {
        delivered: 1,
        unacknowledged: [
          { topic: "charges/events", url: "http://127.0.0.1:9/", error: expect.stringContaining("ECONNREFUSED") },
        ],
      },
      clock: "2026-01-15T09:00:00.000Z",
      findings: [{ kind: "webhook-unacknowledged" }],
      rulesNeverFired: [],
      coverage: { percent: expect.any(Number) },
    });
  });

  it("that cannot be written gives exit code 3, and the command does not run", async () => {
    const folder = await folderWith({ taken: "" });
    const options = ["--clock", "frozen", "--report", join(folder, "taken")];
    const green = await exec(options, node(program));
    expect([green.code, green.stdout]).toEqual([3, ""]);
    expect(green.stderr).toMatch(/sandbox: Failed to write the report to .*taken\/sandbox\.json: EEXIST/);
  });
});
