import { expect, it } from "vitest";
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
