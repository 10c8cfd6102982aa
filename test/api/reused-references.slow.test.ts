import { expect, it } from "vitest";
import { longestStop } from "../support/loop-stops.js";
import { transferRequest } from "../support/requests.js";
import { openWorld } from "../support/world.js";

it("a batch that reuses thousands of references is compared with the requests before it only as often as findings are kept", async () => {
  const { api } = openWorld({
    profile: {
      batch: { maxItems: 10_000 },
      server: { bodyLimit: 8_388_608 },
      transfers: { duplicateReference: "allow", min: 1, settlement: "manual" },
    },
  });
  const pay = (amount: number) => {
    const transactions = Array.from({ length: 10_000 }, (_, n) => transferRequest({ amount, reference: `ref-${n}` }));
    return api("POST", "/v1/transactions/batch", { transactions });
  };
  expect((await pay(1)).status).toBe(201);
  for (let n = 0; n < 9_990; n++) await api("GET", "/v1/balance");
  let status = 0;
  expect(await longestStop(async () => ({ status } = await pay(2)))).toBeLessThan(5_000);
  expect(status).toBe(201);
}, 60_000);
