import { expect, expectTypeOf, test } from "vitest";
import { type CompanyHandle, type RunReport, type Sandbox, UsageError } from "../../src/index.js";
import { startReceiver } from "../support/receiver.js";
import { create, createCharge, payout } from "./sandboxes.js";

const polling = async (company: { fetch(path: string): Promise<unknown> }): Promise<unknown> =>
  Promise.all(Array.from({ length: 20 }, () => company.fetch("/v1/transactions/none")));

test("report() has what all companies did, also those that were reset or closed, and after the end", async () => {
  const sandbox = await create();
  expectTypeOf(sandbox.report()).toEqualTypeOf<RunReport>();
  expect(sandbox.report()).toMatchObject({ requests: 0, resets: 0, findings: [], allowed: [], rulesNeverFired: [] });
  const company = await sandbox.company();
  await polling(company);
  await company.close();
  await sandbox.fetch("/v1/balance");
  await sandbox.reset();
  await sandbox.close();
  expect(sandbox.report()).toMatchObject({
    requests: 21,
    statuses: { "2xx": 1, "4xx": 20 },
    resets: 1,
    clock: expect.stringMatching(/^\d{4}-/),
    findings: [{ kind: "polling-too-fast", severity: "warning" }],
    coverage: { percent: expect.any(Number) },
  });
});

test("report() lists calls of paths that the API does not have, with what was meant", async () => {
  const sandbox = await create();
  const { secretKey } = sandbox;
  for (const path of ["/transactions?page=1", "/transactions?page=2", "/payments", `/v1/${secretKey}`, "/v1/balance"])
    await sandbox.fetch(path);
  await fetch(`${sandbox.url}/favicon.ico`);
  await sandbox.fetch("/v1/transactions/none");
  expect(sandbox.report()).toMatchObject({
    requests: 6,
    unknownPaths: {
      'There is no GET /transactions here. Did you mean "/v1/transactions"?': 2,
      "There is no GET /payments here": 1,
      "There is no GET /v1/[redacted] here": 1,
    },
  });
  for (let index = 0; index < 200; index++) await sandbox.fetch(`/v1/x/${index}`);
  expect(Object.keys(sandbox.report().unknownPaths)).toHaveLength(100);
});

test("coverage() and report() show no secret of a rule", async () => {
  const sandbox = await create();
  const { accessToken, secretKey } = sandbox;
  const headers = { authorization: `Bearer ${accessToken}` };
  sandbox.rules.add({ on: "request", name: secretKey, match: { headers }, then: { status: 500 } });
  const shown = { name: "[redacted]", match: { headers: { authorization: "Bearer [redacted]" } } };
  expect(sandbox.coverage().rules).toMatchObject([shown]);
  expect(sandbox.report().coverage.rules).toMatchObject([shown]);
});

test("report() shows no part of a secret that contains a question mark", async () => {
  const sandbox = await create();
  await sandbox.fetch("/_sandbox/companies/company_sandbox/rotate", { json: { secretKey: "s3cret-of?the-shop" } });
  await sandbox.fetch(`/v1/x/${sandbox.secretKey}`);
  expect(sandbox.report().unknownPaths).toEqual({ "There is no GET /v1/x/[redacted] here": 1 });
});

test("report() keeps the webhooks from before a reset", async () => {
  const sandbox = await create();
  const [good, bad] = [await startReceiver(), await startReceiver()];
  bad.reply({ status: 500 });
  for (const { url } of [good, bad]) await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url } });
  const { id } = await createCharge(sandbox, "order-1");
  await sandbox.fetch(`/v1/charges/${id}/pay`, { method: "POST" });
  await sandbox.settle();
  const { webhooks } = sandbox.report();
  expect(webhooks).toEqual({
    delivered: 1,
    unacknowledged: [{ topic: "charges/events", url: bad.url, error: expect.stringContaining("500") }],
  });
  await sandbox.reset();
  expect(sandbox.report().webhooks).toEqual(webhooks);
});

