import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type Desk, openDesk } from "../support/desk.js";
import { startReceiver } from "../support/receiver.js";
import { DEFAULT_COMPANY } from "../../src/sandbox/config/options.js";

/** The one delivery there is. */
async function deliveryOf(desk: Desk): Promise<string> {
  await desk.live.settle();
  const [delivery] = desk.live.deliveries();
  if (delivery === undefined) throw new Error("Nothing was delivered.");
  return delivery.id;
}

async function dropOne(desk: Desk, url: string, change: object = {}): Promise<string> {
  await desk.live.subscribe("charges/events", url);
  const { id } = await desk.live.createCharge({ ...change });
  await desk.live.control("POST", `/charges/${id}/drop`);
  return deliveryOf(desk);
}

describe("a delivery's page", () => {
  it("has the exact bytes, and a command that makes the signature that was sent from them, without the key", async () => {
    const receiver = await startReceiver();
    const desk = await openDesk();
    const id = await dropOne(desk, receiver.url, { description: `It's "<b>Café</b>" & \\ $HOME` });
    const { text, html, commands } = await desk.open(`/deliveries/${id}`);
    const [sent] = receiver.received;
    const signature = String(sent?.headers["x-service-hmac-sha256"]);
    const unspaced = (given: string): string => given.replaceAll(/\s+/g, " ");
    expect(text).toContain(unspaced(String(sent?.raw)));
    expect(text).toContain(`x-service-hmac-sha256: ${signature}`);
    expect(text).toContain("valid It is the one of the bytes that were sent");
    expect(html).not.toContain(DEFAULT_COMPANY.secretKey);
    const command = commands.find((line) => line.includes("openssl")) ?? "";
    const printed = execFileSync("sh", ["-c", command], {
      env: { PATH: process.env["PATH"], SECRET: DEFAULT_COMPANY.secretKey },
      encoding: "utf8",
    });
    expect(printed.trim()).toBe(signature);
  });

  it("shows bytes that a rule cut within a character in hexadecimal, and says that the signature is another one's", async () => {
    const receiver = await startReceiver();
    const desk = await openDesk({ forges: true });
    await desk.live.control("POST", "/rules", { on: "delivery", then: { truncate: 150 } });
    const id = await dropOne(desk, receiver.url, { externalId: "é".repeat(60) });
    const [sent] = receiver.received;
    expect(sent?.raw).toHaveLength(150);
    const { text, html } = await desk.open(`/deliveries/${id}`);
    const dump = [...html.matchAll(/^(?:.*>)?[0-9a-f]{8} {2}((?:[0-9a-f]{2} {1,2}){1,16})/gm)].map(
      ([, hex = ""]) => hex,
    );
    expect(Buffer.from(dump.join("").replaceAll(" ", ""), "hex")).toEqual(sent?.raw);
    expect(text).toContain("150 bytes, the same with every attempt; a rule cuts");
    expect(text).toContain("of the whole body");
  });

  it.each([
    [{ corruptSignature: true }, "corrupted"],
    [{ duplicate: 1 }, "valid"],
  ])("tells what a rule (%j) did to it", async (then, verdict) => {
    const receiver = await startReceiver();
    const desk = await openDesk({ forges: true });
    await desk.live.control("POST", "/rules", { on: "delivery", then });
    const id = await dropOne(desk, receiver.url);
    expect((await desk.open(`/deliveries/${id}`)).text).toMatch(new RegExp(`It is ${verdict} `));
    const copies = desk.live.deliveries().slice(1);
    for (const copy of copies)
      expect((await desk.open(`/deliveries/${copy.id}`)).text).toContain("Copy 1: a rule sends");
  });

  it("knows a signature of a secret key that was replaced since", async () => {
    const receiver = await startReceiver();
    const desk = await openDesk();
    const id = await dropOne(desk, receiver.url);
    await desk.live.control("POST", "/companies/company_sandbox/rotate", { secretKey: "secret_other" });
    const { text } = await desk.open(`/deliveries/${id}`);
    expect(text).toContain("of another key");
  });

  it("has each attempt's answer, and the plan of retries with its times, until none is left", async () => {
    const receiver = await startReceiver({ status: 503, headers: { "x-why": "busy" }, body: "<later>" });
    const desk = await openDesk();
    const id = await dropOne(desk, receiver.url);
    await desk.live.advance("10s");
    const { text } = await desk.open(`/deliveries/${id}`);
    expect(text).toMatch(/Attempt 1 2026-01-15 09:00:00 503 \d+ ms status 503 is not 2xx/);
    expect(text).toContain("x-why: busy");
    expect(text).toContain("<later>");
    expect(text).toMatch(/Attempt 2 2026-01-15 09:00:10 503/);
    expect(text).toContain("Attempt 3 2026-01-15 09:01:10 in 1m next");
    expect(text).toContain("Attempt 4 2026-01-15 09:06:10 in 6m if that fails");
    expect(text).toContain("Attempt 6 2026-01-15 11:36:10 in 2h36m if that fails");
    await desk.live.advance("1d");
    const last = await desk.open(`/deliveries/${id}`);
    expect(last.text).toMatch(/Attempt 6 2026-01-15 11:36:10 503/);
    expect(last.text).not.toContain("if that fails");
    expect(last.text).toContain("exhausted");
  });

  it("is sent again with a click, and shows the command for that", async () => {
    const receiver = await startReceiver();
    const desk = await openDesk();
    const id = await dropOne(desk, receiver.url);
    const { commands } = await desk.open(`/deliveries/${id}`);
    expect(commands[0]).toBe(`curl -X POST ${desk.live.url}/_sandbox/deliveries/${id}/redeliver`);
    expect((await desk.act("redeliver", { id })).text).toContain("The webhook is sent again.");
    expect(await receiver.waitFor(2)).toHaveLength(2);
    await desk.live.settle();
    expect((await desk.open(`/deliveries/${id}`)).text).toMatch(/Attempt 2 .* 200/);
  });

  it("says when a rule dropped it, and when its subscription is gone", async () => {
    const desk = await openDesk();
    await desk.live.control("POST", "/rules", { on: "delivery", then: { drop: true } });
    const id = await dropOne(desk, "http://127.0.0.1:9/");
    const { subscriptionId } = desk.live.deliveries()[0]!;
    await desk.live.http("DELETE", `/v1/webhooks/${subscriptionId}`);
    const { text } = await desk.open(`/deliveries/${id}`);
    expect(text).toContain("A rule dropped it: nothing was sent.");
    expect(text).toContain("deleted since");
  });
});

