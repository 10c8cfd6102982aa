import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { followSandbox, runSandbox, startSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { problemsOfHar } from "../support/har.js";
import { originOfNobody } from "../support/listen.js";
import { startReceiver } from "../support/receiver.js";
import { chargeRequest } from "../support/requests.js";
import { selfSigned } from "../support/self-signed.js";
import type { LooseJson } from "../support/world.js";

const headers = {
  authorization: "Bearer at_sandbox",
  "x-company-id": "company_sandbox",
  "content-type": "application/json",
};

async function startProxy(args: readonly string[], options?: Parameters<typeof followSandbox>[1]) {
  const proxy = followSandbox(["proxy", "--port", "0", ...args], options);
  const url = /(http:\S+)/.exec(await proxy.waitForText("Proxy: "))?.[1] ?? "";
  return Object.assign(proxy, { url });
}

const statusesOf = (archive: LooseJson): string[] =>
  archive.log.entries.map(({ request, response }: LooseJson) => `${request.method} ${response.status}`);

it("records requests and webhooks of a real session without a secret, and ends well at SIGTERM", async () => {
  const file = join(await folderWith({}), "recordings/traffic.har");
  const [service, receiver] = [await startSandbox(), await startReceiver()];
  const webhooks = ["--webhooks-to", receiver.url, "--secret", "secret_sandbox"];
  const proxy = await startProxy(["--target", service.url, "--record", file, ...webhooks]);
  const call = async (path: string, body?: unknown): Promise<LooseJson> =>
    (
      await fetch(proxy.url + path, {
        headers,
        ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
      })
    ).json();
  await call("/v1/webhooks", { topic: "charges/events", url: `${proxy.url}/_webhooks` });
  const { id } = await call("/v1/charges", chargeRequest());
  await call(`/v1/charges/${id}/pay`, {});
  await receiver.waitFor(1);
  await proxy.waitForText("webhook, signature valid  200");
  expect(await proxy.stop()).toBe(0);
  const archive = JSON.parse(await readFile(file, "utf8"));
  expect(problemsOfHar(archive)).toEqual([]);
  expect(statusesOf(archive)).toEqual(expect.arrayContaining(["POST 201", "POST 201", "POST 200", "POST 200"]));
  expect(archive.log.entries.map((entry: LooseJson) => entry._signature).filter(Boolean)).toEqual(["valid"]);
  expect(JSON.stringify(archive) + proxy.output).not.toMatch(/at_sandbox|secret_sandbox/);
  expect(proxy.output).toContain(`sandbox: wrote 4 requests and webhooks to ${file}`);
});

it.each([[["msisdn", "customerName"]], [["msisdn,customerName"]]])(
  "records neither member of --redact %j",
  async (names) => {
    const file = join(await folderWith({}), "traffic.har");
    const customer = JSON.stringify({ msisdn: "+2250712345678", customerName: "Awa" });
    const service = await startReceiver({ body: customer });
    const proxy = await startProxy(["--target", service.origin, "--record", file, "--redact", ...names]);
    await fetch(`${proxy.url}/v1/customers`, { method: "POST", headers, body: customer });
    expect(await proxy.stop()).toBe(0);
    const recorded = await readFile(file, "utf8");
    expect(recorded).toContain("customerName");
    expect(recorded).not.toMatch(/0712345678|Awa/);
  },
);

it("says where the service answers differently from a sandbox with the profile, on the screen and in a dashboard", async () => {
  const cwd = await folderWith({ "staging.yaml": "http: { createdStatus: 200 }\n" });
  const service = await startSandbox(["--profile", "staging.yaml"], { cwd });
  const send = (url: string) =>
    fetch(`${url}/v1/charges`, { method: "POST", headers, body: JSON.stringify(chargeRequest()) });
  const usual = await startProxy(["--target", service.url]);
  expect((await send(usual.url)).status).toBe(200);
  await usual.waitForText("differs  #0 POST /v1/charges: the status is 200, not 201");
  const [, origin] = /Compared with: (http:\S+)/.exec(usual.output)!;
  const page = await (await fetch(`${origin}/dashboard/findings`)).text();
  expect(page).toContain("the status is 200, not 201");
  expect(await usual.stop()).toBe(0);
  expect(usual.output).toContain("sandbox: compared 1 request or webhook; 1 kind of difference");
  const same = await startProxy(["--target", service.url, "--profile", "staging.yaml"], { cwd });
  expect((await send(same.url)).status).toBe(200);
  expect(await same.stop()).toBe(0);
  expect(same.output).toContain("sandbox: compared 1 request or webhook; none differs");
});

it("reaches a target over TLS whose certificate the machine trusts, and no other", async () => {
  const cwd = await folderWith({ "cert.pem": selfSigned.cert, "key.pem": selfSigned.key });
  const service = await startSandbox(["--tls-cert", "cert.pem", "--tls-key", "key.pem"], { cwd });
  const trusting = await startProxy(["--target", service.url], { cwd, env: { NODE_EXTRA_CA_CERTS: "cert.pem" } });
  const answer = await fetch(`${trusting.url}/v1/balance`, { headers });
  expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ currency: "XOF" })]);
  const strict = await startProxy(["--target", service.url]);
  const refused = await fetch(`${strict.url}/v1/balance`, { headers });
  expect([refused.status, await refused.text()]).toEqual([502, expect.stringContaining("self-signed certificate")]);
  expect(await Promise.all([trusting.stop(), strict.stop()])).toEqual([0, 0]);
});

