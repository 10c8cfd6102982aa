import { beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/kernel/time/system-clock.js";
import { startReceiver } from "../../support/receiver.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { type LooseJson, openWorld, type TestWorld } from "../../support/world.js";

let world: TestWorld;
beforeEach(() => {
  world = openWorld();
});

async function charge(): Promise<LooseJson> {
  return (await world.api("POST", "/v1/charges", chargeRequest())).body;
}

async function transfer(change = {}): Promise<LooseJson> {
  return (await world.api("POST", "/v1/transactions", transferRequest(change))).body;
}

function idsOf(page: LooseJson): string[] {
  return page.data.map(({ id }: { id: string }) => id);
}

describe("GET /charges, /transactions, /batches", () => {
  it("lists charges newest first, as a GET of each shows it", async () => {
    const made = [await charge(), await charge(), await charge()];
    const { body } = await world.control("GET", "/charges");
    expect(idsOf(body)).toEqual(made.map(({ id }) => id).reverse());
    expect(body.data[0]).toEqual((await world.api("GET", `/v1/charges/${made[2].id}`)).body);
    expect(body).toMatchObject({ count: 3, limit: 15, cursor: { prev: null, next: null } });
  });

  it("has pages in both directions", async () => {
    const made: string[] = [];
    for (let count = 0; count < 5; count++) made.unshift((await charge()).id);
    const { body: first } = await world.control("GET", "/charges?limit=2");
    const { body: second } = await world.control("GET", `/charges?limit=2&cursor=${first.cursor.next}`);
    const { body: third } = await world.control("GET", `/charges?limit=2&cursor=${second.cursor.next}`);
    expect([first, second, third].flatMap(idsOf)).toEqual(made);
    expect(third.cursor.next).toBeNull();
    expect((await world.control("GET", `/charges?limit=2&cursor=${third.cursor.prev}`)).body).toEqual(second);
  });

  it("filters charges by status", async () => {
    const [due, paid] = [await charge(), await charge()];
    await world.api("POST", `/v1/charges/${paid.id}/pay`);
    expect(idsOf((await world.control("GET", "/charges?status=due")).body)).toEqual([due.id]);
    expect(idsOf((await world.control("GET", "/charges?status=paid")).body)).toEqual([paid.id]);
    expect((await world.control("GET", "/charges?status=refunded_partially")).body.data).toEqual([]);
  });

  it("filters transactions by status", async () => {
    const done = await transfer();
    await world.control("POST", "/clock/advance", { by: "2s" });
    const open = await transfer();
    const { body } = await world.control("GET", "/transactions");
    expect(idsOf(body)).toEqual([open.id, done.id]);
    expect(body.data[1]).toEqual((await world.api("GET", `/v1/transactions/${done.id}`)).body);
    expect(idsOf((await world.control("GET", "/transactions?status=pending")).body)).toEqual([open.id]);
    expect(idsOf((await world.control("GET", "/transactions?status=completed")).body)).toEqual([done.id]);
  });

  it("lists batches with their transactions and their final status", async () => {
    await world.control("PATCH", "/profile", { batch: { finalStatus: "done" } });
    const transactions = [transferRequest(), transferRequest({ amount: 5050 })];
    const { body: made } = await world.api("POST", "/v1/transactions/batch", { transactions });
    const { body: list } = await world.control("GET", "/batches?status=processing");
    expect(list.data).toHaveLength(1);
    expect(list.data[0]).toMatchObject({ id: made.id, status: "processing", totalAmount: 10_150.5, totalFee: 100.5 });
    expect(idsOf({ data: list.data[0].transactions })).toEqual(idsOf({ data: made.transactions }));
    await world.control("POST", "/clock/advance", { by: "2s" });
    expect((await world.control("GET", "/batches?status=processing")).body.data).toEqual([]);
    const [done] = (await world.control("GET", "/batches?status=done")).body.data;
    expect(done.status).toBe("done");
    expect(done.transactions[0]).toMatchObject({ status: "completed", failureReason: null });
  });

  it.each([
    [
      "/charges?status=piad",
      'status must be one of due, paid, refunded_partially, refunded, dropped (did you mean "paid"?), got "piad"',
    ],
    ["/charges?status=", 'status must be one of due, paid, refunded_partially, refunded, dropped, got ""'],
    [
      "/transactions?status=paid",
      'status must be one of pending, completed, failed (did you mean "failed"?), got "paid"',
    ],
    ["/batches?status=x", 'status must be one of processing, completed, got "x"'],
  ])("%s is 400", async (path, message) => {
    const answer = await world.control("GET", path);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toEqual([message]);
  });

  it("reports all problems of a query at once", async () => {
    const answer = await world.control("GET", "/charges?limit=0&cursor=x&status=y");
    expect(answer.body.message).toHaveLength(3);
  });
});

describe("POST /charges/:id/pay", () => {
  it("pays as the customer would, and answers what a GET shows", async () => {
    const { id } = await charge();
    const answer = await world.control("POST", `/charges/${id}/pay`, { msisdn: "0700000001" });
    expect(answer.status).toBe(200);
    expect(answer.body.status).toBe("paid");
    expect(answer.body).toEqual((await world.api("GET", `/v1/charges/${id}`)).body);
    expect((await world.control("GET", "/balance")).body.balance).toBe(10_010_000);
  });

  it("exists when the API's pay endpoint is absent", async () => {
    await world.control("PATCH", "/profile", { charges: { payEndpoint: "absent" } });
    const { id } = await charge();
    expect((await world.api("POST", `/v1/charges/${id}/pay`)).status).toBe(404);
    expect((await world.control("POST", `/charges/${id}/pay`)).body.status).toBe("paid");
  });

  it("keeps a failed attempt as an entry", async () => {
    const { id } = await charge();
    const { body } = await world.control("POST", `/charges/${id}/pay`, { msisdn: "+2250700000002" });
    expect(body).toMatchObject({ status: "due", attempts: 1, transactions: [{ error: "payment_declined" }] });
  });

  it("sends the webhook once it has answered", async () => {
    const receiver = await startReceiver();
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    const { id } = await charge();
    await world.control("POST", `/charges/${id}/pay`);
    expect(receiver.received).toHaveLength(0);
    await receiver.waitFor(1);
    expect(receiver.received[0]?.body.data).toMatchObject({ id, status: "paid" });
  });

  it.each([
    ["unknown", undefined, 404, "No charge has the id"],
    ["made", { msisdn: 5 }, 400, "msisdn must be a phone number"],
    ["made", { number: "0700000001" }, 400, 'body has no "number", only msisdn'],
    ["made", { msisdn: "+2250700000007" }, 422, "does not accept payment requests"],
  ])("%s %j is %i", async (which, body, status, message) => {
    const id = which === "made" ? (await charge()).id : which;
    const answer = await world.control("POST", `/charges/${id}/pay`, body);
    expect(answer.status).toBe(status);
    expect(answer.body.message.join()).toContain(message);
  });

  it("is 422 for a charge that is not due, even under charges.payNotDue 409", async () => {
    await world.control("PATCH", "/profile", { charges: { payNotDue: 409 } });
    const { id } = await charge();
    await world.control("POST", `/charges/${id}/pay`);
    expect((await world.api("POST", `/v1/charges/${id}/pay`)).status).toBe(409);
    expect((await world.control("POST", `/charges/${id}/pay`)).status).toBe(422);
  });

  it("fires due items first: an expired charge cannot be paid", async () => {
    await world.close();
    let now = Date.parse("2026-01-15T09:00:00Z");
    world = openWorld({ clock: "running", system: { ...systemClock, now: () => now } });
    const { id } = await charge();
    now += 3_600_000;
    const answer = await world.control("POST", `/charges/${id}/pay`);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toEqual(["The charge is dropped; only a charge that is due can be paid"]);
  });
});

describe("POST /charges/:id/refund", () => {
  it("refunds a part, then the rest, without a request in the journal", async () => {
    const { id } = await charge();
    await world.control("POST", `/charges/${id}/pay`);
    const part = await world.control("POST", `/charges/${id}/refund`, { amount: 2_500 });
    expect(part.status).toBe(200);
    expect(part.body).toMatchObject({ id, status: "refunded_partially", refunded: 2_500 });
    const rest = await world.control("POST", `/charges/${id}/refund`);
    expect(rest.body).toMatchObject({ status: "refunded", refunded: 10_000 });
    expect(rest.body).toEqual((await world.api("GET", `/v1/charges/${id}`)).body);
    const { data } = (await world.control("GET", "/requests")).body;
    expect(data.map(({ path }: { path: string }) => path)).not.toContain(`/v1/charges/${id}/refund`);
  });

  it("is 400 for more than was paid or no amount, 422 for a charge that is not paid, 404 for an unknown id", async () => {
    const { id } = await charge();
    expect((await world.control("POST", `/charges/${id}/refund`)).status).toBe(422);
    await world.control("POST", `/charges/${id}/pay`);
    for (const amount of [10_001, 0, 1.5, null, "1"])
      expect((await world.control("POST", `/charges/${id}/refund`, { amount })).status).toBe(400);
    expect((await world.control("POST", "/charges/x/refund")).status).toBe(404);
  });
});

describe("POST /charges/:id/cancel and /drop", () => {
  it("a cancelled payment leaves the charge due", async () => {
    const { id } = await charge();
    const answer = await world.control("POST", `/charges/${id}/cancel`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual((await world.api("GET", `/v1/charges/${id}`)).body);
    expect(answer.body.status).toBe("due");
  });

  it.each([
    [undefined, "expired"],
    [{}, "expired"],
    [{ reason: "fraud" }, "fraud"],
  ])("drops with %j", async (body, droppedReason) => {
    const { id } = await charge();
    const answer = await world.control("POST", `/charges/${id}/drop`, body);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, status: "dropped", droppedReason });
    expect((await world.control("GET", "/clock")).body.pendingTimers).toBe(0);
  });

  it.each(["cancel", "drop"])("%s of a charge that is not due is 422 and says what is possible", async (action) => {
    const { id } = await charge();
    await world.control("POST", `/charges/${id}/pay`);
    const answer = await world.control("POST", `/charges/${id}/${action}`);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toEqual([`Failed to ${action} the charge: it is "paid". From there you can: refund.`]);
  });

  it("is 404 for an unknown id and 400 for a wrong body", async () => {
    const { id } = await charge();
    for (const action of ["cancel", "drop"]) {
      expect((await world.control("POST", `/charges/x/${action}`)).status).toBe(404);
      expect((await world.control("POST", `/charges/${id}/${action}`, { why: 1 })).status).toBe(400);
    }
    expect((await world.control("POST", `/charges/${id}/drop`, { reason: " " })).status).toBe(400);
    expect((await world.control("GET", "/charges?status=due")).body.count).toBe(1);
  });
});