test("report() keeps the webhooks and findings of a charge that a restored snapshot shows as it was before", async () => {
  const sandbox = await create();
  const bad = await startReceiver();
  bad.reply({ status: 500 });
  await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: bad.url } });
  const { id } = await createCharge(sandbox, "order-1");
  await sandbox.fetch("/_sandbox/snapshots/due", { method: "POST" });
  await sandbox.fetch(`/_sandbox/charges/${id}/pay`, { method: "POST" });
  await sandbox.settle();
  const { findings, webhooks } = sandbox.report();
  expect(findings.map(({ kind }) => kind)).toEqual(["outcome-never-learned", "webhook-unacknowledged"]);
  expect(webhooks.unacknowledged).toHaveLength(1);
  await sandbox.fetch("/_sandbox/snapshots/due", { method: "PUT" });
  expect(sandbox.report()).toMatchObject({ findings, webhooks });
});

test("report() counts a webhook that is acknowledged twice once", async () => {
  const sandbox = await create();
  const { url } = await startReceiver();
  await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url } });
  const { id } = await createCharge(sandbox, "order-1");
  await sandbox.fetch(`/v1/charges/${id}/pay`, { method: "POST" });
  await sandbox.settle();
  const list = await sandbox.fetch<{ data: { id: string }[] }>("/_sandbox/deliveries");
  const [delivery] = (await list.json()).data;
  await sandbox.fetch(`/_sandbox/deliveries/${delivery?.id}/redeliver`, { method: "POST" });
  await sandbox.settle();
  expect(sandbox.report().webhooks.delivered).toBe(1);
});

test("expected findings are listed as allowed", async () => {
  const sandbox = await create({ findings: { allow: ["polling-too-fast:none", "pay-after-drop"] } });
  await polling(sandbox);
  expect(sandbox.findings()).toHaveLength(1);
  expect(sandbox.report()).toMatchObject({
    findings: [],
    allowed: [{ kind: "polling-too-fast" }],
    allowNeverMatched: ["pay-after-drop"],
  });
});

test.each([
  ["reset", (_: Sandbox, company: CompanyHandle) => company.reset()],
  ["reset with all others", (sandbox: Sandbox) => sandbox.fetch("/_sandbox/reset?company=*", { method: "POST" })],
  ["closed", (_: Sandbox, company: CompanyHandle) => company.close()],
])("judges the outcomes of a company when it is %s, and keeps what it finds", async (_, end) => {
  const sandbox = await create();
  const company = await sandbox.company();
  await company.fetch("/v1/transactions", { json: payout("salary-awa") });
  await createCharge(company, "order-1");
  await company.clock.advance("2s");
  await end(sandbox, company);
  const found = [{ kind: "outcome-never-learned", why: expect.stringContaining("A transfer that") }];
  expect(sandbox.report()).toMatchObject({ findings: found });
  await sandbox.close();
  expect(sandbox.report()).toMatchObject({ findings: found });
});

test("does not judge webhooks that are still due when a company is reset", async () => {
  const sandbox = await create();
  const { url } = await startReceiver();
  for (const topic of ["transactions/started", "transactions/completed"] as const) sandbox.subscribe(topic, url);
  sandbox.rules.add({ on: "delivery", then: { delay: "1h" } });
  await sandbox.fetch("/v1/transactions", { json: payout("salary-awa") });
  await sandbox.clock.advance("2s");
  await sandbox.reset();
  expect(sandbox.report()).toMatchObject({ findings: [] });
});

test.each([
  [{ allow: ["polling"] }, /findings must be KIND or KIND:RESOURCE/],
  [{ allow: "double-payout" }, /findings .*list|array/i],
  [{ allows: [] }, /findings/],
])("refuses %j", async (findings: object, message) => {
  const refused = create({ findings: findings as { allow: string[] } });
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toThrow(message);
});

test("names a rule that never fired, of a removed company that was never called", async () => {
  const sandbox = await create();
  await sandbox.fetch("/v1/balance");
  const { percent } = sandbox.report().coverage;
  const company = await sandbox.company({
    profile: { charges: { payEndpoint: "absent" } },
    rules: [{ name: "lost", on: "request", then: { fault: "reset" } }],
  });
  expect(sandbox.report().rulesNeverFired).toEqual(['"lost"']);
  await company.close();
  expect(sandbox.report()).toMatchObject({ rulesNeverFired: ['"lost"'], coverage: { percent } });
});
