import { describe, expect, it } from "vitest";
import { operationIds, operations, successStatus } from "../../contract/operations.js";
import { chargeLifecycle } from "../../domain/model/charge.js";
import { acceptedProfile } from "../../../test/support/profiles.js";
import type { Profile } from "../../domain/profile/profile.js";
import { settings } from "../../domain/profile/settings.js";
import { topics } from "../../domain/values/topic.js";
import { numberBehaviours } from "../../domain/accounts/test-numbers.js";
import { batchLifecycle, transferLifecycle } from "../../domain/model/transfer.js";
import { listTransitions } from "../../kernel/records/lifecycle.js";
import { type CoveragePlan, planCoverage } from "./coverage-plan.js";

const profileOf = (overrides?: unknown): Profile => acceptedProfile(overrides).profile;

const byDefault = planCoverage(profileOf());

/** The default profile, and a profile for each alternative of each setting. */
const profiles = [
  ["the default", {}] as const,
  ...settings.flatMap(({ path, alternatives }) =>
    alternatives
      .filter(({ form }) => form !== true)
      .map(({ value }) => {
        const [group = "", name] = path.split(".");
        const overrides = name === undefined ? { [group]: value } : { [group]: { [name]: value } };
        return [`${path}: ${JSON.stringify(value)}`, overrides] as const;
      }),
  ),
  ["a rate limit", { rateLimit: { requests: 5, per: "1s" } }] as const,
];

function statusesOf(plan: CoveragePlan, operation?: string): number[] {
  const wanted = plan.operations.filter((item) => operation === undefined || item.operation === operation);
  return [...new Set(wanted.map(({ status }) => status))].sort((a, b) => a - b);
}

describe("the coverage plan", () => {
  it.each(operationIds)("has every status of %s in the contract's table", (id) => {
    const operation = operations[id];
    const statuses = [successStatus(operation, profileOf()), ...operation.errors.map(({ status }) => status)];
    expect(statusesOf(byDefault, id)).toEqual([...new Set(statuses)].sort((a, b) => a - b));
  });

  it("has every edge of the lifecycles of charges, transactions and batches, under one profile or another", () => {
    const edges = [{}, { charges: { failedAttempt: "drop" } }].flatMap((overrides) =>
      planCoverage(profileOf(overrides)).transitions.map((item) => JSON.stringify(item)),
    );
    const wanted = [
      ...listTransitions(chargeLifecycle).map((edge) => ({ resource: "charge", ...edge })),
      ...listTransitions(transferLifecycle).map((edge) => ({ resource: "transaction", ...edge })),
      ...listTransitions(batchLifecycle).map((edge) => ({ resource: "batch", ...edge })),
    ];
    for (const edge of wanted) expect(edges).toContain(JSON.stringify(edge));
  });

  it("has the transitions of deliveries that need no manual action", () => {
    const actions = byDefault.transitions.filter(({ resource }) => resource === "delivery").map(({ action }) => action);
    expect(actions).toEqual(["succeed", "retry", "exhaust", "cancel"]);
  });

  it("has every topic, and every reason of the test numbers", () => {
    expect(byDefault.topics.map(({ topic }) => topic)).toEqual(topics);
    const { failure, limit, unverified } = numberBehaviours;
    for (const { transfer, payment } of [failure, limit, unverified]) {
      expect(byDefault.causes).toContainEqual({ of: "transfer", cause: Object(transfer).reason, status: null });
      expect(byDefault.causes).toContainEqual({ of: "payment", cause: Object(payment).error, status: null });
    }
  });

  it.each(profiles)("has a cause for each error of its operations, and no other, under %s", (_, overrides) => {
    const plan = planCoverage(profileOf(overrides));
    const statuses = plan.causes.flatMap(({ status }) => (status === null || status === 429 ? [] : [status]));
    expect([...new Set(statuses)].sort((a, b) => a - b)).toEqual(statusesOf(plan).filter((status) => status >= 400));
  });

  it.each([
    [{ charges: { payEndpoint: "absent" } }, "operations", { operation: "payCharge" }],
    [{ charges: { payEndpoint: "absent" } }, "causes", { cause: "payer_refused" }],
    [{ charges: { payNotDue: 409 } }, "causes", { cause: "charge_not_payable" }],
    [{}, "causes", { cause: "charge_not_payable_conflict" }],
    [{}, "causes", { cause: "rate_limited" }],
    [{}, "causes", { cause: "subscription_exists" }],
    [{}, "causes", { of: "transfer", cause: "insufficient_balance" }],
    [{ transfers: { duplicateReference: "allow" } }, "operations", { operation: "createBatch", status: 409 }],
    [{ http: { createdStatus: 200 } }, "operations", { status: 201 }],
    [{ refunds: { further: "refused" } }, "transitions", { from: "refunded_partially" }],
    [{ webhooks: { retry: "none" } }, "transitions", { action: "retry" }],
    [{ webhooks: { chargeEvents: "none" } }, "topics", { topic: "charges/events" }],
    [{}, "causes", { cause: "internal" }],
  ] as const)("leaves out what cannot be covered: under %j of the %s %j", (overrides, section, item) => {
    expect(planCoverage(profileOf(overrides))[section]).not.toContainEqual(expect.objectContaining(item));
  });

  it.each([
    [{ charges: { payNotDue: 409 } }, "causes", { cause: "charge_not_payable_conflict" }],
    [{ charges: { payNotDue: 409 } }, "operations", { operation: "payCharge", status: 409 }],
    [{ rateLimit: { requests: 5, per: "1s" } }, "causes", { cause: "rate_limited", status: 429 }],
    [{ webhooks: { duplicateSubscription: "conflict" } }, "operations", { operation: "createWebhook", status: 409 }],
    [{ transfers: { insufficientBalance: "fail" } }, "causes", { of: "transfer", cause: "insufficient_balance" }],
    [{ auth: { companyHeader: "everywhere" } }, "operations", { operation: "getBalance", status: 400 }],
  ] as const)("has what a profile adds: under %j of the %s %j", (overrides, section, item) => {
    expect(planCoverage(profileOf(overrides))[section]).toContainEqual(expect.objectContaining(item));
  });
});
