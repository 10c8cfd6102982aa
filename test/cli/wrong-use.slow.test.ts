import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runSandbox, startSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { originOfNobody, serveHttp } from "../support/listen.js";

describe("exit code 1, a wrong command line", () => {
  it.each<[string, string]>([
    ["strat", 'Unknown verb "strat". Did you mean "start"? Run `npx sandbox --help`'],
    ["nonsense", 'Unknown verb "nonsense". Run `npx sandbox --help`'],
    ["help strat", 'Unknown verb "strat". Did you mean "start"?'],
    ["audti", 'Unknown verb "audti". Did you mean "audit"?'],
    ["audit", "Which receiver? Give its URL"],
    ["start --prot 1", "Unknown option '--prot'. Did you mean --port? Run `npx sandbox start --help`"],
    ["--port 1", "Unknown option '--port'. It belongs to a verb: `npx sandbox start --port`."],
    ["start --port", "Option '--port <number>' argument missing."],
    ["start --port http", '--port must be a whole number from 0 to 65535 (0 takes a free port), not "http".'],
    ["start --store redis", '--store must be memory or file:PATH, not "redis".'],
    ["start extra", "Too many arguments for 'start'."],
    [
      "clock advnace 1h",
      'The clock cannot "advnace": it can show, advance, set, freeze, resume. Did you mean "advance"?',
    ],
    ["clock advance", "advance needs a duration such as 1h, or --to-next."],
    ["clock advance 1x", '"1x" is not a duration: unknown unit "x"'],
    ["clock advance -1h", "A duration must not be negative."],
    ["clock advance 1h --to-next", "advance takes a duration or --to-next, not both"],
    ["clock set tomorrow", 'must be an ISO instant such as 2026-01-15T09:00:00Z, not "tomorrow".'],
    ["clock set", "set needs an ISO instant"],
    ["clock freeze now", 'freeze takes no value, got "now".'],
    ["clock --to-next", "--to-next belongs to advance"],
    ["clock --url ftp://x", "--url must be an absolute http or https URL"],
    [
      "clock --url https://me:hidden@x.test",
      'URL without credentials and query, such as https://sandbox.example, not "…@x.test".',
    ],
    ["sign --secret=", "--secret must not be empty."],
    ["calibrate traffic.har --fail-on=", '--fail-on must be set, drift or contradicted, not "".'],
    ["proxy --target http://127.0.0.1:9 --redact=", '--redact must be one name or more, not "".'],
    ["validate", "Missing required argument 'file'."],
    ["openapi --format xml", '--format must be yaml or json, not "xml".'],
    ["profile --format markdown", '--format must be md, yaml or json, not "markdown".'],
  ])("sandbox %s", async (line, message) => {
    const { code, stdout, stderr } = await runSandbox(line.split(" "));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^sandbox: /);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it.each(["state.json", "./data/../state.json", "link.json", "folder/state.json"])(
    "the store as the recording, which would replace it: %s",
    async (record) => {
      const cwd = await folderWith({});
      await symlink("state.json", join(cwd, "link.json"));
      await symlink(".", join(cwd, "folder"));
      const { code, stderr } = await runSandbox(["start", "--store", "file:state.json", "--record", record], { cwd });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining("--record and --store name the same file, state.json. Name two."),
      });
      expect(await readFile(join(cwd, "state.json"), "utf8")).toContain('"schemaVersion"');
    },
  );

  it.each<[string, string[]]>([
    ["--record", ["start", "--config", "c.yaml", "--record", "./c.yaml"]],
    ["--record", ["start", "--profile", "p.yaml", "--record", "link.yaml"]],
    ["--record", ["start", "--fixtures", "f.yaml", "--record", "f.yaml"]],
    ["--har", ["exec", "--scenario", "s.yaml", "--har", "s.yaml", "--", "true"]],
    ["--har", ["exec", "--rules", "r.yaml", "--har", "r.yaml", "--", "true"]],
    ["--out", ["replay", "s.yaml", "--out", "s.yaml"]],
    ["--out", ["replay", "s*.yaml", "--out", "./s.yaml"]],
    ["--out", ["audit", "http://127.0.0.1:9/", "--event", "e.json", "--out", "e.json"]],
  ])("%s that would replace what the command reads: %j", async (option, args) => {
    const files = {
      "c.yaml": "clock: frozen\n",
      "p.yaml": "charges: { ttl: 1h }\n",
      "f.yaml": "customers: []\n",
      "s.yaml": "steps: [{ request: GET /v1/balance, expect: { status: 200 } }]\n",
      "r.yaml": "- { on: request, then: { status: 500 } }\n",
      "e.json": '{"topic":"charges/events","data":{}}',
    };
    const cwd = await folderWith(files);
    await symlink("p.yaml", join(cwd, "link.yaml"));
    const { code, stderr } = await runSandbox(args, { cwd });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`${option} would replace `) });
    for (const [name, text] of Object.entries(files)) expect(await readFile(join(cwd, name), "utf8")).toBe(text);
  });

  it("names the wrong variable", async () => {
    const { code, stderr } = await runSandbox(["start"], { env: { PORT: "http", SANDBOX_SEED: "x" } });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^sandbox: PORT must be .*\nsandbox: SANDBOX_SEED must be a whole number, not "x"\.\n$/,
      ),
    });
    expect((await runSandbox(["clock"], { env: { SANDBOX_URL: "nowhere" } })).stderr).toContain("SANDBOX_URL must be");
  });
});

