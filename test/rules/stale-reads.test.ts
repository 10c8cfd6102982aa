import { expect, it } from "vitest";
import { transferRequest } from "../support/requests.js";
import { openWorld } from "../support/world.js";

const stale = { on: "request", match: { path: "/v1/transactions/:id" }, then: { stale: true }, times: 1 };

it.each(["+2250700000001", "+2250700000002"])(
  "a read shows a transfer as it was before it ended: %s",
  async (msisdn) => {
    const world = openWorld();
    const { body: created } = await world.api("POST", "/v1/transactions", transferRequest({ msisdn }));
    const { body: before } = await world.api("GET", `/v1/transactions/${created.id}`);
    await world.control("POST", "/clock/advance", { by: "1h" });
    await world.control("POST", "/rules", stale);
    const { status, body } = await world.api("GET", `/v1/transactions/${created.id}`);
    expect([status, body]).toEqual([200, before]);
    const { body: after } = await world.api("GET", `/v1/transactions/${created.id}`);
    expect(after.status).not.toBe("pending");
    const { body: journal } = await world.control("GET", "/requests");
    expect(journal.data[1].answer.status).toBe("pending");
  },
);

it("an error stays an error", async () => {
  const world = openWorld();
  await world.control("POST", "/rules", stale);
  expect((await world.api("GET", "/v1/transactions/txn_unknown")).status).toBe(404);
});

it.each([
  [
    { ...stale, match: {} },
    "then.stale needs match.path /v1/transactions/:id: only the state of a transfer can be stale",
  ],
  [
    { ...stale, match: { path: "/v1/charges/:id" } },
    "then.stale needs match.path /v1/transactions/:id: only the state of a transfer can be stale",
  ],
  [{ ...stale, then: { stale: true, status: 200 } }, "then.status does not go with stale, got 200"],
])("%j is refused", async (rule, message) => {
  const { status, body } = await openWorld().control("POST", "/rules", rule);
  expect([status, body.message]).toEqual([400, [expect.stringContaining(message)]]);
});
