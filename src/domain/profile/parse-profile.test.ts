import { describe, expect, it } from "vitest";
import { acceptedProfile } from "../../../test/support/profiles.js";
import { crossCheck, defaultProfile, parseProfile } from "./parse-profile.js";
import type { Profile } from "./profile.js";

const HOUR_MS = 3_600_000;

const expectedDefaults: Profile = {
  http: { createdStatus: 201, actionStatus: 200 },
  auth: { companyHeader: "charges" },
  errors: { shape: "envelope" },
  transfers: {
    min: 5000,
    max: 500_000,
    fee: { rate: 0.01, fixed: 0, decimals: 2 },
    settlement: { kind: "after", afterMs: 2000 },
    duplicateReference: "conflict",
    insufficientBalance: "reject",
    unknownRecipient: "accept",
    debit: "at-creation",
    webhookId: "plain",
  },
  batch: { maxItems: 500, itemType: "optional", totalAmount: "with-fees", finalStatus: "completed" },
  charges: {
    min: 1,
    max: 200_000_000,
    ttl: HOUR_MS,
    payField: "msisdn",
    createdAtFormat: "compact",
    creationStatus: "created",
    fee: { rate: 0.01, decimals: 0, credit: "full" },
    failedAttempt: "stay",
    failedRedirection: "canceled",
    droppedReason: "expired",
    payNotDue: 422,
    payEndpoint: "present",
    partialStatusOnRead: "refunded_partially",
    paymentUrlOnRead: false,
    service: "wallet",
  },
  refunds: { amountField: "amount", aboveLeft: 400, further: "allowed", insufficientBalance: "allow" },
  unknownBody: "report",
  customers: { unlisted: "unknown", subCompanyId: "accepted" },
  webhooks: {
    signatureHeader: "x-service-hmac-sha256",
    topicHeader: null,
    topicSpelling: "as-subscribed",
    chargeEvents: ["paid", "dropped", "refunded", "refunded_partially"],
    chargePayload: "full",
    duplicateSubscription: "allowed",
    retry: [10_000, 60_000, 300_000, 1_800_000, 7_200_000],
    timeout: 10_000,
    insecureTls: false,
    allow: { kind: "any" },
  },
  paging: { limitParameter: "limit", cursorParameter: "cursor", limit: 15 },
  rateLimit: null,
  server: { bodyLimit: 1_048_576 },
  testNumbers: {
    success: "+2250700000001",
    failure: "+2250700000002",
    pending: "+2250700000003",
    late: "+2250700000004",
    silent: "+2250700000005",
    limit: "+2250700000006",
    refused: "+2250700000007",
    unverified: "+2250700000008",
    confirming: "+2250700000009",
  },
};

describe("the default profile", () => {
  it("has consistent defaults", () => {
    const profile = defaultProfile();
    expect(
      crossCheck(
        profile,
        () => false,
        () => true,
      ),
    ).toEqual([]);
  });

  it("has the documented values", () => {
    expect(defaultProfile()).toEqual(expectedDefaults);
  });

  it("is parsed from undefined, an empty object and nulls", () => {
    for (const overrides of [
      undefined,
      {},
      { transfers: null },
      { transfers: { min: null }, rateLimit: null },
      { http: {} },
    ]) {
      expect(parseProfile(overrides)).toMatchObject({ ok: true, profile: expectedDefaults, overrides: {} });
    }
  });

  it("shares no mutable part between sandboxes", () => {
    const fee = defaultProfile().transfers.fee as { rate: number };
    expect(() => (fee.rate = 0)).toThrow(TypeError);
    expect(defaultProfile()).not.toBe(defaultProfile());
    expect(defaultProfile().transfers).not.toBe(defaultProfile().transfers);
  });

  it("renders in the form that users write, which parses to the same profile", () => {
    const { values } = acceptedProfile({});
    expect(values).toMatchObject({
      transfers: { settlement: { after: "2s" } },
      rateLimit: "off",
      charges: { ttl: "1h" },
    });
    expect(acceptedProfile(values).profile).toEqual(expectedDefaults);
  });
});

