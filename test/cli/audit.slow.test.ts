import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allChecks } from "../../src/audit/check-list.js";
import { mistakes } from "../audit/mistakes.js";
import { type Receive, SECRET, isGenuine, sound, startReceiver } from "../audit/receivers.js";
import { runSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { listen, serveHttp } from "../support/listen.js";
import { selfSigned } from "../support/self-signed.js";
import { parseJunit } from "../support/junit.js";
import type { XmlElement } from "../support/xml.js";

const receiving = (name: string): Receive => mistakes[name]?.receive ?? sound;

const audit = async (receive: Receive, args: readonly string[] = [], env: Record<string, string> = {}) => {
  const { url, received } = await startReceiver(receive);
  const finished = await runSandbox(["audit", url, ...args], { env: { SANDBOX_SECRET_KEY: SECRET, ...env } });
  return { ...finished, url, received };
};

describe("sandbox audit", { timeout: 60_000 }, () => {
  it("finds no mistake in a correct receiver, and exits with 0", async () => {
    const { code, stdout, stderr } = await audit(sound);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^✓ valid-event +an ordinary event +200 +\d+ ms$/m);
    expect(stdout).toMatch(/^- all skipped: nothing says how the application's state is read \(--check/m);
    expect(stdout).toMatch(/^\d+ passed, \d+ skipped: \d+ requests in [\d.]+ s\n$/m);
    expect(stdout).not.toContain("✗");
  });

  it("reports what was sent, what came back, why it matters and the fix; exits with 4", async () => {
    const { code, stdout } = await audit(receiving("skips verification when the header is missing"));
    expect(code).toBe(4);
    expect(stdout).toMatch(/^✗ signature-missing +an event without a signature +200 +\d+ ms$/m);
    expect(stdout).toMatch(/^- signature-empty +a consequence of signature-missing +200 +\d+ ms$/m);
    const [, details = ""] = stdout.split("✗ signature-missing (critical)\n");
    expect(details).toMatch(
      /^ {2}Expected +an event without a signature is refused\n {2}Sent +an event without a signature\n {2}Came back +200 "200" after \d+ ms\n {2}Why +Verification is skipped/,
    );
    expect(details).toMatch(/\n {2}Fix +Refuse with 401 when the header is missing/);
    expect(details).toContain("Verify the signature of the raw body, in Node:");
    expect(details).toContain("  def is_genuine(raw_body, headers, secret_key):");
    expect(details).toContain("  function is_genuine(string $rawBody, ?string $header, string $secretKey): bool");
    expect(stdout).toMatch(/^1 failed \(1 critical\), \d+ passed, \d+ skipped: /m);
    expect(Math.max(...stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  it("prints colours when they are wanted", async () => {
    const { stdout } = await audit(receiving("compares hex"), ["--only", "forged"], { FORCE_COLOR: "1" });
    expect(stdout).toContain("\u001B[31m✗ signature-hex (high)\u001B[39m\n");
    expect(stdout).toContain("\u001B[2m  check ");
  });

  it("reports first that an ordinary event is refused, and what to check", async () => {
    const { code, stdout, url } = await audit(sound, [], { SANDBOX_SECRET_KEY: "secret_wrong" });
    expect(code).toBe(4);
    const [intro = ""] = stdout.split("\n  check");
    expect(intro.replaceAll(/\s+/g, " ")).toMatch(
      new RegExp(
        `^${url} does not accept an ordinary event with the right signature. Check, in this order: 1. the secret: .* 2. the header: .* 3. the URL: `,
      ),
    );
    expect(stdout).toMatch(/^- all skipped: proves nothing while the ordinary event is not accepted$/m);
    const hex = await audit(receiving("compares hex"));
    expect(hex.stdout).toContain("  1. the check signature-hex: it says what is accepted instead.\n");
    const unknown = await audit((incoming) =>
      isGenuine(incoming.body, incoming.headers["x-service-hmac-sha256"]) ? 404 : 401,
    );
    expect(unknown.stdout).toMatch(/^ {2}2\. the content: a receiver that refuses what it does not know/m);
  });

  it("exits with 0 when there are only warnings", async () => {
    const { code, stdout } = await audit(receiving("takes 16 KiB at most"));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^! long-event +a genuine event of 64 KiB +413/m);
    expect(stdout).toContain("! long-event (warning)\n  Expected    an event of 64 KiB is accepted\n");
    expect(stdout).toMatch(/^1 warning, \d+ passed/m);
  });

  it("prints a JSON report", async () => {
    const { code, stdout, stderr, url } = await audit(receiving("compares hex"), ["--json"]);
    expect(code).toBe(4);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ receiver: url, passed: false, accepted: false, counts: { fail: 1, warn: 0 } });
    expect(report.checks.map(({ id }: { id: string }) => id)).toEqual(allChecks.map(({ id }) => id));
    const [hex] = report.checks.filter(({ verdict }: { verdict: string }) => verdict === "fail");
    expect(hex).toMatchObject({
      id: "signature-hex",
      severity: "high",
      sent: "an event whose signature is in hex",
      received: { status: 200, location: null, body: "200" },
      snippets: { node: expect.stringContaining("isGenuine"), python: expect.any(String), php: expect.any(String) },
    });
    expect(report.checks[0]).toMatchObject({
      id: "valid-event",
      verdict: "skipped",
      causedBy: "signature-hex",
      snippets: null,
    });
    expect(stderr).toMatch(/^1 failed, .* requests in /);
    expect((await audit(receiving("compares hex"), ["--reporter", "json"])).stdout).toContain('"passed": false');
  });

  it("prints a JUnit report, or writes it to a file", async () => {
    const cwd = await folderWith({});
    const { url } = await startReceiver(receiving("takes 16 KiB at most"));
    const args = ["audit", url, "--secret", SECRET, "--reporter", "junit", "--out", "report.xml"];
    const { code, stdout, stderr } = await runSandbox(args, { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(/^1 warning, /);
    const suites = parseJunit(await readFile(join(cwd, "report.xml"), "utf8"));
    expect(suites.attributes).toMatchObject({ tests: String(allChecks.length), failures: "0", errors: "0" });
    const cases = suites.children.flatMap(({ children }) => children);
    const caseOf = (id: string): XmlElement | undefined =>
      cases.find(({ attributes }) => attributes["name"]?.startsWith(`${id}: `));
    expect(cases).toHaveLength(allChecks.length);
    expect(caseOf("long-event")?.children[0]?.name).toBe("system-out");
    expect(caseOf("state-duplicate")?.children[0]?.name).toBe("skipped");
    const broken = await audit(receiving("verifies nothing"), ["--reporter", "junit"], { FORCE_COLOR: "1" });
    const [failure] = parseJunit(broken.stdout)
      .children.flatMap(({ children }) => children.flatMap((each) => each.children))
      .filter(({ name }) => name === "failure");
    expect(failure?.attributes).toEqual({
      message: "an event signed with another secret is accepted with 200",
      type: "critical",
    });
    expect(failure?.text).toContain("Fix  ");
  });

  it("runs only the chosen checks, with the URL before or after them", async () => {
    const { stdout, received } = await audit(sound, [
      "--only",
      "garbage,header-case",
      "signature-hex",
      "--skip",
      "garbage",
    ]);
    expect(stdout.match(/^✓ \S+/gm)).toEqual(["✓ header-case", "✓ signature-hex"]);
    expect(received.length).toBeLessThan(10);
    const { url } = await startReceiver(sound);
    const last = await runSandbox(["audit", "--secret", SECRET, "--only", "signature-hex", url]);
    expect(last).toMatchObject({ code: 0, stdout: expect.stringContaining("✓ signature-hex") });
  });

  it("lists the checks", async () => {
    const { code, stdout } = await runSandbox(["audit", "--list"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Forged events are refused \(forged\)$/m);
    for (const { id, severity, title } of allChecks) {
      const line = stdout.split("\n").find((each) => each.startsWith(`  ${id} `));
      expect(line).toContain(`  ${severity}`);
      expect(stdout.replaceAll(/\s+/g, " ")).toContain(title);
    }
    const listed = JSON.parse((await runSandbox(["audit", "--list", "--json"])).stdout);
    expect(listed.map(({ id }: { id: string }) => id)).toEqual(allChecks.map(({ id }) => id));
  });

  it("sends the exact bytes of an event file, with the given header and topic", async () => {
    const event = '{"topic": "charge/events",  "data": {"id": "ch_1", "amount": 50.50}}\n';
    const cwd = await folderWith({ "event.json": event });
    const { url, received } = await startReceiver(({ headers, body }) =>
      isGenuine(body, headers["x-sig"]) ? 204 : 403,
    );
    const args = ["audit", url, "--secret", SECRET, "--header", "X-Sig"];
    const { code, stdout } = await runSandbox([...args, "--event", "event.json", "--skip", "robust"], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^✓ valid-event .* 204 /m) });
    expect(received[0]?.body.toString()).toBe(event);
    await runSandbox([...args, "--topic", "transactions/failed", "--only", "valid-event"]);
    expect(JSON.parse(received.at(-1)?.body.toString() ?? "")).toMatchObject({
      topic: "transactions/failed",
      data: { status: "failed", failureReason: "recipient_unreachable" },
    });
  });

  it("reads the application's state with a command, and prints the failing schedule as a scenario", async () => {
    const cwd = await folderWith({ count: "0" });
    let count = 0;
    const { url } = await startReceiver((incoming) => {
      const status = sound(incoming);
      if (status !== 200) return status;
      const { data } = JSON.parse(incoming.body.toString());
      if (data.status === "paid") writeFileSync(join(cwd, "count"), String(++count));
      return 200;
    });
    const args = ["audit", url, "--secret", SECRET, "--only", "state-duplicate", "--check"];
    const { code, stdout } = await runSandbox([...args, "cat count"], { cwd });
    expect(code).toBe(4);
    expect(stdout).toMatch(/^✗ state-duplicate /m);
    expect(stdout).toMatch(/^ {2}Deliveries +.*paid.*; then .*paid/m);
    expect(stdout).toMatch(/^ {2}As a scenario:\n(?: {4}.*\n)+ {4}name: /m);
    const failing = await runSandbox([...args, "exit 3"], { cwd });
    expect(failing).toMatchObject({ code: 3, stdout: "", stderr: expect.stringMatching(/^sandbox: .*exit 3/) });
  });

  it("refuses a self-signed certificate unless NODE_EXTRA_CA_CERTS names it", async () => {
    const server = createServer(selfSigned, (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const genuine = isGenuine(Buffer.concat(chunks), request.headers["x-service-hmac-sha256"]);
        response.writeHead(genuine ? 200 : 401).end();
      });
    });
    const url = `https://127.0.0.1:${await listen(server)}/`;
    const cwd = await folderWith({ "ca.pem": selfSigned.cert });
    const args = ["audit", url, "--secret", SECRET, "--only", "forged"];
    const refused = await runSandbox(args, { cwd });
    expect(refused).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringContaining("its certificate is not trusted (set NODE_EXTRA_CA_CERTS"),
    });
    const trusted = await runSandbox(args, { cwd, env: { NODE_EXTRA_CA_CERTS: "ca.pem" } });
    expect({ code: trusted.code, stderr: trusted.stderr }).toEqual({ code: 0, stderr: "" });
  });
});

