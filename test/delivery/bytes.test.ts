import { describe, expect, it } from "vitest";
import { startLive } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import { sign } from "../support/signature.js";

describe("POST, content-type: application/json, body = exactly the bytes that were signed", () => {
  it("is signed with the base64 HMAC-SHA256 under the company's secret key", async () => {
    const live = await startLive();
    const receiver = await startReceiver();
    await live.subscribe("transactions/completed", `${receiver.origin}/hook?tenant=7&x=%20`);
    await live.createTransfer({ description: "Loyer d'été: 5 000 ₣ → Koné 🏠", amount: 5_050 });
    await live.advance("2s");
    const [request] = receiver.received;
    expect(request).toMatchObject({ method: "POST", path: "/hook?tenant=7&x=%20" });
    expect(request?.headers["content-type"]).toBe("application/json");
    expect(request?.headers["content-length"]).toBe(String(request?.raw.length));
    expect(request?.headers["x-service-hmac-sha256"]).toBe(sign(request?.raw ?? Buffer.alloc(0), "secret_sandbox"));
    expect(Object.keys(request?.body)).toEqual(["topic", "data"]);
    expect(request?.body.data.description).toBe("Loyer d'été: 5 000 ₣ → Koné 🏠");
  });

  it("is the same for every attempt, even after the resource has changed", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events", (_, index) => ({ status: index < 2 ? 500 : 200 }));
    const { id } = await live.createCharge({ metadata: { __proto__: null, note: "\u2028<&>" } });
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await live.settle();
    await live.ok("POST", `/v1/charges/${id}/refund`);
    await live.advance("1h");
    const paid = receiver.received.filter(({ body }) => body.data.status === "paid");
    expect(paid).toHaveLength(2);
    expect(paid[1]?.raw.equals(paid[0]?.raw ?? Buffer.alloc(0))).toBe(true);
    expect(paid[1]?.headers["x-service-hmac-sha256"]).toBe(paid[0]?.headers["x-service-hmac-sha256"]);
  });

  it("has the headers that webhooks.signatureHeader and webhooks.topicHeader name", async () => {
    const live = await startLive({ profile: { webhooks: { signatureHeader: "X-Signature", topicHeader: "x-topic" } } });
    const receiver = await live.receiverFor("charge/events");
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    const [request] = receiver.received;
    expect(request?.headers["x-signature"]).toBe(sign(request?.raw ?? Buffer.alloc(0), "secret_sandbox"));
    expect(request?.headers["x-topic"]).toBe("charge/events");
    expect(request?.headers).not.toHaveProperty("x-service-hmac-sha256");
  });

  it("is signed with a rotated secret key from then on", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events", (_, index) => ({ status: index === 0 ? 500 : 200 }));
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    live.sandbox.identify(live.company, { ...live.company.record.identity, secretKey: "secret_new" });
    await live.advance("10s");
    const [before, after] = receiver.received;
    expect(before?.headers["x-service-hmac-sha256"]).toBe(sign(before?.raw ?? Buffer.alloc(0), "secret_sandbox"));
    expect(after?.headers["x-service-hmac-sha256"]).toBe(sign(after?.raw ?? Buffer.alloc(0), "secret_new"));
    expect(after?.raw.equals(before?.raw ?? Buffer.alloc(0))).toBe(true);
  });

  it("sends the user and password of a URL as HTTP basic authentication", async () => {
    const live = await startLive();
    const receiver = await startReceiver();
    await live.subscribe("charges/events", receiver.url.replace("http://", "http://caf%C3%A9:p%40ss%25@"));
    await live.subscribe("charges/events", receiver.url.replace("http://", "http://odd:100%@"));
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    const sent = receiver.received.map(({ headers }) =>
      Buffer.from(headers.authorization?.slice(6) ?? "", "base64").toString(),
    );
    expect(sent.sort()).toEqual(["café:p@ss%", "odd:100%"]);
  });
});

