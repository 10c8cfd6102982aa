import { expect, it } from "vitest";
import { longestStop } from "../support/loop-stops.js";
import { transferRequest } from "../support/requests.js";
import { createScriptedTransport } from "../support/scripted-transport.js";
import { openWorld } from "../support/world.js";

it("the URL of a subscription is not parsed for each webhook of a batch", async () => {
  const profile = { transfers: { settlement: "immediate" } } as const;
  const { api } = openWorld({ profile, transport: createScriptedTransport(() => 200), balance: 1_000_000_000 });
  const labels = Array.from({ length: 8 }, () => "ü".repeat(30));
  for (let n = 0; n < 20; n++) {
    for (const topic of ["transactions/started", "transactions/completed"]) {
      const url = `http://${labels.join(".")}.test/${n}${"é".repeat(1_100)}`;
      expect((await api("POST", "/v1/webhooks", { topic, url })).status).toBe(201);
    }
  }
  const transactions = Array.from({ length: 500 }, () => transferRequest());
  const stopMs = await longestStop(() => api("POST", "/v1/transactions/batch", { transactions }));
  expect(stopMs).toBeLessThan(700);
});