describe("POST /transactions/:id/complete and /fail", () => {
  beforeEach(() => world.control("PATCH", "/profile", { transfers: { settlement: "manual" } }));

  it.each([(id: string) => id, (id: string) => id.replace("txn_", "")])(
    "completes by the id with or without prefix",
    async (given) => {
      const { id } = await transfer();
      const answer = await world.control("POST", `/transactions/${given(id)}/complete`);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ id, status: "completed", failureReason: null });
      expect(answer.body).toEqual((await world.api("GET", `/v1/transactions/${id}`)).body);
    },
  );

  it.each([
    [undefined, "recipient_unreachable"],
    [{ reason: "limit_exceeded" }, "limit_exceeded"],
  ])("fails with %j and gives the money back", async (body, failureReason) => {
    const { id } = await transfer();
    const answer = await world.control("POST", `/transactions/${id}/fail`, body);
    expect(answer.body).toMatchObject({ id, status: "failed", failureReason });
    expect((await world.control("GET", "/balance")).body.balance).toBe(10_000_000);
  });

  it("overrides the planned outcome of the number", async () => {
    await world.control("PATCH", "/profile", { transfers: { settlement: null } });
    const { id } = await transfer({ msisdn: "+2250700000002" });
    await world.control("POST", `/transactions/${id}/complete`);
    expect((await world.control("POST", "/clock/advance", { by: "1d" })).body.firedCount).toBe(0);
    expect((await world.api("GET", `/v1/transactions/${id}`)).body.status).toBe("completed");
  });

  it("does not count as a poll", async () => {
    await world.control("PATCH", "/profile", { transfers: { settlement: { polls: 1 } } });
    const { id } = await transfer();
    await world.control("GET", "/transactions");
    expect((await world.control("GET", "/transactions?status=pending")).body.count).toBe(1);
    expect((await world.control("POST", `/transactions/${id}/fail`)).body.status).toBe("failed");
  });

  it("is 422 for a final one", async () => {
    const { id } = await transfer();
    await world.control("POST", `/transactions/${id}/fail`);
    for (const action of ["complete", "fail"]) {
      const answer = await world.control("POST", `/transactions/${id}/${action}`);
      expect(answer.status).toBe(422);
      expect(answer.body.message).toEqual([
        `Failed to ${action} the transaction: it is "failed". That is a final state.`,
      ]);
    }
  });

  it("is 404 for an unknown id and 400 for a wrong body", async () => {
    const { id } = await transfer();
    for (const action of ["complete", "fail"]) {
      expect((await world.control("POST", `/transactions/x/${action}`)).status).toBe(404);
      expect((await world.control("POST", `/transactions/${id}/${action}`, { foo: 1 })).status).toBe(400);
    }
    expect((await world.control("POST", `/transactions/${id}/fail`, { reason: 5 })).status).toBe(400);
  });
});
