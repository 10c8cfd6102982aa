import { beforeEach, describe, expect, it } from "vitest";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { type LooseJson, openWorld, type TestWorld } from "../../support/world.js";

let world: TestWorld;
beforeEach(() => {
  world = openWorld();
});

async function events(query = ""): Promise<LooseJson> {
  return (await world.control("GET", `/events${query}`)).body;
}

function typesOf(page: LooseJson): string[] {
  return page.data.map(({ type }: { type: string }) => type);
}

/** One event of each type. */
async function play(): Promise<Record<"charge" | "batch" | "webhook", LooseJson>> {
  const webhook = await world.api("POST", "/v1/webhooks", {
    topic: "transactions/failed",
    url: "http://127.0.0.1:9/x",
  });
  await world.api("DELETE", `/v1/webhooks/${webhook.body.id}`);
  const batch = await world.api("POST", "/v1/transactions/batch", { transactions: [transferRequest()] });
  const charge = await world.api("POST", "/v1/charges", chargeRequest());
  await world.api("POST", `/v1/charges/${charge.body.id}/pay`, { msisdn: "+2250700000002" });
  await world.control("POST", `/charges/${charge.body.id}/cancel`);
  await world.api("POST", `/v1/charges/${charge.body.id}/pay`);
  await world.api("POST", `/v1/charges/${charge.body.id}/refund`, { amount: 1 });
  await world.api("POST", `/v1/charges/${charge.body.id}/refund`);
  const dropped = await world.api("POST", "/v1/charges", chargeRequest());
  await world.control("POST", `/charges/${dropped.body.id}/drop`);
  await world.control("PUT", "/balance", { balance: 5 });
  await world.control("POST", "/clock/advance", { by: "2s" });
  return { charge: charge.body, batch: batch.body, webhook: webhook.body };
}

describe("GET /events", () => {
  it("lists all events in order", async () => {
    await play();
    expect(typesOf(await events("?limit=100"))).toEqual([
      "subscription.created",
      "subscription.deleted",
      "transaction.started",
      "batch.created",
      "charge.created",
      "charge.payment_failed",
      "charge.payment_cancelled",
      "charge.paid",
      "charge.refunded_partially",
      "charge.refunded",
      "charge.created",
      "charge.dropped",
      "balance.adjusted",
      "transaction.completed",
      "batch.completed",
    ]);
  });

  it("shows each resource at its time, with the ids of the API", async () => {
    const { charge, batch, webhook } = await play();
    const { data } = await events("?limit=100");
    const find = (type: string): LooseJson => data.find((event: LooseJson) => event.type === type);
    const transactionId = batch.transactions[0].id;
    expect(Object.keys(data[0])).toEqual(["id", "at", "type", "resource", "data"]);
    expect(find("subscription.created")).toMatchObject({ resource: webhook.id, data: webhook });
    expect(find("charge.paid")).toMatchObject({
      id: expect.stringMatching(/^evt_/),
      at: "2026-01-15T09:00:00.000Z",
      resource: charge.id,
      data: { id: charge.id, status: "paid", refunded: 0 },
    });
    expect(find("transaction.completed")).toMatchObject({
      at: "2026-01-15T09:00:02.000Z",
      resource: transactionId,
      data: { id: transactionId, batchId: batch.id, status: "completed" },
    });
    expect(find("batch.created")).toMatchObject({
      resource: batch.id,
      data: { id: batch.id, status: "processing", transactionIds: [transactionId] },
    });
    expect(find("batch.completed").data.status).toBe("completed");
    expect(find("balance.adjusted")).toMatchObject({ resource: null, data: { balance: 5, currency: "XOF" } });
  });

  it("continues after the last event seen", async () => {
    await play();
    const { data: all } = await events("?limit=100");
    const seen = all[6].id;
    const { body: rest } = await world.control("GET", `/events?limit=100&after=${seen}`);
    expect(rest.data).toEqual(all.slice(7));
    expect((await events(`?limit=100&after=${seen.replace("evt_", "")}`)).data).toEqual(all.slice(7));
    expect((await events("?limit=100&after=")).data).toEqual(all);
    expect((await events(`?after=${all.at(-1).id}`)).data).toEqual([]);
    const { cursor } = await events(`?limit=2&after=${seen}`);
    expect((await events(`?limit=2&after=${seen}&cursor=${cursor.next}`)).data).toEqual(all.slice(9, 11));
    expect(cursor.prev).toBeNull();
  });

  it("is 404 after an unknown event", async () => {
    const answer = await world.control("GET", "/events?after=evt_x");
    expect(answer.status).toBe(404);
    expect(answer.body.message[0]).toContain('No event has the id "evt_x"');
  });
});

describe("POST /events", () => {
  it.each(["started", "completed", "failed"])(
    "makes an event transaction.%s where transfers settle at once",
    async (type) => {
      await world.control("PATCH", "/profile", { transfers: { settlement: "immediate" } });
      const { status, body } = await world.control("POST", "/events", { topic: `transactions/${type}` });
      expect([status, body.type]).toEqual([201, `transaction.${type}`]);
      const wanted = type === "failed" ? "failed" : "completed";
      expect((await world.api("GET", `/v1/transactions/${body.resource}`)).body.status).toBe(wanted);
    },
  );
});
