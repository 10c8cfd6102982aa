import { expect, expectTypeOf, test } from "vitest";
import type { Finding, FindingKind } from "../../src/index.js";
import { create, createCharge } from "./sandboxes.js";

test("findings() lists dangerous behaviour of this company's client until a reset", async () => {
  const sandbox = await create();
  const other = await sandbox.company();
  const { id } = await createCharge(sandbox, "order-1");
  expect(sandbox.findings()).toEqual([]);
  await sandbox.clock.advance("1h");
  expect((await sandbox.fetch(`/v1/charges/${id}/pay`, { method: "POST" })).status).toBe(422);
  const findings = sandbox.findings();
  expectTypeOf(findings).toEqualTypeOf<readonly Finding[]>();
  expectTypeOf<Finding["kind"]>().toEqualTypeOf<FindingKind>();
  expect(findings).toEqual([
    {
      kind: "pay-after-drop",
      severity: "warning",
      why: expect.stringContaining(`the charge ${id} (externalId "order-1")`),
      fix: expect.stringContaining("`dropped` as final"),
      requests: [
        {
          id: "req_2",
          method: "POST",
          path: `/v1/charges/${id}/pay`,
          summary: expect.stringContaining('externalId "order-1"'),
        },
      ],
    },
  ]);
  expect(other.findings()).toEqual([]);
  await sandbox.reset();
  expect(sandbox.findings()).toEqual([]);
  expect(findings).toHaveLength(1);
});

test("findings() of a closed company throws a UsageError", async () => {
  const sandbox = await create();
  const other = await sandbox.company();
  await other.close();
  expect(() => other.findings()).toThrow(/company .* was closed/);
});
