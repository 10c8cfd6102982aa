import { expect, it } from "vitest";
import { fromXof } from "../../src/domain/values/money.js";
import { createMemoryStore } from "../../src/adapters/store/store.js";
import { createStoredSandbox } from "../../src/sandbox/state/store-format.js";
import { DEFAULT_LIMITS } from "../../src/sandbox/company/limits.js";
import { createFakeSystem } from "../support/fake-system.js";
import { longestStop } from "../support/loop-stops.js";
import { openWorld, type WorldOptions } from "../support/world.js";

const COMPANIES = 100;

const charges = Array.from({ length: 50 }, (_, n) => ({
  externalId: `order-${n}`,
  description: "Rice",
  amount: fromXof(1_000),
  status: "due" as const,
  onCompletedRedirectionUrl: "https://shop.test/yes",
  onCanceledRedirectionUrl: "https://shop.test/no",
  metadata: {},
}));
const subscriptions = [{ topic: "charges/events", url: "http://127.0.0.1:9/" } as const];

function openCompanies(parts: WorldOptions) {
  return openWorld({
    clock: "running",
    autoProvision: true,
    limits: DEFAULT_LIMITS,
    forges: true,
    fixtures: [{ customers: [], transactions: [], charges, subscriptions }],
    ...parts,
  });
}

const until = async (isOver: () => boolean): Promise<void> => {
  while (!isOver()) await new Promise((resolve) => setImmediate(resolve));
};

it("companies whose charges expire at the same instant, for example after a pause of the machine, take turns", async () => {
  const system = createFakeSystem();
  const store = createMemoryStore(createStoredSandbox());
  const hanging = { send: () => new Promise<never>(() => undefined), close: async () => undefined };
  const { api, sandbox } = openCompanies({ system, store, transport: hanging });
  for (let n = 1; n < COMPANIES; n++)
    await api("GET", "/v1/balance", undefined, { authorization: `Bearer at_client_${n}` });
  const stop = await longestStop(async () => {
    system.pass(2 * 60 * 60_000);
    await until(() => sandbox.companies.every(({ world }) => world.deliveries.size === charges.length));
  });
  expect(sandbox.companies).toHaveLength(COMPANIES);
  expect(stop).toBeLessThan(300);

  // After a kill the webhooks of all companies are under way at the start.
  let sent = 0;
  const send = (): Promise<never> => {
    sent++;
    for (const end = performance.now() + 1; performance.now() < end;);
    return hanging.send();
  };
  const restart = await longestStop(async () => {
    openCompanies({ system, store: createMemoryStore(store.data), transport: { ...hanging, send } });
    await until(() => sent === COMPANIES * charges.length);
  });
  expect(restart).toBeLessThan(1_500);
});
