import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/sandbox/company/limits.js";
import { longestStop } from "../../support/loop-stops.js";
import { openWorld } from "../../support/world.js";

it("a reset of all companies does not merge the coverage of those before it for each one", async () => {
  const { api, control } = openWorld({ autoProvision: true, limits: DEFAULT_LIMITS });
  const companies = 500;
  for (let n = 0; n < companies; n++) {
    const headers = { authorization: `Bearer at_worker_${n}`, "x-company-id": `company_worker_${n}` };
    expect((await api("GET", "/v1/balance", undefined, headers)).status).toBe(200);
    for (let rule = 0; rule < 3; rule++) {
      const match = { body: { reference: `payout-${n}-${rule}-${"x".repeat(300)}` } };
      const created = await control("POST", `/rules?company=company_worker_${n}`, {
        on: "request",
        match,
        then: { status: 503 },
      });
      expect(created.status).toBe(201);
    }
  }
  expect(await longestStop(() => control("POST", "/reset?company=*"))).toBeLessThan(1_500);
  const { body } = await control("GET", "/coverage?company=*");
  expect(body).toMatchObject({ sections: { rules: { total: 1_000 } } });
  expect(body.operations).toContainEqual(
    expect.objectContaining({ operation: "getBalance", status: 200, count: companies }),
  );
});
