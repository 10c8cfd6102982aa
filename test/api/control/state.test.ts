import { describe, expect, it } from "vitest";
import { valueBytes } from "../../../src/kernel/messages/json.js";
import { STATE_BYTES_MAX, STATE_VALUE_BYTES_MAX } from "../../../src/sandbox/state/state.js";
import { startReceiver } from "../../support/receiver.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { openWorld, type LooseJson, type TestWorld } from "../../support/world.js";

async function stateOf(world: TestWorld, company = "company_sandbox"): Promise<LooseJson> {
  return (await world.control("GET", `/state?company=${company}`)).body;
}

/** A world in which there is something of everything, and nothing on the wire. */
async function lively(): Promise<TestWorld> {
  const world = openWorld({ seed: 1, transport: { send: async () => refused, close: async () => undefined } });
  for (const topic of ["charges/events", "transaction/started"]) {
    await world.api("POST", "/v1/webhooks", { topic, url: "http://127.0.0.1:9/hook" });
  }
  await world.control("PUT", "/customers/+2250700000010", { firstName: "Awa", lastName: "Koné" });
  await world.control("PATCH", "/profile", { transfers: { settlement: { after: "5s" } } });
  await world.api("POST", "/v1/transactions", transferRequest({ amount: 5050, description: "Wages" }));
  await world.api("POST", "/v1/transactions", transferRequest({ msisdn: "+2250700000002" }));
  await world.api("POST", "/v1/transactions/batch", { transactions: [transferRequest(), transferRequest()] });
  const metadata = JSON.parse('{"__proto__": {"a": 1}, "constructor": [null], "é": "\\u0000"}');
  const { body: charge } = await world.api("POST", "/v1/charges", chargeRequest({ metadata }));
  await world.api("POST", `/v1/charges/${charge.id}/pay`);
  await world.api("POST", `/v1/charges/${charge.id}/refund`, { amount: 1 });
  await world.api("POST", "/v1/charges", chargeRequest());
  await world.control("PUT", "/balance", { balance: 9_000_000.0001 });
  await world.control("POST", "/settle");
  return world;
}

const refused = { status: null, latencyMs: 1.5, error: "ECONNREFUSED: nobody there", response: null };
const LONG_URL = `https://shop.test/${"x".repeat(2048)}`;

describe("GET /state", () => {
  it("returns a whole company in the API's spelling, without its identity", async () => {
    const world = await lively();
    const text = (await world.control("GET", "/state")).text;
    const state = JSON.parse(text);
    expect(Object.keys(state)).toEqual([
      "schemaVersion",
      "companyId",
      "clock",
      "profile",
      "seq",
      "idPosition",
      "accounts",
      "ledger",
      "customers",
      "charges",
      "transactions",
      "batches",
      "subscriptions",
      "deliveries",
      "events",
      "rules",
      "payments",
      "holds",
      "due",
    ]);
    expect(state).toMatchObject({
      schemaVersion: 1,
      companyId: "company_sandbox",
      clock: { mode: "frozen", now: "2026-01-15T09:00:00.000Z" },
      profile: { transfers: { settlement: { after: "5s" } } },
    });
    expect(state.transactions[0]).toMatchObject({ id: expect.stringMatching(/^txn_/), amount: 5050, fee: 50.5 });
    expect(state.batches[0].transactionIds[0]).toMatch(/^txn_/);
    expect(state.transactions[2].batchId).toBe(state.batches[0].id);
    expect(state.due.map(({ kind }: { kind: string }) => kind)).toContain("charge.expire");
    expect(text).not.toContain("secret_sandbox");
    expect(text).not.toContain("at_sandbox");
  });
});