describe("a token that no header can carry", () => {
  it.each<[string, string[], Record<string, string>]>([
    ["--admin-token", ["clock", "--admin-token", "s3cret\nx"], {}],
    ["--admin-token", ["companies", "export", "company_shop", "--admin-token", "s3cret é"], {}],
    ["SANDBOX_ADMIN_TOKEN", ["clock"], { SANDBOX_ADMIN_TOKEN: "s3cret\n" }],
    ["--token", ["replay", "@shipped/balance", "--target", "http://127.0.0.1:9", "--token", "s3cret é"], {}],
    ["--company", ["calibrate", "--target", "http://127.0.0.1:9", "--token", "x", "--company", "s3cret é"], {}],
  ])("in %s is refused, and not shown", async (source, args, env) => {
    const { code, stdout, stderr } = await runSandbox(args, { env });
    expect([code, stdout, stderr]).toEqual([
      1,
      "",
      `sandbox: ${source} must be printable ASCII without spaces, and not empty.\n`,
    ]);
  });
});

describe("exit code 2, a wrong file", () => {
  it.each<[string, RegExp]>([
    ["start --config no.yaml", /^Failed to read no\.yaml: there is no such file/],
    ["start --profile no.yaml", /^Failed to read no\.yaml: there is no such file/],
    ["start --fixtures no.yaml", /^Failed to read no\.yaml: there is no such file/],
    ["start --tls-cert no.pem --tls-key no.pem", /^Failed to read no\.pem: there is no such file/],
    ["sign no.json", /^Failed to read no\.json: there is no such file/],
    ["sign .", /^Failed to read \.: it is a folder/],
    ["validate no.yaml", /^Failed to read no\.yaml: there is no such file/],
  ])("sandbox %s", async (line, message) => {
    const { code, stdout, stderr } = await runSandbox(line.split(" "));
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(message) });
  });

  it.each<[string, string, RegExp]>([
    ["sandbox.config.yaml", "port: 4010\nprot: 4011\n", /^sandbox\.config\.yaml:2:1: .*prot.*Did you mean "port"\?/],
    [
      "sandbox.config.json",
      '{\n  "clock": "frosen"\n}',
      /^sandbox\.config\.json:2:12: .*clock.*Did you mean "frozen"\?/,
    ],
    ["sandbox.config.yml", "port: [", /^sandbox\.config\.yml:\d+:\d+: /],
    ["sandbox.config.yaml", "profile: { charges: { tll: 1h } }", /^sandbox\.config\.yaml:1:23: .*charges\.ttl/],
    ["sandbox.config.yaml", "store: redis", /^sandbox\.config\.yaml:1:8: store must be memory or file:PATH/],
  ])("a configuration %s that says %j", async (name, content, message) => {
    const { code, stdout, stderr } = await runSandbox(["start"], { cwd: await folderWith({ [name]: content }) });
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(message) });
  });

  it("valid files that conflict", async () => {
    const charge = "{ externalId: order-1, amount: 100, description: Shoes, status: due }";
    const cwd = await folderWith({ "a.yaml": `charges: [${charge}]`, "b.yaml": `charges: [${charge}]` });
    const { code, stderr } = await runSandbox(["start", "--fixtures", "a.yaml", "b.yaml"], { cwd });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("order-1") });
  });

  it("a wrong certificate", async () => {
    const cwd = await folderWith({ "cert.pem": "no", "key.pem": "no" });
    const { code, stderr } = await runSandbox(["start", "--tls-cert", "cert.pem", "--tls-key", "key.pem"], { cwd });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("They must be a PEM pair") });
  });
});

