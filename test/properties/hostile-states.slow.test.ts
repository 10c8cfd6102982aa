import { expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/store/store.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import type { StoredSandbox } from "../../src/sandbox/state/company-record.js";
import { createStoreFormat, createStoredSandbox } from "../../src/sandbox/state/store-format.js";
import fc, { runs } from "../support/fast-check.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { createScriptedTransport } from "../support/scripted-transport.js";
import { mutateState, stateMutations } from "../support/state-mutations.js";
import { createWorld, type LooseJson, type TestWorld } from "../support/world.js";

/** A world whose receivers acknowledge every second attempt, and the bugs in its log. */
function open(data: StoredSandbox = createStoredSandbox()) {
  const bugs: unknown[] = [];
  const world = createWorld({
    seed: 1,
    store: createMemoryStore(data),
    transport: createScriptedTransport((_, index) => (index % 2 === 0 ? 500 : 200)),
    forges: true,
    log: { write: (_, event, fields) => void (event === "bug" && bugs.push(fields)) },
  });
  return { world, data, bugs };
}

/** States with everything: pending and final, held, delayed, failed. */
async function createStates(): Promise<readonly LooseJson[]> {
  const { world } = open();
  const states: LooseJson[] = [];
  const save = async () => states.push((await world.control("GET", "/state")).body);
  await world.control("PUT", "/customers/+2250700000010", { firstName: "Awa", lastName: "Koné" });
  for (const topic of ["charges/events", "transaction/started", "transactions/failed"])
    await world.api("POST", "/v1/webhooks", { topic, url: "http://shop.test/hook" });
  for (const rule of [
    { on: "payment", match: { amount: 700 }, then: { outcome: "paid", after: "10m" } },
    { on: "transfer", match: { amount: 7000 }, then: { outcome: "failed", reason: "odd", after: "1h" }, times: 2 },
    { on: "delivery", match: { data: { amount: 900 } }, then: { reverse: true }, times: 1 },
    { on: "delivery", match: { data: { amount: 1000 }, nth: 1 }, then: { hold: 9, duplicate: 1 }, times: 1 },
    { on: "delivery", match: { data: { amount: 800 } }, then: { delay: "5m", duplicate: 1, truncate: 9 } },
  ])
    expect((await world.control("POST", "/rules", rule)).status).toBe(201);
  const charges: string[] = [];
  for (const amount of [700, 800, 900, 1000, 1100])
    charges.push((await world.api("POST", "/v1/charges", chargeRequest({ amount }))).body.id);
  for (const [index, msisdn] of ["+2250700000001", "+2250700000002"].entries())
    for (const id of charges.slice(index, -1)) await world.api("POST", `/v1/charges/${id}/pay`, { msisdn });
  for (const id of charges.slice(1, 3)) await world.api("POST", `/v1/charges/${id}/refund`, { amount: 100 });
  await world.api("POST", `/v1/charges/${charges[3]}/refund`);
  for (const [n, amount] of [5050, 7000, 6000].entries())
    await world.api("POST", "/v1/transactions", transferRequest({ amount, msisdn: `+225070000000${n + 1}` }));
  const numbers = [1, 2, 3, 4];
  const transactions = numbers.map((n) => transferRequest({ msisdn: `+225070000000${n}` }));
  await world.api("POST", "/v1/transactions/batch", { transactions });
  await world.control("POST", "/settle");
  await save();
  await world.control("PATCH", "/profile", { transfers: { settlement: { polls: 2 } }, webhooks: { retry: "fast" } });
  await world.api("POST", "/v1/transactions", transferRequest());
  await world.control("POST", "/clock/advance", { by: "30m" });
  await save();
  await world.control("POST", "/clock/advance", { by: "3h" });
  await save();
  await world.close();
  return states;
}

/** Calls every operation, every list and some pages: none may answer with an error of ours. */
async function use({ api, control, app }: TestWorld, state: LooseJson): Promise<void> {
  const ok = async (answer: Promise<{ status: number; text: string }>): Promise<void> => {
    const { status, text } = await answer;
    expect(status, text).toBeLessThan(500);
  };
  const charges = [...state.charges.slice(0, 5).map(({ id }: LooseJson) => id), "new"];
  const transfers = state.transactions.slice(0, 8).map(({ id }: LooseJson) => id);
  const charge = await api("POST", "/v1/charges", chargeRequest());
  const hook = await api("POST", "/v1/webhooks", { topic: "charge/events", url: "http://shop.test/other" });
  for (const given of charges) {
    const id = given === "new" ? charge.body.id : given;
    await ok(api("GET", `/v1/charges/${id}`));
    await ok(api("POST", `/v1/charges/${id}/pay`));
    await ok(api("POST", `/v1/charges/${id}/refund`, { amount: 1 }));
    await ok(api("POST", `/v1/charges/${id}/refund`));
  }
  await ok(api("POST", "/v1/transactions", transferRequest()));
  await ok(api("POST", "/v1/transactions/batch", { transactions: [transferRequest()] }));
  for (const id of transfers) await ok(api("GET", `/v1/transactions/${id}`));
  await ok(control("POST", `/transactions/${transfers[0]}/complete`));
  for (const path of ["balance", "webhooks", "transactions/customers/check?msisdn=%2B2250700000010"])
    await ok(api("GET", `/v1/${path}`));
  await ok(api("DELETE", `/v1/webhooks/${hook.body.id}`));
  await ok(api("DELETE", `/v1/webhooks/${state.subscriptions[0]?.id}`));
  const lists = ["charges", "transactions", "batches", "ledger", "customers", "rules", "events", "deliveries"];
  for (const path of [...lists, "requests", "findings", "coverage", "profile", "clock", "companies"])
    await ok(control("GET", `/${path}${lists.includes(path) ? "?limit=1000" : ""}`));
  for (const { id } of state.deliveries.slice(0, 3)) await ok(control("POST", `/deliveries/${id}/redeliver`));
  const pages = ["", ...lists.filter((list) => list !== "events")].map((path) => `/_sandbox/dashboard/${path}`);
  for (const path of [...pages, `/checkout/${charges[0]}`])
    expect((await app.request(path, { redirect: "manual" })).status, path).toBeLessThan(500);
}

/** What holds in any company a year after its last request, however it got its state. A timer may be far in the future. */
function expectSettled(state: LooseJson): void {
  const { charges, transactions, batches, deliveries, holds, accounts, ledger, due, clock } = state;
  const isFuture = ({ dueAt }: LooseJson): boolean => Date.parse(dueAt) > Date.parse(clock.now);
  expect(due.filter((item: LooseJson) => !isFuture(item))).toEqual([]);
  const later = new Set(due.map(({ subject }: LooseJson) => subject));
  const held = new Set(holds.flatMap(({ deliveryIds }: LooseJson) => deliveryIds));
  const isLeft = (delivery: LooseJson): boolean =>
    delivery.status === "pending" && !held.has(delivery.id) && !later.has(delivery.id);
  expect(deliveries.filter(isLeft)).toEqual([]);
  for (const { id, status, amount, paid, refunded } of charges) {
    if (later.has(id)) continue;
    expect(status).not.toBe("due");
    const right = { paid: [amount, 0], refunded: [amount, amount], dropped: [0, 0] }[status as string];
    expect([paid, refunded]).toEqual(right ?? [amount, expect.toSatisfy((part) => part > 0 && part < amount)]);
  }
  for (const { id, status, plan, settleAfterMs } of transactions)
    if (!later.has(id) && plan.outcome !== "pending" && settleAfterMs !== null) expect(status).not.toBe("pending");
  for (const batch of batches) {
    const pending = transactions.filter(
      ({ batchId, status }: LooseJson) => batchId === batch.id && status === "pending",
    );
    expect([batch.open, batch.status]).toEqual([pending.length, pending.length > 0 ? "processing" : "completed"]);
  }
  const balance = accounts.find(({ id }: LooseJson) => id === "balance")?.amount ?? 0;
  expect(balance).toBe(ledger.at(-1)?.balance ?? 0);
}

async function restart({ data }: ReturnType<typeof open>) {
  const format = createStoreFormat(systemClock);
  const copy = format.createEmpty();
  for (const entry of format.dump(data)) format.apply(copy, JSON.parse(JSON.stringify(entry)));
  return open(copy);
}

it("a state that somebody changed is refused, or makes a sandbox that works, even after a year and a restart", async () => {
  const states = await createStates();
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(states.length - 1), stateMutations, async (index, mutations) => {
      const state = states[index];
      const opened = open();
      const { world, bugs } = opened;
      const before = (await world.control("GET", "/state")).text;
      const mutated = mutateState(state, mutations);
      const answer = await world.control("PUT", "/state", mutated);
      if (answer.status === 400) {
        expect(answer.body.message.length).toBeGreaterThan(0);
        expect((await world.control("GET", "/state")).text).toBe(before);
        await world.close();
        return;
      }
      expect(answer.status, answer.text).toBe(200);
      accepted++;
      await use(world, mutated);
      await world.control("POST", "/settle");
      expect((await world.control("POST", "/snapshots/after")).status).toBe(201);
      expect((await world.control("PUT", "/snapshots/after")).status).toBe(200);
      const advanced = await world.control("POST", "/clock/advance", { by: "366d" });
      if (advanced.status === 200) expectSettled((await world.control("GET", "/state")).body);
      else expect(advanced.text).toContain("the latest time is 9999-12-31T23:59:59.999Z");
      for (const mode of ["running", "frozen"])
        expect((await world.control("PUT", "/clock", { mode })).status).toBe(200);
      await world.control("POST", "/settle");
      const last = (await world.control("GET", "/state")).text;
      expect((await world.control("PUT", "/state", last)).text).toBe(last);
      const again = await restart(opened);
      expect((await again.world.control("GET", "/state")).text).toBe(last);
      await use(again.world, JSON.parse(last));
      expect([...bugs, ...again.bugs]).toEqual([]);
      for (const each of [world, again.world]) await each.close();
    }),
    { numRuns: runs(300) },
  );
  expect(accepted).toBeGreaterThan(0);
}, 120_000);
