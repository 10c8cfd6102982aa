import { expect, it } from "vitest";
import { longestStop } from "../../support/loop-stops.js";
import { openWorld } from "../../support/world.js";

it("coverage does not take the time of reading each name of webhooks.allow as an address", async () => {
  const { api, control } = openWorld();
  for (let change = 0; change < 50; change++) {
    const allow = Array.from({ length: 1_000 }, (_, n) => `h${change}x${n}.test`);
    expect((await control("PATCH", "/profile", { webhooks: { allow } })).status).toBe(200);
    expect((await api("GET", "/v1/balance")).status).toBe(200);
  }
  await control("GET", "/coverage");
  expect(await longestStop(() => control("GET", "/coverage"))).toBeLessThan(800);
});