describe("exit code 3, it could not run", () => {
  it("the port is taken", async () => {
    const first = await startSandbox();
    onTestFinished(() => void first.stop());
    const { port } = new URL(first.url);
    const { code, stdout, stderr } = await runSandbox(["start", "--port", port]);
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: "",
      stderr: `sandbox: Failed to listen on 127.0.0.1:${port}: the port is taken. Choose another with --port, or --port 0 for a free one.\n`,
    });
  });

  it("the address is not one of this machine", async () => {
    const { code, stderr } = await runSandbox(["start", "--host", "192.0.2.1"]);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining("Choose another with --host.") });
  });

  it("no sandbox listens at the address", async () => {
    const url = await originOfNobody();
    const { code, stdout, stderr } = await runSandbox(["clock", "advance", "1h", "--url", url]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain(
      `sandbox: Failed to reach the sandbox at ${url}: nothing listens there. Start one with \`npx sandbox start\``,
    );
  });

  it.each<[string, number, string]>([
    ["a web page", 200, "<html>"],
    ["another API", 404, '{"error":"not found"}'],
    ["JSON of another kind", 200, "[1]"],
    ["an error that is no text", 409, '{"message":[{"toString":1}]}'],
    ["an error that is nested too deep", 409, `{"message":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    [
      "a clock without times",
      200,
      '{"now":"x","mode":"frozen","pendingTimers":1,"next":{"at":"x","kind":"x","id":"x"}}',
    ],
    [
      "a clock with control characters",
      200,
      '{"now":"2026-01-15T09:00:00.000Z","mode":"\\u001b[2J","pendingTimers":0}',
    ],
  ])("what is there is %s", async (_, status, body) => {
    const url = await serveHttp((_request, response) => response.writeHead(status).end(body));
    const { code, stderr } = await runSandbox(["clock", "--url", url]);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining("it is not a sandbox"),
    });
  });

  it("the server there is not a sandbox", async () => {
    const url = await serveHttp((_request, response) => response.writeHead(200).end("null"));
    const { code, stdout, stderr } = await runSandbox(["companies", "export", "company_shop", "--url", url]);
    expect([code, stdout, stderr]).toEqual([3, "", expect.stringContaining("it is not a sandbox")]);
  });

  it("the server there answers with control characters, which are not printed", async () => {
    const body = JSON.stringify({ message: ["\u001B]0;title\u0007\n::error::x"] });
    const url = await serveHttp((_request, response) => response.writeHead(409).end(body));
    const { code, stderr } = await runSandbox(["clock", "--url", url]);
    expect([code, stderr]).toEqual([3, "sandbox: \\u001b]0;title\\u0007 ::error::x\n"]);
  });
});

describe("exit code 70, a bug", () => {
  // An uncaught error.
  const preload = "data:text/javascript,process.on('SIGUSR2',()=>{throw%20new%20TypeError('boom')})";

  async function crash(env: Record<string, string>): Promise<{ code: number | string; stderr: string }> {
    const sandbox = await startSandbox([], { env: { NODE_OPTIONS: `--import ${preload}`, ...env } });
    sandbox.signal("SIGUSR2");
    return { code: await sandbox.ended, stderr: sandbox.stderr };
  }

  it("is reported in one line, with what to do", async () => {
    expect(await crash({})).toEqual({
      code: 70,
      stderr:
        "sandbox: Unexpected TypeError: boom. This is a bug of the sandbox: please report it, with what SANDBOX_DEBUG=1 prints.\n",
    });
  });

  it("is reported with its stack under SANDBOX_DEBUG=1", async () => {
    expect((await crash({ SANDBOX_DEBUG: "1" })).stderr).toMatch(/TypeError: boom\n +at /);
  });
});