it("leaves a valid file behind when it is killed", async () => {
  const file = join(await folderWith({}), "traffic.har");
  const service = await startReceiver({ body: "{}" });
  const proxy = await startProxy(["--target", service.origin, "--record", file]);
  await fetch(`${proxy.url}/v1/balance`);
  await proxy.waitForText("GET /v1/balance  200");
  proxy.signal("SIGKILL");
  await proxy.ended;
  const archive = JSON.parse(await readFile(file, "utf8"));
  expect(problemsOfHar(archive)).toEqual([]);
});

it("ends soon at SIGINT with requests in flight, and records them", async () => {
  const file = join(await folderWith({}), "traffic.har");
  const service = await startReceiver("hang");
  const proxy = await startProxy(["--target", service.origin, "--record", file]);
  const calls = Promise.allSettled([1, 2, 3].map((n) => fetch(`${proxy.url}/v1/charges/${n}`)));
  await service.waitFor(3);
  proxy.signal("SIGINT");
  expect(await proxy.ended).toBe(0);
  expect((await calls).map(({ status }) => status)).toEqual(Array(3).fill("rejected"));
  const archive = JSON.parse(await readFile(file, "utf8"));
  expect(problemsOfHar(archive)).toEqual([]);
  expect(statusesOf(archive)).toEqual(Array(3).fill("GET 0"));
  expect(proxy.output).toContain("sandbox: compared nothing: no answer to a request (/v1/…) came, and no webhook");
});

it("passes traffic on when the disk is full, says so once, and keeps what it wrote", async () => {
  const file = join(await folderWith({}), "traffic.har");
  const service = await startReceiver({ body: JSON.stringify({ text: "x".repeat(3_000) }) });
  const proxy = await startProxy(["--target", service.origin, "--record", file], { fileBlocks: 16 });
  for (let n = 0; n < 5; n++) expect((await fetch(`${proxy.url}/v1/balance`)).status).toBe(200);
  expect(await proxy.stop()).toBe(0);
  expect(proxy.output.match(/the recording misses what comes now/g)).toHaveLength(1);
  expect(proxy.output).toMatch(
    /wrote (?:1 request or webhook|2 requests and webhooks) to \S+, [34] could not be written/,
  );
  const archive = JSON.parse(await readFile(file, "utf8"));
  expect(problemsOfHar(archive)).toEqual([]);
});

it.each([
  [["proxy"], "--target"],
  [["proxy", "--target", "staging"], "--target must be an absolute http or https URL"],
  [["proxy", "--target", "http://127.0.0.1:9", "--webhooks-to", "x"], "--webhooks-to must be"],
  [["proxy", "--target", "http://127.0.0.1:9", "--port", "x"], "--port must be"],
  [["proxy", "--target", "http://127.0.0.1:9", "--secret", ""], "--secret must not be empty"],
])("refuses %j", async (args, why) => {
  const { code, stderr } = await runSandbox(args);
  expect([code, stderr]).toEqual([1, expect.stringContaining(why)]);
});

it("cannot record into a folder, or listen where something listens", async () => {
  const target = await originOfNobody();
  const folder = await folderWith({});
  const recorded = await runSandbox(["proxy", "--target", target, "--record", folder]);
  expect([recorded.code, recorded.stderr]).toEqual([3, expect.stringContaining("it is a folder")]);
  const taken = await startReceiver();
  const { code, stderr } = await runSandbox(["proxy", "--target", target, "--port", new URL(taken.origin).port]);
  expect([code, stderr]).toEqual([3, expect.stringContaining("Failed to listen on 127.0.0.1:")]);
});