describe("each URL registered for the topic", () => {
  it("gets its own spelling of the topic; both spellings match every topic", async () => {
    const live = await startLive();
    const receiver = await startReceiver();
    const spellings = [
      ["transactions/started", "transaction/started"],
      ["transactions/completed", "transaction/completed"],
      ["transactions/failed", "transaction/failed"],
      ["charges/events", "charge/events"],
    ].flat();
    for (const topic of spellings) await live.subscribe(topic, `${receiver.origin}/${topic}`);
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.createTransfer();
    await live.createTransfer({ msisdn: "+2250700000002" });
    await live.advance("2s");
    const sent = receiver.received.map(({ path, body }) => [path.slice(1), body.topic]);
    expect(sent.every(([path, topic]) => path === topic)).toBe(true);
    expect(new Set(sent.map(([path]) => path))).toEqual(new Set(spellings));
    expect(sent).toHaveLength(2 * (2 + 1 + 1 + 1));
  });

  it.each([
    ["plural", "charges/events"],
    ["singular", "charge/events"],
  ])("webhooks.topicSpelling %s sends %s to everybody", async (topicSpelling, topic) => {
    const live = await startLive({ profile: { webhooks: { topicSpelling } } });
    const receiver = await live.receiverFor("charges/events");
    await live.subscribe("charge/events", receiver.url);
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    expect(receiver.received.map(({ body }) => body.topic)).toEqual([topic, topic]);
  });

  it("gets one delivery for each subscription, even of the same URL", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events");
    await live.subscribe("charges/events", receiver.url);
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    expect(receiver.received).toHaveLength(2);
    expect(new Set(live.deliveries().map(({ id }) => id)).size).toBe(2);
  });

  it("gets a webhook when a charge is paid, dropped, refunded in part and in full, and no other", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events");
    const paid = await live.createCharge();
    await live.createCharge();
    await live.ok("POST", `/v1/charges/${paid.id}/pay`, { msisdn: "+2250700000002" });
    await live.ok("POST", `/v1/charges/${paid.id}/pay`);
    await live.settle();
    await live.ok("POST", `/v1/charges/${paid.id}/refund`, { amount: 1 });
    await live.settle();
    await live.ok("POST", `/v1/charges/${paid.id}/refund`);
    await live.advance("1h");
    expect(receiver.received.map(({ body }) => body.data.status)).toEqual([
      "paid",
      "refunded_partially",
      "refunded",
      "dropped",
    ]);
  });

  it("gets the charge events of webhooks.chargeEvents", async () => {
    const live = await startLive({ profile: { webhooks: { chargeEvents: ["paid", "dropped"] } } });
    const receiver = await live.receiverFor("charges/events");
    const { id } = await live.createCharge();
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await live.ok("POST", `/v1/charges/${id}/refund`);
    await live.createCharge();
    await live.advance("1h");
    expect(receiver.received.map(({ body }) => body.data.status)).toEqual(["paid", "dropped"]);
  });

  it("gets no webhook for the silent number", async () => {
    const live = await startLive();
    const receiver = await startReceiver();
    for (const topic of ["charges/events", "transactions/started", "transactions/completed"]) {
      await live.subscribe(topic, receiver.url);
    }
    const { id } = await live.createCharge();
    await live.ok("POST", `/v1/charges/${id}/pay`, { msisdn: "0700000005" });
    await live.ok("POST", `/v1/charges/${id}/refund`);
    const transfer = await live.createTransfer({ msisdn: "+2250700000005" });
    await live.advance("1h");
    expect((await live.ok("GET", `/v1/charges/${id}`)).status).toBe("refunded");
    expect((await live.ok("GET", `/v1/transactions/${transfer.id}`)).status).toBe("completed");
    expect(live.events().map(({ type }) => type)).toContain("transaction.completed");
    expect(live.deliveries()).toEqual([]);
  });

  it("gets no webhook for earlier events", async () => {
    const live = await startLive();
    const receiver = await startReceiver();
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.subscribe("charges/events", receiver.url);
    await live.advance("1d");
    expect(live.deliveries()).toEqual([]);
  });
});

describe("each attempt is recorded", () => {
  it("with the company's time, the headers and bytes that were sent, status, answer, latency and error", async () => {
    const live = await startLive();
    const receiver = await startReceiver((_, index) =>
      index === 0 ? { status: 418, headers: { "x-mood": "sour" }, body: "no coffee" } : { status: 204 },
    );
    await live.subscribe("charges/events", receiver.url);
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.advance("10s");
    const [delivery] = live.deliveries();
    const start = live.company.now() - 10_000;
    expect(delivery?.body).toBe(receiver.received[0]?.raw.toString());
    expect(delivery?.attempts).toEqual([
      {
        at: start,
        status: 418,
        latencyMs: expect.any(Number),
        error: "status 418 is not 2xx",
        requestHeaders: {
          "content-type": "application/json",
          "user-agent": expect.stringContaining("business-payments-sandbox/"),
          "x-service-hmac-sha256": receiver.received[0]?.headers["x-service-hmac-sha256"],
        },
        response: { headers: expect.objectContaining({ "x-mood": "sour" }), body: "no coffee" },
      },
      expect.objectContaining({
        at: start + 10_000,
        status: 204,
        error: null,
        response: expect.objectContaining({ body: "" }),
      }),
    ]);
  });

  it.each([
    ["a little more than 4 KiB", 4_097],
    ["100 KiB", 100 * 1024],
    ["4 MiB", 4 * 1024 * 1024],
  ])("the answer is cut at 4 KiB: %s", async (_, size) => {
    const live = await startLive();
    await live.receiverFor("charges/events", { body: Buffer.alloc(size, "x") });
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    expect(live.deliveries()[0]).toMatchObject({ status: "succeeded", attempts: [{ status: 200, error: null }] });
    expect(live.deliveries()[0]?.attempts[0]?.response?.body).toBe("x".repeat(4_096));
  });

  it("the start of a secret at the cut is redacted in an archive", async () => {
    const live = await startLive();
    await live.receiverFor("charges/events", { body: Buffer.from(`${"x".repeat(4_084)}secret_sandbox`) });
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    const archive = JSON.stringify(await live.ok("GET", "/_sandbox/requests?format=har"));
    expect(archive).toContain('x[redacted]"');
  });

  it("the headers of the answer are cut together", async () => {
    const live = await startLive();
    const headers = { "x-first": "a".repeat(3000), "x-long": "é".repeat(4000), "x-more": "b" };
    await live.receiverFor("charges/events", { headers });
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    const kept = live.deliveries()[0]?.attempts[0]?.response?.headers ?? {};
    expect(kept["x-first"]).toBe("a".repeat(3000));
    expect(JSON.stringify(kept).length).toBeLessThan(4_400);
    expect(live.deliveries()[0]).toMatchObject({ status: "succeeded" });
  });

  it("the first hundred of very many headers are kept", async () => {
    const live = await startLive();
    const headers = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`x-${n}`, "v"]));
    await live.receiverFor("charges/events", { headers });
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    const [delivery] = live.deliveries();
    expect(delivery).toMatchObject({ status: "succeeded" });
    expect(Object.keys(delivery?.attempts[0]?.response?.headers ?? {})).toHaveLength(100);
  });
});
