import { expect, test } from "vitest";
import { create, payout } from "./sandboxes.js";

test("a thousand warnings displace no critical finding", async () => {
  const sandbox = await create();
  const payTwice = async (reference: string): Promise<void> => {
    sandbox.rules.add({ on: "request", match: { path: "/v1/transactions" }, then: { status: 500 }, times: 1 });
    for (const name of [reference, `${reference}-again`])
      await sandbox.fetch("/v1/transactions", { json: payout(name) });
  };
  await payTwice("rent");
  for (let index = 0; index < 1_001; index++)
    await sandbox.fetch("/v1/charges/none/refund", { json: { [`member${index}`]: 1 } });
  await payTwice("salary");
  for (const findings of [sandbox.findings(), sandbox.report().findings])
    expect(findings.filter(({ severity }) => severity === "critical").map(({ why }) => why)).toEqual([
      expect.stringContaining('"rent"'),
      expect.stringContaining('"salary"'),
    ]);
});