describe("a request's page", () => {
  it("shows question and answer without credentials, what it made, and the settings that it was answered by", async () => {
    const desk = await openDesk();
    const { live } = desk;
    await live.createCharge({ externalId: "order-77", metadata: { note: `key ${DEFAULT_COMPANY.secretKey}` } });
    const { text, html } = await desk.open("/requests/req_1");
    expect(html).toContain("<h1>POST /v1/charges</h1>");
    expect(text).toContain("authorization: [redacted]");
    expect(text).toContain('"note": "key [redacted]"');
    expect(text).toContain('"status": "created"');
    expect(text).toContain("charge created order-77");
    expect(html).toMatch(/href="[^"]*\/profile\/charges\.ttl"/);
    expect(html).not.toContain(DEFAULT_COMPANY.secretKey);
  });

  it("says why it was refused, and that an answer was lost by a rule", async () => {
    const desk = await openDesk();
    const { live } = desk;
    await live.http("GET", "/v1/charges/nothing?a=1");
    await live.control("POST", "/rules", { name: "cut off", on: "request", then: { fault: "reset" }, times: 1 });
    await live.http("GET", "/v1/balance").catch(() => undefined);
    const refused = await desk.open("/requests/req_1");
    expect(refused.text).toMatch(/Status 404 .* Refused for charge_not_found/);
    expect(refused.text).toContain('Query {"a":"1"}');
    const lost = await desk.open("/requests/req_2");
    expect(lost.text).toMatch(/Status no answer Reached the client fault: reset .* Rule cut off/);
    expect(lost.text).toContain("It changed nothing");
  });

  it("takes the token that nobody knows out of its path", async () => {
    const desk = await openDesk();
    await desk.live.http("GET", "/v1/charges/at_of_production_9", undefined, {
      authorization: "Bearer at_of_production_9",
    });
    for (const path of ["", "/requests/req_1"])
      expect((await desk.open(path)).html).not.toContain("at_of_production_9");
  });
});

describe("what clients write", () => {
  it("is only ever text, on every page", async () => {
    const evil = `"'><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}`;
    const receiver = await startReceiver({ status: 500, headers: { "x-evil": "<b>x</b>" }, body: evil });
    const desk = await openDesk();
    const { live } = desk;
    await live.subscribe("charges/events", `${receiver.url}?q=%3Cscript%3E"`);
    await live.subscribe("transactions/started", receiver.url);
    const charge = await live.createCharge({ externalId: evil, description: evil, metadata: { [evil]: evil } });
    await live.control("POST", `/charges/${charge.id}/drop`, { reason: evil });
    const transfer = await live.createTransfer({ reference: evil, description: evil });
    await live.control("POST", `/transactions/${transfer.id}/fail`, { reason: evil });
    await live.control("PUT", "/customers/0102030405", { firstName: evil, lastName: evil, kycStatus: evil });
    await live.http("GET", `/v1/charges/${encodeURIComponent(evil)}?q=${encodeURIComponent(evil)}`);
    await live.control("POST", "/rules", { name: evil, on: "request", then: { status: 500 }, times: 1 });
    await live.http("POST", "/v1/charges", { evil });
    await live.settle();
    const lists = ["", "/charges", "/transfers", "/customers", "/ledger", "/subscriptions", "/deliveries"];
    const details = [
      `/charges/${charge.id}`,
      `/transfers/${transfer.id}`,
      ...live.deliveries().map(({ id }) => `/deliveries/${id}`),
    ];
    const requests = ["req_3", "req_4", "req_5", "req_6"].map((id) => `/requests/${id}`);
    for (const path of [...lists, ...details, ...requests, `/charges?q=${encodeURIComponent(evil)}`]) {
      const { html, status } = await desk.open(path);
      expect(status, path).toBe(200);
      const ours = html.replaceAll(/<script src="[^"]*" defer=""><\/script>/g, "");
      expect(/<script|<img|<b>x/.exec(ours)?.[0], path).toBeUndefined();
    }
  });
});
