import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { type Transaction, UsageError } from "../../src/index.js";
import { verifySignature } from "../../src/webhooks.js";
import { startReceiver } from "../support/receiver.js";
import { create, createCharge, pay, payout } from "./sandboxes.js";

describe("waitFor", () => {
  test("matches past and future events", async () => {
    const sandbox = await create();
    const future = sandbox.webhooks.waitFor("charges/events", (event) => event.data.status === "paid");
    const { id } = await createCharge(sandbox, "order-1");
    await pay(sandbox, id);
    expect(await future).toMatchObject({ topic: "charges/events", data: { id, status: "paid" } });
    const past = await sandbox.webhooks.waitFor("charge/events");
    expect(past).toMatchObject({ topic: "charges/events", data: { id, due: 0 } });
  });

  test("resolves with the first match of several", async () => {
    const sandbox = await create();
    for (const name of ["order-1", "order-2"]) await pay(sandbox, (await createCharge(sandbox, name)).id);
    const { data } = await sandbox.webhooks.waitFor("charges/events");
    expect(data.externalId).toBe("order-1");
  });

  test("resolves with a transfer that has the plain ids of the contract's payload", async () => {
    const sandbox = await create();
    const answer = await sandbox.fetch<Transaction>("/v1/transactions", { json: payout("payout-1") });
    const { id } = await answer.json();
    await sandbox.clock.advance("2s");
    const { data } = await sandbox.webhooks.waitFor("transactions/completed");
    expect(data).toMatchObject({ id: id.slice("txn_".length), status: "completed", totalAmount: 5050 });
  });

  test("resolves once every subscriber has had its attempt, with a genuine signature", async () => {
    const sandbox = await create();
    const receiver = await startReceiver();
    await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: receiver.url } });
    const { id } = await createCharge(sandbox, "order-1");
    await pay(sandbox, id);
    await sandbox.webhooks.waitFor("charges/events", (event) => event.data.id === id);
    const [request] = receiver.received;
    const header = request?.headers["x-service-hmac-sha256"];
    expect(verifySignature(request?.raw ?? "", header, sandbox.secretKey)).toBe(true);
  });

  test("does not resolve before a subscriber has answered", async () => {
    const sandbox = await create();
    const receiver = await startReceiver();
    receiver.reply("hang");
    await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: receiver.url } });
    await pay(sandbox, (await createCharge(sandbox, "order-1")).id);
    await receiver.waitFor(1);
    await expect(sandbox.webhooks.waitFor("charges/events", () => true, { timeout: 1 })).rejects.toThrow(
      `one that matches happened, but these subscribers did not answer it within 1ms:\n  ${receiver.url} (del_`,
    );
  });

  test("tests each event once, however often it wakes", async () => {
    const sandbox = await create();
    const seen: string[] = [];
    const waiting = sandbox.webhooks.waitFor("charges/events", ({ data }) => {
      seen.push(data.externalId);
      return data.externalId === "order-3";
    });
    for (const name of ["order-1", "order-2", "order-3"]) await pay(sandbox, (await createCharge(sandbox, name)).id);
    await waiting;
    expect(seen).toEqual(["order-1", "order-2", "order-3"]);
  });

  test("starts again when the company is reset", async () => {
    const sandbox = await create();
    await pay(sandbox, (await createCharge(sandbox, "order-1")).id);
    const waiting = sandbox.webhooks.waitFor("charges/events", ({ data }) => data.externalId !== "order-1");
    await sandbox.reset();
    expect(sandbox.webhooks.list()).toEqual([]);
    await pay(sandbox, (await createCharge(sandbox, "order-2")).id);
    expect((await waiting).data.externalId).toBe("order-2");
  });

  test("rejects when the sandbox is closed, and with the errors of the predicate", async () => {
    const sandbox = await create();
    await pay(sandbox, (await createCharge(sandbox, "order-1")).id);
    const throwing = sandbox.webhooks.waitFor("charges/events", () => {
      throw new Error("of the test");
    });
    await expect(throwing).rejects.toThrow("of the test");
    // In Jest the promises of `fetch` are those of another context. Queries of some database clients only have a `then`.
    const promises = [
      Promise.resolve(false),
      runInNewContext("Promise.reject(new Error())"),
      { then: () => undefined },
    ];
    for (const promise of promises) {
      const undecided = sandbox.webhooks.waitFor("charges/events", () => promise);
      await expect(undecided).rejects.toThrow("matches must return true or false, not a promise.");
    }
    const waiting = sandbox.webhooks.waitFor("transactions/failed");
    const closing = sandbox.close();
    await expect(waiting).rejects.toThrow("the sandbox was closed before");
    await closing;
  });

  test("refuses unknown topics and wrong durations", async () => {
    const sandbox = await create();
    const noTopic = sandbox.webhooks.waitFor("transactions/complete" as "transactions/completed");
    await expect(noTopic).rejects.toThrow(
      /"transactions\/complete" is not a topic\. Did you mean "transactions\/completed"\?/,
    );
    expect(() => sandbox.webhooks.list("charges" as "charges/events")).toThrow(UsageError);
    // An empty list would let a test pass that expects no webhook.
    expect(() => sandbox.webhooks.list("" as never)).toThrow(/^"" is not a topic\./);
    expect(() => sandbox.webhooks.list(null as never)).toThrow(/^null is not a topic\./);
    await expect(sandbox.webhooks.waitFor({} as never)).rejects.toThrow(/^\{\} is not a topic\. There are/);
    const noTest = sandbox.webhooks.waitFor("charges/events", { status: "paid" } as never);
    await expect(noTest).rejects.toThrow(/^Failed to wait for a webhook: matches must be a function, got \{"status/);
    const noDuration = sandbox.webhooks.waitFor("charges/events", () => true, { timeout: "soon" });
    await expect(noDuration).rejects.toThrow(/"soon" is not a duration/);
  });
});