describe("PUT /state", () => {
  it("restores everything, including the clock", async () => {
    const world = await lively();
    const before = await stateOf(world);
    await world.control("POST", "/clock/advance", { by: "3h" });
    await world.control("PATCH", "/profile", { charges: { min: 50 } });
    const answer = await world.control("PUT", "/state", before);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(before);
    expect(answer.headers.get("x-sandbox-now")).toBe("2026-01-15T09:00:00.000Z");
    expect(await stateOf(world)).toEqual(before);
    expect((await world.control("GET", "/profile")).body.charges.min).toBe(1);
  });

  it("never uses the ids of its records again, whatever its idPosition is", async () => {
    const world = await lively();
    const before = await stateOf(world);
    await world.control("PUT", "/state", { ...before, idPosition: 0 });
    await world.api("POST", "/v1/transactions", transferRequest());
    await world.api("POST", "/v1/charges", chargeRequest());
    const after = await stateOf(world);
    for (const table of ["charges", "transactions", "ledger", "deliveries", "events"])
      expect(after[table].slice(0, before[table].length).map(({ id }: LooseJson) => id)).toEqual(
        before[table].map(({ id }: LooseJson) => id),
      );
    expect((await world.control("PUT", "/state", after)).status).toBe(200);
  });

  it("continues in the same way in another process", async () => {
    const [one, other] = [
      await lively(),
      openWorld({ seed: 1, transport: { send: async () => refused, close: async () => undefined } }),
    ];
    const text = (await one.control("GET", "/state")).text;
    await other.control("PUT", "/state", text);
    const [first, second] = await Promise.all(
      [one, other].map((world) => world.control("POST", "/clock/advance", { by: "3h" })),
    );
    expect(first?.body.firedCount).toBeGreaterThan(5);
    expect(second?.body).toEqual(first?.body);
    const paths = ["/charges", "/transactions", "/batches", "/balance", "/customers", "/deliveries", "/profile"];
    for (const path of paths)
      expect((await other.control("GET", path)).text).toBe((await one.control("GET", path)).text);
  });

  it("keeps the ids, tokens and secret key of the target", async () => {
    const world = await lively();
    await world.control("POST", "/companies", { companyId: "b", secretKey: "key b" });
    const state = await stateOf(world);
    const answer = await world.control("PUT", "/state?company=b", state);
    expect(answer.body).toEqual({ ...state, companyId: "b" });
    const company = (await world.control("GET", "/companies")).body.data[1];
    expect(company).toMatchObject({ companyId: "b", accessToken: "at_b", secretKey: "key b", balance: 9_000_000.0001 });
    const headers = { authorization: "Bearer at_b", "x-company-id": "b" };
    const { id } = state.charges[1];
    expect((await world.api("POST", `/v1/charges/${id}/pay`, undefined, headers)).body.status).toBe("paid");
    expect((await world.api("GET", `/v1/charges/${id}`)).body.status).toBe("due");
  });

  it("sends pending and interrupted deliveries again with the target's key", async () => {
    const [silent, awake] = [await startReceiver("hang"), await startReceiver()];
    const world = openWorld();
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: silent.url });
    const { body: charge } = await world.api("POST", "/v1/charges", chargeRequest());
    await world.api("POST", `/v1/charges/${charge.id}/pay`);
    await world.api("POST", `/v1/charges/${charge.id}/refund`);
    await silent.waitFor(1);
    const state = (await world.control("GET", "/state")).text.replaceAll(silent.origin, awake.origin);
    const other = openWorld();
    await other.control("PUT", "/state", state);
    expect(awake.received).toHaveLength(0);
    await other.control("POST", "/settle");
    expect(awake.received.map(({ body }) => body.data.status)).toEqual(["paid", "refunded"]);
  });

  it("ends an advance that is under way with 422", async () => {
    const world = openWorld();
    const receiver = await startReceiver("hang");
    const before = await stateOf(world);
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    await world.api("POST", "/v1/charges", chargeRequest());
    const advancing = world.control("POST", "/clock/advance", { by: "2h" });
    await receiver.waitFor(1);
    await world.control("PUT", "/state", before);
    expect((await advancing).status).toBe(422);
    expect(await stateOf(world)).toEqual(before);
  });

  it("continues a running clock from the time of the dump", async () => {
    const world = openWorld({ clock: "running" });
    const state = await stateOf(world);
    expect(state.clock.mode).toBe("running");
    await world.control("PUT", "/state", { ...state, clock: { mode: "running", now: "2030-01-01T00:00:00.000Z" } });
    const { body: clock } = await world.control("GET", "/clock");
    expect(clock.mode).toBe("running");
    expect(clock.now >= "2030-01-01T00:00:00.000Z" && clock.now < "2030-01-01T00:01").toBe(true);
  });

  it("accepts a state that began with the highest counts and was used since", async () => {
    const world = await lively();
    const put = { ...(await stateOf(world)), seq: 1e14, idPosition: 1e14 };
    expect((await world.control("PUT", "/state", put)).status).toBe(200);
    await world.api("POST", "/v1/charges", chargeRequest());
    const used = await stateOf(world);
    expect(used.seq).toBeGreaterThan(1e14);
    expect((await world.control("PUT", "/state", used)).body).toEqual(used);
  });

  it("accepts larger bodies than other calls", async () => {
    const world = openWorld();
    for (let count = 0; count < 8; count++) {
      await world.api("POST", "/v1/charges", chargeRequest({ metadata: { filler: "x".repeat(100_000) } }));
    }
    const { text } = await world.control("GET", "/state");
    expect(text.length).toBeGreaterThan(1024 * 1024);
    expect((await world.control("PUT", "/state", text)).status).toBe(200);
  });

  it("stays far below the limit of values, however large it grows", async () => {
    const { text } = await (await lively()).control("GET", "/state");
    expect(valueBytes(Buffer.from(text)) / text.length).toBeLessThan(STATE_VALUE_BYTES_MAX / STATE_BYTES_MAX / 1.2);
  });
});