describe("every form of a setting", () => {
  it.each<[unknown, unknown]>([
    [{ transfers: { settlement: "immediate" } }, { transfers: { settlement: { kind: "immediate" } } }],
    [{ transfers: { settlement: "manual" } }, { transfers: { settlement: { kind: "manual" } } }],
    [{ transfers: { settlement: { polls: 3 } } }, { transfers: { settlement: { kind: "polls", polls: 3 } } }],
    [{ transfers: { settlement: { after: 0 } } }, { transfers: { settlement: { kind: "after", afterMs: 0 } } }],
    [
      { transfers: { settlement: { after: "PT1M" } } },
      { transfers: { settlement: { kind: "after", afterMs: 60_000 } } },
    ],
    [{ transfers: { fee: { rate: 0.02 } } }, { transfers: { fee: { rate: 0.02, fixed: 0, decimals: 2 } } }],
    [{ transfers: { fee: { fixed: 25.1234 } } }, { transfers: { fee: { rate: 0.01, fixed: 25.1234, decimals: 2 } } }],
    [{ charges: { fee: { credit: "net" } } }, { charges: { fee: { rate: 0.01, decimals: 0, credit: "net" } } }],
    [{ charges: { ttl: "90m" } }, { charges: { ttl: 1.5 * HOUR_MS } }],
    [{ charges: { paymentUrlOnRead: true, payNotDue: 409 } }, { charges: { paymentUrlOnRead: true, payNotDue: 409 } }],
    [{ webhooks: { retry: "none" } }, { webhooks: { retry: [] } }],
    [{ webhooks: { retry: [] } }, { webhooks: { retry: [] } }],
    [{ webhooks: { retry: ["1s", 500, "PT1M"] } }, { webhooks: { retry: [1000, 500, 60_000] } }],
    [{ webhooks: { retry: "fast" } }, { webhooks: { retry: [100, 200, 400, 800, 1600] } }],
    [
      { webhooks: { retry: "realistic" } },
      {
        webhooks: { retry: [10_000, 60_000, 300_000, 1_800_000, 2 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS, 24 * HOUR_MS] },
      },
    ],
    [{ webhooks: { topicHeader: "X-Topic" } }, { webhooks: { topicHeader: "X-Topic" } }],
    [{ webhooks: { topicHeader: "none" } }, { webhooks: { topicHeader: null } }],
    [{ webhooks: { chargeEvents: "paid, dropped,paid" } }, { webhooks: { chargeEvents: ["paid", "dropped"] } }],
    [{ webhooks: { chargeEvents: ["refunded", "refunded"] } }, { webhooks: { chargeEvents: ["refunded"] } }],
    [{ webhooks: { chargeEvents: "none" } }, { webhooks: { chargeEvents: [] } }],
    [{ webhooks: { allow: "any" } }, { webhooks: { allow: { kind: "any" } } }],
    [{ rateLimit: { requests: 10, per: "1s" } }, { rateLimit: { requests: 10, perMs: 1000 } }],
    [{ rateLimit: "off" }, { rateLimit: null }],
    [{ rateLimit: false }, { rateLimit: null }],
    [{ testNumbers: { late: "0700000099" } }, { testNumbers: { late: "0700000099" } }],
  ])("%j", (overrides, profile) => {
    expect(acceptedProfile(overrides).profile).toMatchObject(profile as object);
  });

  it("shows a fee with defaults, and stores only the given parts", () => {
    const { values, overrides } = acceptedProfile({ transfers: { fee: { rate: 0.02 } }, charges: { ttl: "90m" } });
    expect(values).toMatchObject({
      transfers: { fee: { rate: 0.02, fixed: 0, decimals: 2 } },
      charges: { ttl: "90m" },
    });
    expect(overrides).toEqual({ transfers: { fee: { rate: 0.02 } }, charges: { ttl: "90m" } });
  });

  it("is copied, so that later changes by the caller have no effect", () => {
    const written = { webhooks: { retry: ["1s"] } };
    const { values, overrides } = acceptedProfile(written);
    written.webhooks.retry.push("nonsense");
    expect(overrides).toEqual({ webhooks: { retry: ["1s"] } });
    expect(values).toMatchObject({ webhooks: { retry: ["1s"] } });
  });
});
