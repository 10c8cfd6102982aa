import { expect, it } from "vitest";
import { longestStop } from "../support/loop-stops.js";
import { transferRequest } from "../support/requests.js";
import { openWorld } from "../support/world.js";

it("a batch with too large a sum is refused without the time of all earlier transfers", async () => {
  const max = 100_000_000_000;
  const { api } = openWorld({ profile: { transfers: { insufficientBalance: "fail", max, settlement: "manual" } } });
  const pay = (amount: number) => {
    const transactions = Array.from({ length: 500 }, () => transferRequest({ amount }));
    return api("POST", "/v1/transactions/batch", { transactions });
  };
  for (let n = 0; n < 60; n++) expect((await pay(5_000)).status).toBe(201);
  let status = 0;
  expect(await longestStop(async () => ({ status } = await pay(max)))).toBeLessThan(500);
  expect(status).toBe(400);
});