describe("a wrong state", () => {
  it("that would fill the memory is refused before it is parsed", async () => {
    const world = openWorld();
    const items = "{},".repeat(STATE_VALUE_BYTES_MAX / 100);
    const { status, body } = await world.control("PUT", "/state", `{"charges":[${items}{}]}`);
    expect([status, body.message]).toEqual([
      400,
      ["The body has too many values for its size: it would take too much memory"],
    ]);
  });

  it.each<[string, (state: LooseJson) => unknown, string]>([
    ["nothing", () => undefined, "body must be a JSON object, but it is missing"],
    ["a list", () => [], "body must be a JSON object, got a list of 0"],
    [
      "a newer version",
      (state) => ({ ...state, schemaVersion: 2, other: 1 }),
      "it is of version 2, and this sandbox reads 1",
    ],
    ["no version", ({ schemaVersion: _, ...state }) => state, "schemaVersion must be 1, but it is missing"],
    ["an unknown key", (state) => ({ ...state, chargess: [] }), 'body has no "chargess"'],
    ["no table", ({ charges: _, ...state }) => state, "charges must be a list, but it is missing"],
    ["no profile", ({ profile: _, ...state }) => state, "A profile must be an object"],
    ["a wrong setting", (state) => ({ ...state, profile: { transfers: { mni: 1 } } }), 'Did you mean "transfers.min"?'],
    [
      "a wrong clock",
      (state) => ({ ...state, clock: { mode: "slow", now: "noon" } }),
      "clock.mode must be one of running, frozen",
    ],
    [
      "a wrong field",
      (state) => changed(state, "charges", 0, { status: "payed" }),
      'charges[0].status must be one of due, paid, refunded_partially, refunded, dropped, got "payed"',
    ],
    [
      "a wrong amount",
      (state) => changed(state, "charges", 0, { paid: -1 }),
      "charges[0].paid must be a number of XOF from 0",
    ],
    [
      "a fraction too fine",
      (state) => changed(state, "ledger", 0, { balance: 0.00001 }),
      "ledger[0].balance must be a number of XOF",
    ],
    [
      "a wrong url",
      (state) => changed(state, "subscriptions", 0, { url: "shop" }),
      "subscriptions[0].url must be an absolute http or https URL",
    ],
    ["a wrong time", (state) => changed(state, "due", 0, { dueAt: 5 }), "due[0].dueAt must be an ISO 8601 time"],
    [
      "a time after every clock's",
      (state) => changed(state, "charges", 0, { createdAt: "+010000-01-01T00:00:00.000Z" }),
      "charges[0].createdAt must be at most 9999-12-31T23:59:59.999Z",
    ],
    ["an unknown kind", (state) => changed(state, "due", 0, { kind: "charge.explode" }), "due[0].kind must be one of"],
    [
      "a timer for nobody",
      (state) => changed(state, "due", 0, { subject: "x" }),
      'due[0].subject must be what transfer.settle is about, got "x"',
    ],
    [
      "an id twice",
      (state) => changed(state, "charges", 1, { id: state.charges[0].id }),
      "charges[1].id is given twice",
    ],
    [
      "an id of a charge and a transaction, both open",
      ({ charges, transactions, ...state }) => {
        const { id } = charges.find(({ status }: LooseJson) => status === "due");
        const pending = transactions.find(({ status }: LooseJson) => status === "pending");
        const shared = pending.id.slice("txn_".length);
        return JSON.parse(JSON.stringify({ charges, transactions, ...state }).replaceAll(id, shared));
      },
      "].id is the id of a charge",
    ],
    [
      "a place twice",
      (state) => changed(state, "charges", 1, { seq: state.charges[0].seq }),
      "charges[1].seq is given twice",
    ],
    ["a place to come", (state) => ({ ...state, seq: 1 }), "charges[0].seq must be at most seq, 1"],
    [
      "an externalId twice",
      (state) => changed(state, "charges", 1, { externalId: state.charges[0].externalId }),
      "charges[1].externalId is given twice",
    ],
    [
      "a subscription with a long URL",
      (state) => changed(state, "subscriptions", 0, { url: LONG_URL }),
      "subscriptions[0].url must have at most 2048 characters",
    ],
    [
      "a delivery with a long URL",
      (state) => changed(state, "deliveries", 0, { url: LONG_URL }),
      "deliveries[0].url must have at most 2048 characters",
    ],
    ["a missing batch", (state) => ({ ...state, batches: [] }), "transactions[2].batchId is the id of no batch"],
    [
      "a batch of nothing",
      (state) => ({ ...state, transactions: [], due: [] }),
      "batches[0].transactionIds has the id of no transaction",
    ],
    ["a batch that cannot end", (state) => changed(state, "batches", 0, { open: 5 }), "batches[0].open must be 2"],
    [
      "books that do not add up",
      (state) => changed(state, "accounts", 0, { amount: 5 }),
      "accounts[0].amount (balance) must be 9000000.0001, what the ledger adds up to, got 5",
    ],
    [
      "an account that is missing",
      (state) => ({ ...state, accounts: [] }),
      "accounts lacks balance; its amount must be 9000000.0001",
    ],
    [
      "an entry that does not add up",
      (state) => changed(state, "ledger", 0, { postings: [{ account: "balance", amount: 1 }] }),
      "ledger[0].postings must add up to 0, they add up to 1",
    ],
    [
      "an entry between accounts that its type does not move",
      (state) =>
        changed(state, "ledger", 0, {
          postings: [
            { account: "balance", amount: 1 },
            { account: "pending", amount: -1 },
          ],
        }),
      "ledger[0].postings[1].account must be balance or capital for opening, got pending",
    ],
    ...["+275760-09-13T00:00:00.000Z", "+010000-01-01T00:00:00.000Z"].map(
      (now): [string, (state: LooseJson) => unknown, string] => [
        `a clock at ${now}`,
        (state) => ({ ...state, clock: { mode: "running", now } }),
        "clock.now must be",
      ],
    ),
    [
      "a clock before 1970",
      (state) => ({ ...state, clock: { mode: "frozen", now: "1969-12-31T23:59:59.999Z" } }),
      "clock.now must be an ISO 8601 time",
    ],
    [
      "no room for more",
      (state) => ({ ...state, seq: Number.MAX_SAFE_INTEGER }),
      "seq must be a whole number from 0 to",
    ],
    ["a seq at the limit of a store", (state) => ({ ...state, seq: 2e14 }), "seq must be a whole number from 0 to"],
    [
      "no room for more ids",
      (state) => ({ ...state, idPosition: 2e14 }),
      "idPosition must be a whole number from 0 to 100000000000000",
    ],
    [
      "records in another order",
      (state) => ({ ...state, events: state.events.toReversed() }),
      "events[1].seq must be more than that of the record before it",
    ],
    [
      "more refunded than was paid",
      (state) => changed(state, "charges", 0, { refunded: 10_001 }),
      "charges[0].refunded must be more than 0 and less than 10000 when the status is refunded_partially",
    ],
    [
      "a payment of nothing",
      (state) => changed(state, "charges", 1, { paid: 10_000 }),
      "charges[1].paid must be 0 when the status is due, got 10000",
    ],
    [
      "a payment that the ledger does not have",
      (state) => ({ ...state, ledger: state.ledger.filter(({ type }: LooseJson) => type !== "charge.payment") }),
      "charges[0].paid does not fit the ledger",
    ],
    [
      "a payment without its entry",
      (state) => changed(state, "charges", 0, { entries: [] }),
      "charges[0].entries must have payments of 10000, they add up to 0",
    ],
    [
      "a charge that never expires",
      (state) => ({ ...state, due: state.due.filter(({ kind }: LooseJson) => kind !== "charge.expire") }),
      "charges[1].status lacks its charge.expire in due",
    ],
    [
      "a transfer that never settles",
      (state) => ({ ...state, due: state.due.filter(({ kind }: LooseJson) => kind !== "transfer.settle") }),
      "transactions[0].settleAfterMs lacks its transfer.settle in due",
    ],
    [
      "a retry that never comes",
      (state) => ({ ...state, due: state.due.filter(({ kind }: LooseJson) => kind !== "delivery.attempt") }),
      "lacks its delivery.attempt in due",
    ],
    [
      "a transfer that failed without a reason",
      (state) => changed(state, "transactions", 0, { status: "failed" }),
      "transactions[0].failureReason must be a text",
    ],
    [
      "a batch with the same transaction twice",
      (state) => changed(state, "batches", 0, { transactionIds: Array(2).fill(state.batches[0].transactionIds[0]) }),
      "batches[0].transactionIds must have each of its 2 transactions once",
    ],
    [
      "a batch of another total",
      (state) => changed(state, "batches", 0, { totalAmount: 1 }),
      "batches[0].totalAmount must be 10100, the sum of its transactions",
    ],
    [
      "a batch that has ended too early",
      (state) => changed(state, "batches", 0, { status: "completed" }),
      "batches[0].status must be processing when 2 of its transactions are pending",
    ],
    [
      "money without room for more",
      (state) => changed(state, "accounts", 0, { amount: "900719925474.0991" }),
      "accounts[0].amount must be a number of XOF from -800000000000 to 800000000000",
    ],
    [
      "a balance that was not",
      (state) => changed(state, "ledger", 0, { balance: 1 }),
      "ledger[0].balance must be 10000000, got 1",
    ],
  ])("%s: 400 with the position, and nothing changes", async (_, spoil, message) => {
    const world = await lively();
    const before = await stateOf(world);
    const answer = await world.control("PUT", "/state", spoil(structuredClone(before)));
    expect(answer.status).toBe(400);
    expect(answer.body.message.join("\n")).toContain(message);
    expect(await stateOf(world)).toEqual(before);
  });

  it("counts payments that wait for their results among the attempts of a charge", async () => {
    const world = openWorld();
    await world.control("POST", "/rules", { on: "payment", then: { after: "5m" } });
    const { body: charge } = await world.api("POST", "/v1/charges", chargeRequest());
    await world.api("POST", `/v1/charges/${charge.id}/pay`);
    await world.api("POST", `/v1/charges/${charge.id}/pay`);
    const state = await stateOf(world);
    const answer = await world.control("PUT", "/state", changed(state, "charges", 0, { attempts: 1 }));
    expect([answer.status, answer.body.message]).toEqual([
      400,
      ["charges[0].attempts must be at least 2, the number of its payments"],
    ]);
  });

  it.each([
    [{ hold: 9 }, null, ["holds[0].eventId must be the id of an event, as its rule demands"]],
    [{ hold: 9 }, "paid", [expect.stringMatching(/^holds\[0\]\.deliveryIds has a delivery of another event, del_/)]],
    [{ reverse: true }, "paid", [expect.stringMatching(/^holds\[0\]\.eventId must be null, /), expect.any(String)]],
  ])("a hold of the rule %j for the event %j is refused", async (then, eventId, message) => {
    const world = openWorld();
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: "http://shop.test/hook" });
    await world.control("POST", "/rules", { on: "delivery", then });
    const { body: charge } = await world.api("POST", "/v1/charges", chargeRequest());
    await world.api("POST", `/v1/charges/${charge.id}/pay`);
    const state = await stateOf(world);
    expect((await world.control("PUT", "/state", state)).status).toBe(200);
    const answer = await world.control("PUT", "/state", changed(state, "holds", 0, { eventId }));
    expect([answer.status, answer.body.message]).toEqual([400, message]);
  });

  it("is refused with up to a hundred problems at once", async () => {
    const world = openWorld();
    const state = { ...(await stateOf(world)), charges: Array.from({ length: 200 }, () => 5) };
    const answer = await world.control("PUT", "/state", state);
    expect(answer.body.message).toHaveLength(101);
    expect(answer.body.message.at(-1)).toBe("… and more problems");
  });

  it("answers 404 for an unknown company", async () => {
    const world = openWorld();
    expect((await world.control("PUT", "/state?company=x", await stateOf(world))).status).toBe(404);
  });
});

function changed(state: LooseJson, table: string, index: number, change: object): LooseJson {
  return { ...state, [table]: state[table].with(index, { ...state[table][index], ...change }) };
}
