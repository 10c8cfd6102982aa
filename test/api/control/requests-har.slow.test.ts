import { expect, it } from "vitest";
import { ARCHIVES_MAX } from "../../../src/http/control/observation-routes.js";
import { setupFor } from "../../../src/sandbox/config/options.js";
import { longestStop } from "../../support/loop-stops.js";
import { chargeRequest } from "../../support/requests.js";
import { openWorld } from "../../support/world.js";

it("stops the event loop as long for ten archives at once as for one", async () => {
  const world = openWorld();
  const metadata = Object.fromEntries(Array.from({ length: 45_000 }, (_, i) => [`k${i}`, 1]));
  for (let i = 0; i < 5; i++) await world.api("POST", "/v1/charges", chargeRequest({ metadata }));
  const archives = async (count: number): Promise<void> => {
    const texts = Array.from({ length: count }, async () =>
      (await world.app.request("/_sandbox/requests?format=har")).text(),
    );
    for (const text of await Promise.all(texts)) expect(text.length).toBeGreaterThan(5_000_000);
  };
  await archives(1);
  const [alone, together] = [await longestStop(() => archives(1)), await longestStop(() => archives(10))];
  expect(together).toBeLessThan(alone * 4);
});

it("lets another company wait for one archive at a time, however many are made", async () => {
  const setupOf = (token: string) => ({
    ...setupFor(token),
    balance: 0,
    frozenAt: undefined,
    profile: {},
    fixtures: [],
  });
  const world = openWorld({ companies: ["at_many", "at_other"].map(setupOf) });
  const call = { authorization: "Bearer at_many", "x-company-id": "company_many" };
  const metadata = Object.fromEntries(Array.from({ length: 45_000 }, (_, i) => [`k${i}`, 1]));
  await world.api("POST", "/v1/charges", chargeRequest({ metadata }), call);
  await world.api("GET", "/v1/balance", undefined, {
    ...call,
    authorization: "Bearer at_other",
    "x-company-id": "company_other",
  });
  let entries = 0;
  const archives = Array.from({ length: ARCHIVES_MAX }, async () => {
    const { body } = await world.app.request("/_sandbox/requests?format=har&company=company_many");
    for await (const part of body ?? []) if (part.length > 500_000) entries++;
  });
  await expect.poll(() => entries, { interval: 1, timeout: 10_000 }).toBeGreaterThan(0);
  const before = entries;
  const answer = await world.control("POST", "/requests/verify?company=company_other", { match: {}, count: 1 });
  const meanwhile = entries - before;
  expect(answer.status).toBe(200);
  expect(meanwhile).toBeLessThan(10);
  await Promise.all(archives);
  expect(entries).toBe(ARCHIVES_MAX);
});
