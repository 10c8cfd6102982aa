import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/sandbox/company/limits.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { openWorld } from "../../support/world.js";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
const MIB = 1024 * 1024;
const long = "x".repeat(900_000);

it.each([
  ["many values", "/v1/charges", (n: number) => [...Array.from({ length: 100_000 }, () => []), n]],
  ["a long description", "/v1/transactions", (n: number) => transferRequest({ amount: 5000 + n, description: long })],
  ["a long reference", "/v1/transactions", (n: number) => transferRequest({ amount: 5000 + n, reference: long + n })],
  ["a long externalId", "/v1/charges", (n: number) => chargeRequest({ amount: 5000 + n, externalId: long + n })],
])("findings keep no refused body with %s", async (_, path, bodyOf) => {
  const { api, control } = openWorld({ limits: { ...DEFAULT_LIMITS, requests: 1 } });
  await control("POST", "/rules", { on: "request", then: { status: 500 } });
  await api("POST", path, bodyOf(0));
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 1; n <= 60; n++) expect((await api("POST", path, bodyOf(n))).status).toBe(500);
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(15 * MIB);
});

const junk = Array.from({ length: 50_000 }, () => []);
const payout = (n: number) => transferRequest({ amount: 5000 + n, reference: `r${n}` });

it.each([
  ["a transfer", "/v1/transactions", (n: number) => ({ ...payout(n), junk })],
  ["a batch", "/v1/transactions/batch", (n: number) => ({ transactions: [payout(n)], junk })],
])("findings keep no unknown members of %s", async (_, path, bodyOf) => {
  const { api, control } = openWorld({ limits: { ...DEFAULT_LIMITS, requests: 1 } });
  await control("PUT", "/balance", { balance: 1_000_000_000 });
  expect((await api("POST", path, bodyOf(0))).status).toBe(201);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 1; n <= 60; n++) expect((await api("POST", path, bodyOf(n))).status).toBe(201);
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(15 * MIB);
});

it("findings keep a limited number of orders", async () => {
  const { api } = openWorld({ limits: { ...DEFAULT_LIMITS, requests: 1 } });
  const send = async (from: number) => {
    const of = (n: number) => ({ amount: 5000, msisdn: `+225${Math.floor(n / 100)}`, reference: `r${n}` });
    const transactions = Array.from({ length: 9_000 }, (__, index) => of(from + index));
    expect((await api("POST", "/v1/transactions/batch", { transactions })).status).toBe(400);
  };
  for (const from of [0, 9_000]) await send(from);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 2; n <= 12; n++) await send(n * 9_000);
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(15 * MIB);
});