describe("the time-out message of waitFor", () => {
  test("shows no secret that a client sent", async () => {
    const sandbox = await create();
    const { id } = await createCharge(sandbox, `${sandbox.accessToken} ${sandbox.secretKey}`);
    await pay(sandbox, id);
    const waiting = sandbox.webhooks.waitFor("charges/events", () => false, { timeout: 1 });
    await expect(waiting).rejects.toThrow('"externalId":"[redacted] [redacted]"');
  });

  test("lists the webhooks that came", async () => {
    const sandbox = await create();
    const { id } = await createCharge(sandbox, "order-1");
    await pay(sandbox, id);
    const waiting = sandbox.webhooks.waitFor("charges/events", ({ data }) => data.status === "dropped", { timeout: 1 });
    await expect(waiting).rejects.toThrow(
      `Failed to wait for a webhook of charges/events: none that matches came within 1ms. These did:\n  charges/events paid {"id":"${id}"`,
    );
    await expect(waiting).rejects.toThrow(UsageError);
  });

  test("shows what is due next on a frozen clock", async () => {
    const sandbox = await create();
    const answer = await sandbox.fetch<Transaction>("/v1/transactions", { json: payout("payout-1") });
    const { id } = await answer.json();
    const waiting = sandbox.webhooks.waitFor("transactions/completed", () => true, { timeout: 0 });
    await expect(waiting).rejects.toThrow(
      `The clock stands still at 2026-01-15T09:00:00.000Z. Due next: transfer.settle of ${id} in 2s. Advance the clock`,
    );
  });

  test("is bounded, however many webhooks came", async () => {
    const sandbox = await create();
    for (let n = 0; n < 25; n++) await pay(sandbox, (await createCharge(sandbox, `order-${n}`)).id);
    const waiting = sandbox.webhooks.waitFor("charges/events", () => false, { timeout: 0 });
    const message = await waiting.then(
      () => "",
      (error: unknown) => String(error),
    );
    expect(message.split("\n")).toHaveLength(22);
    expect(message).toContain("  … 5 before\n");
    expect(message).not.toContain("order-4");
  });
});

describe("list", () => {
  test("returns the events of one topic or of all, with or without subscribers", async () => {
    const sandbox = await create();
    await pay(sandbox, (await createCharge(sandbox, "order-1")).id);
    await sandbox.fetch("/v1/transactions", { json: payout("payout-1") });
    expect(sandbox.webhooks.list().map(({ topic }) => topic)).toEqual(["charges/events", "transactions/started"]);
    expect(sandbox.webhooks.list("transaction/started")).toHaveLength(1);
    expect(sandbox.webhooks.list("transactions/failed")).toEqual([]);
  });

  test("omits events that the profile or the number silences, and spells topics as in the profile", async () => {
    const sandbox = await create({
      profile: { webhooks: { chargeEvents: ["dropped"], topicSpelling: "singular", chargePayload: "slim" } },
    });
    await pay(sandbox, (await createCharge(sandbox, "order-1")).id);
    const { id } = await createCharge(sandbox, "order-2");
    await sandbox.clock.advance("1h");
    await sandbox.fetch("/v1/transactions", { json: { ...payout("payout-1"), msisdn: "+2250700000005" } });
    const events = sandbox.webhooks.list();
    expect(events).toMatchObject([{ topic: "charge/events", data: { id, status: "dropped" } }]);
    expect(events[0]?.data).not.toHaveProperty("transactions");
  });

  test("returns copies", async () => {
    const sandbox = await create();
    await pay(sandbox, (await createCharge(sandbox, "order-1")).id);
    for (const { data } of sandbox.webhooks.list("charges/events")) data.metadata["seen"] = true;
    expect(sandbox.webhooks.list("charges/events")[0]?.data.metadata).toEqual({});
  });
});
