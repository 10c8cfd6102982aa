import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../src/sandbox/company/limits.js";
import { REMOVED_MAX } from "../../src/sandbox/provisioned.js";
import { createFakeSystem } from "../support/fake-system.js";
import { longestStop } from "../support/loop-stops.js";
import { openWorld } from "../support/world.js";

it("a thousand idle companies are not all removed by one request", async () => {
  const system = createFakeSystem();
  const { api, sandbox } = openWorld({ autoProvision: true, limits: DEFAULT_LIMITS, system });
  const use = (token: string) => api("GET", "/v1/balance", undefined, { authorization: `Bearer ${token}` });
  for (let n = 0; n < 1_000; n++) await use(`at_client_${n}`);
  expect(sandbox.companies).toHaveLength(1_001);
  system.pass(DEFAULT_LIMITS.idle);
  expect(await longestStop(() => use("at_sandbox"))).toBeLessThan(80);
  // One with 50 profiles of 1 000 hosts takes 0.15 s.
  expect(sandbox.companies.length).toBeGreaterThanOrEqual(1_001 - 2 * REMOVED_MAX);
  for (let n = 0; n < 1_000 / REMOVED_MAX; n++) await use("at_sandbox");
  expect(sandbox.companies).toHaveLength(1);
});