describe("wrong use of sandbox audit", { timeout: 60_000 }, () => {
  const url = "http://127.0.0.1:9/webhooks";

  it.each([
    [
      1,
      [],
      "sandbox: Which receiver? Give its URL, such as `business-payments-sandbox audit http://127.0.0.1:4020/webhooks`.\n",
    ],
    [
      1,
      ["nonsense"],
      'sandbox: The receiver must be an absolute http or https URL, such as http://127.0.0.1:4020/webhooks, not "nonsense".\n',
    ],
    [1, [url, "--only", "signature-hx"], 'There is no check "signature-hx". Did you mean "signature-hex"?'],
    [1, [url, "--skip", "forgd"], 'There is no check "forgd". Did you mean "forged"?'],
    [1, [url, "--secret", ""], "sandbox: --secret must not be empty."],
    [
      1,
      [url, "--header", "x sig"],
      'sandbox: --header must be the name of a header that HTTP itself does not use, such as x-service-hmac-sha256, not "x sig".',
    ],
    [1, [url, "--header", "Trailer"], "must be the name of a header that HTTP itself does not use"],
    [1, [url, "--topic", " "], "sandbox: --topic must be a topic, such as charges/events"],
    [1, [url, "--reporter", "jnuit"], "Did you mean junit?"],
    [1, [url, "--onyl", "forged"], "Did you mean --only?"],
    [1, [url, "http://127.0.0.1:8/"], "Too many arguments for 'audit'."],
    [2, [url, "--event", "missing.json"], "Failed to read missing.json: there is no such file."],
    [2, [url, "--event", "broken.json"], "broken.json:2:"],
    [2, [url, "--event", "deep.json"], "deep.json: the event is nested deeper than 200 levels."],
    [2, [url, "--event", "list.json"], "list.json:1:1: an event must be a JSON object"],
    [2, [url, "--event", "event.yaml"], "event.yaml:1:1: an event must be JSON"],
    [
      3,
      [url],
      `sandbox: Failed to reach the receiver at ${url}: nothing listens there. Start it, or look at the URL.\n`,
    ],
  ])("exits %i for %j", async (code, args, message) => {
    const cwd = await folderWith({
      "broken.json": '{\n  "topic": "charges/events",,\n}\n',
      "list.json": "[]",
      "deep.json": `{"data": ${"[".repeat(10_000)}${"]".repeat(10_000)}}`,
      "event.yaml": "topic: charges/events\n",
    });
    const finished = await runSandbox(["audit", ...args], { cwd });
    expect({ ...finished, stderr: finished.stderr }).toEqual({
      code,
      stdout: "",
      stderr: expect.stringContaining(message),
    });
    expect(finished.stderr).not.toMatch(/^ {4}at /m);
  });

  it("names the wrong variable", async () => {
    const env = { SANDBOX_URL: "nowhere", SANDBOX_ACCESS_TOKEN: "at_sandbox" };
    const { code, stderr } = await runSandbox(["audit", url, "--check", "echo 1"], { env });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^sandbox: SANDBOX_URL must be an absolute /),
    });
  });

  it("never shows a secret", async () => {
    const secret = "s3cr3t-of-nobody";
    const { url: receiver } = await startReceiver(() => 401, { location: secret });
    for (const reporter of ["pretty", "junit", "json"]) {
      const address = receiver.replace("//", "//user:p4ssw0rd@");
      const { stdout, stderr } = await runSandbox(["audit", address, "--secret", secret, "--reporter", reporter]);
      expect(stdout + stderr).not.toMatch(/s3cr3t|p4ssw0rd/);
    }
    const shown = await startReceiver(() => 401, { location: "/?at_of_nobody&admin_of_nobody" });
    const tokens = { SANDBOX_ACCESS_TOKEN: "at_of_nobody", SANDBOX_ADMIN_TOKEN: "admin_of_nobody" };
    const { stdout: report } = await runSandbox(["audit", shown.url, "--json"], { env: tokens });
    expect(report).toContain('"/?[redacted]&[redacted]"');
    expect(report).not.toContain("of_nobody");
    const echo = await serveHttp((_, response) => response.end("at_of_nobody"));
    const env = { SANDBOX_URL: echo, SANDBOX_ACCESS_TOKEN: "at_of_nobody" };
    const failed = await runSandbox(["audit", echo, "--check", "echo 1", "--only", "state"], { env });
    expect([failed.code, failed.stderr]).toEqual([3, expect.stringContaining('answered 200 "[redacted]".')]);
  });
});
