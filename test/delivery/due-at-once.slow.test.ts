import { expect, it } from "vitest";
import { fromXof } from "../../src/domain/values/money.js";
import { DEFAULT_LIMITS } from "../../src/sandbox/company/limits.js";
import { createFakeSystem } from "../support/fake-system.js";
import { longestStop } from "../support/loop-stops.js";
import { openWorld } from "../support/world.js";

const COMPANIES = 100;

it("companies whose charges expire at the same instant, for example after a pause of the machine, take turns", async () => {
  const system = createFakeSystem();
  const charges = Array.from({ length: 50 }, (_, n) => ({
    externalId: `order-${n}`,
    description: "Rice",
    amount: fromXof(1_000),
    status: "due" as const,
    onCompletedRedirectionUrl: "https://shop.test/yes",
    onCanceledRedirectionUrl: "https://shop.test/no",
    metadata: {},
  }));
  const { api, sandbox } = openWorld({
    clock: "running",
    autoProvision: true,
    limits: DEFAULT_LIMITS,
    system,
    forges: true,
    transport: { send: () => new Promise(() => undefined), close: async () => undefined },
    fixtures: [
      {
        customers: [],
        transactions: [],
        charges,
        subscriptions: [{ topic: "charges/events", url: "http://127.0.0.1:9/" }],
      },
    ],
  });
  for (let n = 1; n < COMPANIES; n++)
    await api("GET", "/v1/balance", undefined, { authorization: `Bearer at_client_${n}` });
  const areOver = () => sandbox.companies.every(({ world }) => world.deliveries.size === charges.length);
  const stop = await longestStop(async () => {
    system.pass(2 * 60 * 60_000);
    while (!areOver()) await new Promise((resolve) => setImmediate(resolve));
  });
  expect(sandbox.companies).toHaveLength(COMPANIES);
  expect(stop).toBeLessThan(300);
});
