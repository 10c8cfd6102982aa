import { Agent, request } from "undici";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ApiWorld, useWorlds } from "../support/describe-api.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import type { LooseJson } from "../support/world.js";

/** A hundred concurrent clients, each on its own connection. */
const open = useWorlds();
let agent: Agent;
beforeEach(() => {
  agent = new Agent({ connections: 100, pipelining: 0 });
});
afterEach(() => agent.close());

interface Client {
  readonly world: ApiWorld;
  /** Makes all calls at once; returns how often each status came. */
  readonly releaseImmediately: (
    requests: readonly (readonly [path: string, body?: unknown])[],
  ) => Promise<{ statuses: Record<number, number>; bodies: LooseJson[] }>;
}

async function listen(balance?: number): Promise<Client> {
  const world = await open(balance === undefined ? {} : { balance });
  const origin = await world.listen();
  const headers = {
    authorization: "Bearer at_sandbox",
    "x-company-id": "company_sandbox",
    "content-type": "application/json",
  };
  return {
    world,
    async releaseImmediately(requests) {
      const answers = await Promise.all(
        requests.map(async ([path, body]) => {
          const sent = {
            method: "POST" as const,
            headers,
            dispatcher: agent,
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          };
          const answer = await request(origin + path, sent);
          return { status: answer.statusCode, body: await answer.body.json() };
        }),
      );
      const statuses: Record<number, number> = {};
      for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
      return { statuses, bodies: answers.map(({ body }) => body) };
    },
  };
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe("concurrent requests", () => {
  it("100 payments of one charge: one succeeds, and the account is credited once", async () => {
    const { world, releaseImmediately } = await listen(0);
    const { id } = (await world.api("POST", "/v1/charges", chargeRequest())).body;
    const { statuses } = await releaseImmediately(times(100, () => [`/v1/charges/${id}/pay`]));
    expect(statuses).toEqual({ 200: 1, 422: 99 });
    expect((await world.api("GET", `/v1/charges/${id}`)).body).toMatchObject({
      status: "paid",
      attempts: 1,
      paid: 10_000,
    });
    expect((await world.api("GET", "/v1/balance")).body.balance).toBe(10_000);
  });

  it("100 charges with one externalId: one is created", async () => {
    const { releaseImmediately } = await listen();
    const { statuses } = await releaseImmediately(
      times(100, (index) => ["/v1/charges", chargeRequest({ externalId: "same", amount: index + 1 })]),
    );
    expect(statuses).toEqual({ 201: 1, 409: 99 });
  });

  it("100 charges with different externalIds: all are created, each with its own id", async () => {
    const { releaseImmediately } = await listen();
    const { statuses, bodies } = await releaseImmediately(times(100, () => ["/v1/charges", chargeRequest()]));
    expect(statuses).toEqual({ 201: 100 });
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(100);
  });

  it("100 partial refunds: never more than was paid", async () => {
    const { world, releaseImmediately } = await listen(0);
    const { id } = (await world.api("POST", "/v1/charges", chargeRequest({ amount: 1_000 }))).body;
    await world.api("POST", `/v1/charges/${id}/pay`);
    const { statuses } = await releaseImmediately(times(100, () => [`/v1/charges/${id}/refund`, { amount: 30 }]));
    // 33 × 30 = 990, and 10 are left: too little for one more.
    expect(statuses).toEqual({ 200: 33, 400: 67 });
    const { body } = await world.api("GET", `/v1/charges/${id}`);
    expect(body).toMatchObject({ status: "refunded_partially", refunded: 990, paid: 1_000 });
    expect(body.transactions).toHaveLength(34);
    expect((await world.api("GET", "/v1/balance")).body.balance).toBe(10);
  });

  it("100 full refunds: one is made", async () => {
    const { world, releaseImmediately } = await listen(0);
    const { id } = (await world.api("POST", "/v1/charges", chargeRequest())).body;
    await world.api("POST", `/v1/charges/${id}/pay`);
    expect((await releaseImmediately(times(100, () => [`/v1/charges/${id}/refund`]))).statuses).toEqual({
      200: 1,
      422: 99,
    });
    expect((await world.api("GET", "/v1/balance")).body.balance).toBe(0);
  });

  it("100 transfers and a balance for exactly 37 of them: 37 are made", async () => {
    const { world, releaseImmediately } = await listen(37 * 5_101.51);
    const { statuses } = await releaseImmediately(
      times(100, () => ["/v1/transactions", transferRequest({ amount: 5_051 })]),
    );
    expect(statuses).toEqual({ 201: 37, 422: 63 });
    expect((await world.api("GET", "/v1/balance")).body.balance).toBe(0);
  });

  it("100 transfers with one reference: one is made, and debited once", async () => {
    const { world, releaseImmediately } = await listen(1_000_000);
    const { statuses } = await releaseImmediately(
      times(100, () => ["/v1/transactions", transferRequest({ reference: "same" })]),
    );
    expect(statuses).toEqual({ 201: 1, 409: 99 });
    expect((await world.api("GET", "/v1/balance")).body.balance).toBe(994_950);
  });

  it("batches that share a reference: one is made, with all its items", async () => {
    const { world, releaseImmediately } = await listen(1_000_000);
    const batch = (index: number) => ({
      transactions: [transferRequest({ reference: "same" }), transferRequest({ reference: `own ${index}` })],
    });
    const { statuses } = await releaseImmediately(times(20, (index) => ["/v1/transactions/batch", batch(index)]));
    expect(statuses).toEqual({ 201: 1, 409: 19 });
    expect((await world.api("GET", "/v1/balance")).body.balance).toBe(989_900);
  });

  it("payments, refunds and transfers: the ledger explains the balance", async () => {
    const { world, releaseImmediately } = await listen(50_000);
    const ids: string[] = [];
    for (let index = 0; index < 20; index++)
      ids.push((await world.api("POST", "/v1/charges", chargeRequest({ amount: 5_050 }))).body.id);
    await releaseImmediately([
      ...ids.map((id) => [`/v1/charges/${id}/pay`] as const),
      ...times(30, () => ["/v1/transactions", transferRequest()] as const),
      ...ids.map((id) => [`/v1/charges/${id}/refund`, { amount: 50 }] as const),
    ]);
    await world.advance("1h");
    const { balance } = (await world.api("GET", "/v1/balance")).body;
    const ledger = (await world.control("GET", "/ledger?limit=1000")).body;
    expect(ledger.balance).toBe(balance);
    expect(balance).toBeGreaterThanOrEqual(0);
    expect(ledger.data.at(-1).balance).toBe(balance);
  });
});
