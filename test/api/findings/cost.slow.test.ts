import { expect, it } from "vitest";
import { longestStop } from "../../support/loop-stops.js";
import { transferRequest } from "../../support/requests.js";
import { createScriptedTransport } from "../../support/scripted-transport.js";
import { openWorld } from "../../support/world.js";

it("deleting a subscription takes no time for each duplicate of another one", async () => {
  const { api } = openWorld();
  const subscribe = async (path: string): Promise<string> =>
    (await api("POST", "/v1/webhooks", { topic: "charges/events", url: `http://hook.test/${path}` })).body.id;
  for (let n = 0; n < 400; n++) for (let copy = 0; copy < 2; copy++) await subscribe(String(n));
  const id = await subscribe("single");
  expect(await longestStop(() => api("DELETE", `/v1/webhooks/${id}`))).toBeLessThan(100);
});

it("references of failed payouts that are sent again do not take the time of all transfers each", async () => {
  const profile = { transfers: { duplicateReference: "allow", settlement: "immediate" } } as const;
  const { api, control } = openWorld({ profile });
  await control("PUT", "/balance", { balance: 100_000_000_000 });
  const pay = (name: string, msisdn: string) => {
    const transactions = Array.from({ length: 500 }, (_, n) => transferRequest({ msisdn, reference: `${name}-${n}` }));
    return api("POST", "/v1/transactions/batch", { transactions });
  };
  await pay("failed", "+2250700000002");
  for (let n = 0; n < 40; n++) await pay(`other-${n}`, "+2250700000001");
  const before = await longestStop(() => pay("new", "+2250700000002"));
  expect((await longestStop(() => pay("failed", "+2250700000002"))) - before).toBeLessThan(100);
});

it("a batch is not compared at length with each of thousands of references that were answered 409", async () => {
  const { api, control } = openWorld({ profile: { transfers: { settlement: "manual" } } });
  await control("PUT", "/balance", { balance: 100_000_000_000 });
  const nameOf = (n: number) => `${"a b c d e f ".repeat(15)}order ${n}`;
  const batchOf = (from: number, size: number) => ({
    transactions: Array.from({ length: size }, (_, n) => {
      const name = nameOf(from + n);
      return transferRequest({ amount: 5000 + (n % 50), reference: name, description: name });
    }),
  });
  for (let n = 0; n < 5_000; n += 500) {
    const batch = batchOf(n, 500);
    for (const status of [201, 409]) expect((await api("POST", "/v1/transactions/batch", batch)).status).toBe(status);
  }
  const stopMs = await longestStop(() => api("POST", "/v1/transactions/batch", batchOf(10_000, 2_000)));
  expect(stopMs).toBeLessThan(700);
});

it("a batch is not compared at length with each item of hundreds of batches", async () => {
  const { api, control } = openWorld({ profile: { transfers: { settlement: "immediate" } } });
  await control("PUT", "/balance", { balance: 100_000_000_000 });
  const pay = (run: number) => {
    const letters = [run / 26, run % 26].map((code) => String.fromCharCode(97 + code)).join("");
    const description = `${"a ".repeat(50)}month${letters}${" b".repeat(45)}`;
    const transactions = Array.from({ length: 500 }, (_, n) =>
      transferRequest({ msisdn: "+2250700000001", amount: 5000, reference: `${run}-${n}`, description }),
    );
    const failing = transferRequest({ msisdn: "+2250700000002", reference: `${run}-failing` });
    return api("POST", "/v1/transactions/batch", { transactions: [...transactions.slice(1), failing] });
  };
  for (let run = 0; run < 100; run++) expect((await pay(run)).status).toBe(201);
  expect(await longestStop(() => pay(100))).toBeLessThan(600);
});

it("a batch with thousands of mistakes takes the time of those that are kept", async () => {
  const { api, control } = openWorld({ profile: { batch: { maxItems: 10_000 }, transfers: { settlement: "manual" } } });
  await control("PUT", "/balance", { balance: 100_000_000_000 });
  const pay = (amount: number) => {
    const transactions = Array.from({ length: 10_000 }, (_, n) => ({
      reference: `${n}`,
      msisdn: "+2250700000010",
      amount,
    }));
    return api("POST", "/v1/transactions/batch", { transactions });
  };
  expect((await pay(5000)).status).toBe(201);
  expect(await longestStop(() => pay(5001))).toBeLessThan(2000);
  const { body } = await control("GET", "/findings?limit=1");
  expect(body.data[0].kind).toBe("reference-reused");
});

it("a reset does not describe a thousand webhooks when nothing listens for findings", async () => {
  const { api, control } = openWorld({ transport: createScriptedTransport(() => 500) });
  for (let n = 0; n < 100; n++)
    await api("POST", "/v1/webhooks", { topic: "transactions/started", url: `http://hook.test/${n}` });
  for (let n = 0; n < 10; n++) await api("POST", "/v1/transactions", transferRequest({ reference: `payout-${n}` }));
  for (let n = 0; n < 10_000; n++) await api("GET", "/v1/balance");
  await control("POST", "/settle");
  expect(await longestStop(() => control("POST", "/reset"))).toBeLessThan(100);
});
