import { afterEach, expect, test } from "vitest";
import { createSandbox, type Coverage, type Sandbox } from "../../src/index.js";

let sandbox: Sandbox;
afterEach(() => sandbox.close());

function statuses({ operations }: Coverage): string[] {
  return operations.filter(({ met }) => met).map(({ operation, status }) => `${operation} ${status}`);
}

test("coverage() is the company's, survives a reset, and equals the control API's answer", async () => {
  sandbox = await createSandbox({ profile: { transfers: { min: 1 } } });
  const other = await sandbox.company();
  await sandbox.fetch("/v1/balance");
  await sandbox.reset();
  await sandbox.fetch("/v1/charges/none");
  await other.fetch("/v1/webhooks");
  expect(statuses(sandbox.coverage())).toEqual(["getBalance 200", "getCharge 404"]);
  expect(statuses(other.coverage())).toEqual(["listWebhooks 200"]);
  const asked = await sandbox.fetch<Coverage>("/_sandbox/coverage");
  expect(await asked.json()).toEqual(sandbox.coverage());
  const touched = sandbox.coverage().openPoints.filter(({ met }) => met);
  expect(touched.map(({ setting, value, isDefault }) => [setting, value, isDefault])).toEqual([
    ["auth.companyHeader", "charges", true],
    ["errors.shape", "envelope", true],
  ]);
});
