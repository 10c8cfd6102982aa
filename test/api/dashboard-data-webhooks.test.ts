import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type Desk, openDesk } from "../support/desk.js";
import { startReceiver } from "../support/receiver.js";
import { DEFAULT_COMPANY } from "../../src/sandbox/config/options.js";

/** The only delivery. */
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
  it("has the exact bytes and the signature that was sent, without the key", async () => {
    const receiver = await startReceiver();
    const desk = await openDesk();
    const id = await dropOne(desk, receiver.url, { description: `It's "<b>Café</b>" & \\ $HOME` });
    const { text, html } = await desk.open(`/deliveries/${id}`);
    const [sent] = receiver.received;
    const signature = String(sent?.headers["x-service-hmac-sha256"]);
    const unspaced = (given: string): string => given.replaceAll(/\s+/g, " ");
    expect(text).toContain(unspaced(String(sent?.raw)));
    expect(text).toContain(`x-service-hmac-sha256: ${signature}`);
    expect(text).toContain("valid It matches the sent bytes and the company's secret key.");
    expect(html).not.toContain(DEFAULT_COMPANY.secretKey);
  });

  it("shows a body that a rule truncated, and says that the signature is for the whole body", async () => {
    const receiver = await startReceiver();
    const desk = await openDesk({ forges: true });
    await desk.live.control("POST", "/rules", { on: "delivery", then: { truncate: 150 } });
    const id = await dropOne(desk, receiver.url, { externalId: "é".repeat(60) });
    const [sent] = receiver.received;
    expect(sent?.raw).toHaveLength(150);
    const { text } = await desk.open(`/deliveries/${id}`);
    expect(text).toContain(sent?.raw.toString());
    expect(text).toContain("150 bytes, the same in each attempt, after a rule cut");
    expect(text).toContain("of the whole body");
  });

  it.each([
    [{ corruptSignature: true }, "corrupted"],
    [{ duplicate: 1 }, "valid"],
  ])("says what a rule (%j) did to it", async (then, verdict) => {
    const receiver = await startReceiver();
    const desk = await openDesk({ forges: true });
    await desk.live.control("POST", "/rules", { on: "delivery", then });
    const id = await dropOne(desk, receiver.url);
    expect((await desk.open(`/deliveries/${id}`)).text).toContain(`Signature: ${verdict} `);
    const copies = desk.live.deliveries().slice(1);
    for (const copy of copies)
      expect((await desk.open(`/deliveries/${copy.id}`)).text).toContain("Copy 1: a rule sends");
  });

  it("recognises a signature made with a secret key that was replaced since", async () => {
    const receiver = await startReceiver();
    const desk = await openDesk();
    const id = await dropOne(desk, receiver.url);
    await desk.live.control("POST", "/companies/company_sandbox/rotate", { secretKey: "secret_other" });
    const { text } = await desk.open(`/deliveries/${id}`);
    expect(text).toContain("of another key");
  });

  it("has each attempt with its answer, and the time of the next one until none is left", async () => {
    const receiver = await startReceiver({ status: 503, headers: { "x-why": "busy" }, body: "<later>" });
    const desk = await openDesk();
    const id = await dropOne(desk, receiver.url);
    await desk.live.advance("10s");
    const { text } = await desk.open(`/deliveries/${id}`);
    expect(text).toMatch(/Attempt 1 2026-01-15 09:00:00 503 (?:<1|\d+) ms status 503 is not 2xx/);
    expect(text).toContain("x-why: busy");
    expect(text).toContain("<later>");
    expect(text).toMatch(/Attempt 2 2026-01-15 09:00:10 503/);
    expect(text).toContain("next attempt in 1m");
    await desk.live.advance("1d");
    const last = await desk.open(`/deliveries/${id}`);
    expect(last.text).toMatch(/Attempt 6 2026-01-15 11:36:10 503/);
    expect(last.text).not.toContain("next attempt");
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

describe("the verdict of a delivery", () => {
  it.each([
    [{ status: 500 }, /Your receiver answered 500 in \d+ ms; next attempt in 10s\./],
    [{ status: 302 }, /Your receiver answered 302, a redirect that is not followed, in \d+ ms; next attempt in 10s\./],
    ["reset", /Your receiver gave no answer after \d+ ms: .+; next attempt in 10s\./],
    [{ status: 200 }, /Your receiver answered 200 in \d+ ms\. /],
  ] as const)("of a receiver that replies %j", async (reply, verdict) => {
    const receiver = await startReceiver(reply);
    const desk = await openDesk();
    const { text, html } = await desk.open(`/deliveries/${await dropOne(desk, receiver.url)}`);
    expect(text).toMatch(verdict);
    const tone = /id="verdict"/.exec(html) && /class="alert outcome (\w+)" id="verdict"/.exec(html)?.[1];
    expect(tone).toBe(typeof reply === "object" && reply.status === 200 ? "good" : "bad");
    const list = await desk.open("/deliveries");
    expect(list.html.includes('pill bad">failing')).toBe(tone === "bad");
    expect(list.html).not.toMatch(/pill good">(?:302|500)/);
  });

  it("does not show the start of a secret where the kept answer ends", async () => {
    const receiver = await startReceiver({ status: 500, body: `${"x".repeat(4_084)}${DEFAULT_COMPANY.secretKey}` });
    const desk = await openDesk();
    const { html } = await desk.open(`/deliveries/${await dropOne(desk, receiver.url)}`);
    expect(html).toContain("x[redacted]<");
    expect(html).not.toContain("xsecret_");
  });

  it("that was never attempted, and of one without an attempt left", async () => {
    const receiver = await startReceiver({ status: 500 });
    const desk = await openDesk();
    await desk.live.control("POST", "/rules", { on: "delivery", then: { delay: "5m" }, times: 1 });
    const id = await dropOne(desk, receiver.url);
    expect((await desk.open(`/deliveries/${id}`)).text).toMatch(
      /Nothing was sent yet; first attempt in 5m\. Signature: not sent yet/,
    );
    await desk.live.advance("1d");
    expect((await desk.open(`/deliveries/${id}`)).text).toMatch(
      /Your receiver answered 500 in \d+ ms; no attempt is left/,
    );
  });

  it("comes with the answer, the formatted body, and a signed command that the receiver accepts", async () => {
    const receiver = await startReceiver({ status: 503, body: "<later>" });
    const desk = await openDesk();
    const id = await dropOne(desk, receiver.url, { description: `It's "<b>Café</b>" & \\ $HOME` });
    const { html, commands } = await desk.open(`/deliveries/${id}`);
    expect(html).toMatch(/Body of answer 1">&lt;later&gt;</);
    expect(html).toContain('<details id="answer-1" open');
    expect(html.indexOf("&lt;later&gt;")).toBeLessThan(html.indexOf("<h2>What is sent"));
    expect(html).toContain("&quot;topic&quot;: &quot;charges/events&quot;");
    execFileSync("sh", ["-c", `${commands.find((line) => line.includes(receiver.url))} &`], { stdio: "ignore" });
    const [first, second] = await receiver.waitFor(2);
    expect(second?.raw).toEqual(first?.raw);
    for (const header of ["content-type", "x-service-hmac-sha256"])
      expect(second?.headers[header]).toBe(first?.headers[header]);
  });

  it("has a command for bytes that are not text", async () => {
    const receiver = await startReceiver();
    const desk = await openDesk({ forges: true });
    await desk.live.control("POST", "/rules", { on: "delivery", then: { truncate: 150 } });
    const id = await dropOne(desk, receiver.url, { externalId: "é".repeat(60) });
    const { commands } = await desk.open(`/deliveries/${id}`);
    execFileSync("sh", ["-c", `${commands.find((line) => line.includes("base64 -d"))} &`], { stdio: "ignore" });
    const [first, second] = await receiver.waitFor(2);
    expect(second?.raw).toEqual(first?.raw);
  });
});

describe("failing webhooks", () => {
  it("are a filter of the list, which shows why and when the next attempt is, and are sent again in one go", async () => {
    let status = 500;
    const receiver = await startReceiver(() => ({ status }));
    const desk = await openDesk();
    await desk.live.subscribe("transactions/started", receiver.url);
    for (const _ of [1, 2]) await desk.live.createTransfer();
    await desk.live.settle();
    status = 200;
    await desk.live.createTransfer();
    await desk.live.settle();
    const failing = await desk.open("/deliveries?status=failing");
    expect(failing.html.match(/<tr id="del_/g)).toHaveLength(2);
    expect(failing.text).toMatch(/failing next in 10s 500 /);
    expect((await desk.act("redeliverFailing")).text).toContain("2 webhooks are sent again.");
    await receiver.waitFor(5);
    await desk.live.settle();
    const after = await desk.open("/deliveries?status=failing");
    expect(after.text).toContain("No delivery was found.");
    expect(after.text).not.toContain("Resend all failed");
  });

  it("are not sent again while their attempt is in flight", async () => {
    const receiver = await startReceiver((_, index) => (index === 0 ? { status: 500 } : "hang"));
    const desk = await openDesk();
    const id = await dropOne(desk, receiver.url);
    const once = await desk.live.control("POST", "/deliveries/redeliver");
    expect([once.status, once.body]).toEqual([200, { redelivered: 1 }]);
    await receiver.waitFor(2);
    expect((await desk.live.control("POST", "/deliveries/redeliver")).body).toEqual({ redelivered: 0 });
    expect((await desk.live.control("POST", `/deliveries/${id}/redeliver`)).status).toBe(422);
  });
});

describe("a subscription", () => {
  it("is created by a form, and shows its health", async () => {
    const receiver = await startReceiver((_, index) => ({ status: index < 2 ? 200 : 302 }));
    const desk = await openDesk();
    await desk.open("/subscriptions");
    const made = await desk.act("subscribe", { topic: "charges/events", url: receiver.url });
    expect(made.text).toContain(`${receiver.url} now receives charges/events.`);
    expect(made.text).toContain("no webhook was sent yet");
    expect((await desk.act("subscribe", { topic: "charges/events", url: "nowhere" })).text).toContain(
      "Nothing was done",
    );
    for (const expected of [/1 sent last 200 now/, /2 sent last 200 now/, /1 of 3 failing last 302 now/]) {
      expect((await desk.act("testEvent", { topic: "charges/events" })).text).toContain(
        "The test event happened: charge paid.",
      );
      await desk.live.settle();
      expect((await desk.open("/subscriptions")).text).toMatch(expected);
    }
    const [hook] = receiver.received;
    expect(hook?.body.data).toMatchObject({ status: "paid", description: "Test event" });
    expect((await desk.live.http("GET", `/v1/charges/${hook?.body.data.id}`)).status).toBe(200);
  });

  it.each(["transactions/started", "transaction/completed", "transactions/failed"])(
    "is sent a test event of %s",
    async (topic) => {
      const receiver = await startReceiver();
      const { live } = await openDesk();
      await live.subscribe(topic, receiver.url);
      const { status, body } = await live.control("POST", "/events", { topic });
      expect([status, body.type.split(".")[0]]).toEqual([201, "transaction"]);
      const [hook] = await receiver.waitFor(1);
      expect(hook?.body.topic).toBe(topic);
      expect((await live.http("GET", `/v1/transactions/${hook?.body.data.id}`)).body.status).toBe(
        hook?.body.data.status,
      );
    },
  );
});

describe("a request's page", () => {
  it("shows the request and its answer without credentials, and its effects", async () => {
    const desk = await openDesk();
    const { live } = desk;
    await live.createCharge({ externalId: "order-77", metadata: { note: `key ${DEFAULT_COMPANY.secretKey}` } });
    const { text, html } = await desk.open("/requests/req_1");
    expect(html).toContain("<h1>POST /v1/charges</h1>");
    expect(text).toContain("authorization: [redacted]");
    expect(text).toContain('"note": "key [redacted]"');
    expect(text).toContain('"status": "created"');
    expect(text).toContain("charge created order-77");
    expect(html).not.toContain(DEFAULT_COMPANY.secretKey);
  });

  it("says why it was refused, and that an answer was lost by a rule", async () => {
    const desk = await openDesk();
    const { live } = desk;
    await live.http("GET", "/v1/charges/nothing?a=1");
    await live.control("POST", "/rules", { name: "cut off", on: "request", then: { fault: "reset" }, times: 1 });
    await live.http("GET", "/v1/balance").catch(() => undefined);
    const refused = await desk.open("/requests/req_1");
    expect(refused.text).toMatch(/Status 404 .* Problem code charge_not_found/);
    expect(refused.text).toContain('Query {"a":"1"}');
    const lost = await desk.open("/requests/req_2");
    expect(lost.text).toMatch(/Status no answer fault: reset Duration .* Rule cut off/);
    expect(lost.text).toContain("It changed nothing");
  });

  it("redacts an unknown token in its path", async () => {
    const desk = await openDesk();
    await desk.live.http("GET", "/v1/charges/at_of_production_9", undefined, {
      authorization: "Bearer at_of_production_9",
    });
    for (const path of ["", "/requests/req_1"])
      expect((await desk.open(path)).html).not.toContain("at_of_production_9");
  });
});

describe("text that clients wrote", () => {
  it("is shown as text on every page", async () => {
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
