import { describe, expect, it, onTestFinished } from "vitest";
import fc, { runs } from "../../../test/support/fast-check.js";
import { balanceOf, effectOnBalance } from "../../domain/accounts/ledger.js";
import { fromXof } from "../../domain/values/money.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { advance } from "../company/advance.js";
import type { Company } from "../company/company.js";
import { type ChargeFixture, type TransactionFixture, type WorldFixture, emptyFixture } from "./fixture.js";
import { resolveOptions, setupFor } from "../config/options.js";
import { Sandbox } from "../sandbox.js";
import type { FixtureTime } from "./file-fields.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";

const START = Date.UTC(2026, 0, 15, 9);
const MINUTE_MS = 60_000;

interface Given {
  readonly balance?: number;
  readonly profile?: ProfileOverrides;
  readonly fixtures?: readonly Partial<WorldFixture>[];
}

function seed({ balance = 100_000, profile = {}, fixtures = [] }: Given): Company {
  const worlds = fixtures.map((fixture) => ({ ...emptyFixture, ...fixture }));
  const defaults = { balance: fromXof(balance), frozenAt: START, profile, fixtures: worlds };
  const sandbox = new Sandbox(resolveOptions({ companies: [{ ...setupFor("at_a"), ...defaults }] }));
  onTestFinished(() => sandbox.close());
  return sandbox.defaultCompany;
}

function charge(given: Partial<ChargeFixture> = {}): ChargeFixture {
  const urls = { onCompletedRedirectionUrl: "https://shop.test/yes", onCanceledRedirectionUrl: "https://shop.test/no" };
  return {
    externalId: "c",
    amount: fromXof(10_000),
    description: "Shoes",
    status: "paid",
    metadata: {},
    ...urls,
    ...given,
  };
}

function transaction(given: Partial<TransactionFixture> = {}): TransactionFixture {
  return { msisdn: "+2250700000010", amount: fromXof(5000), reference: "t", status: "completed", ...given };
}

function expectBooksToBalance({ world }: Company, balance: number): void {
  expect(balanceOf({ world })).toBe(balance);
  let running = 0;
  for (const entry of world.ledger.values()) {
    running += effectOnBalance(entry);
    expect(entry.postings.reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
    expect(entry.balance).toBe(running);
  }
  expect(running).toBe(balance);
  expect(world.accounts.values().reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
}

describe("any mixture of fixtures", () => {
  const amounts = fc.integer({ min: 1, max: 500_000 }).map(fromXof);
  const times: fc.Arbitrary<FixtureTime | undefined> = fc.oneof(
    fc.constant(undefined),
    fc.integer({ min: 0, max: 300 * MINUTE_MS }).map((beforeStartMs) => ({ beforeStartMs })),
    fc.integer({ min: START - 300 * MINUTE_MS, max: START }),
  );
  const numbers = fc.constantFrom(
    "+2250700000001",
    "+2250700000002",
    "+2250700000003",
    "+2250700000005",
    "0700000007",
    "+221770000013",
  );
  const charges = fc.record({
    amount: amounts,
    status: fc.constantFrom<ChargeFixture["status"][]>("due", "paid", "refunded_partially", "refunded", "dropped"),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    msisdn: fc.option(numbers, { nil: undefined }),
    createdAt: times,
    id: fc.option(fc.uuid(), { nil: undefined }),
  });
  const transactions = fc.record({
    amount: amounts,
    status: fc.constantFrom<TransactionFixture["status"][]>("completed", "failed", "pending"),
    msisdn: numbers,
    createdAt: times,
    id: fc.option(fc.uuid(), { nil: undefined }),
  });
  const worlds = fc.record({
    charges: fc.array(charges, { maxLength: 6 }),
    transactions: fc.array(transactions, { maxLength: 6 }),
  });
  const fixtures = fc.array(worlds, { maxLength: 3 }).map((drawn) =>
    drawn.map((world, n): WorldFixture => ({
      ...emptyFixture,
      charges: world.charges.map(({ share, ...given }, m) => {
        const amount = given.status === "refunded_partially" ? given.amount + fromXof(2) : given.amount;
        const refunded =
          given.status === "refunded_partially" ? Math.max(1, Math.floor((amount - 1) * share)) : undefined;
        return charge({ ...given, amount, refunded, externalId: `c-${n}-${m}` });
      }),
      transactions: world.transactions.map((given, m) => transaction({ ...given, reference: `t-${n}-${m}` })),
    })),
  );
  const profiles = fc.record({
    transfers: fc.record({
      debit: fc.constantFrom("at-creation", "on-completion"),
      insufficientBalance: fc.constantFrom("reject", "fail"),
      settlement: fc.constantFrom("immediate", "manual", { after: "2s" }, { polls: 2 }),
      fee: fc.constantFrom({ rate: 0.01 }, { rate: 0 }, { rate: 0.0333, fixed: 12.5, decimals: 4 }),
    }),
    charges: fc.record({
      fee: fc.constantFrom({ credit: "full" }, { credit: "net", rate: 0.035, decimals: 2 }),
      ttl: fc.constantFrom("1h", "1ms"),
    }),
    refunds: fc.record({
      insufficientBalance: fc.constantFrom("allow", "reject"),
      further: fc.constantFrom("allowed", "refused"),
    }),
  });

  it("ends at the given balance, with a ledger that balances and every record in its status", () => {
    fc.assert(
      fc.property(fixtures, profiles, fc.integer({ min: 0, max: 2_000_000 }), (fixtures, profile, balance) => {
        const company = seed({ fixtures, profile, balance });
        const { world } = company;
        expectBooksToBalance(company, fromXof(balance));
        // There are no events, and the balance was never negative.
        expect([world.events.size, world.deliveries.size]).toEqual([0, 0]);
        expect(world.ledger.values().every((entry) => entry.balance >= 0 && entry.at <= START)).toBe(true);
        const inOrder = <T extends { at: number }>(rows: readonly T[]): T[] => [...rows].sort((a, b) => a.at - b.at);
        expect(world.ledger.values()).toEqual(inOrder(world.ledger.values()));
        const given = fixtures.flatMap((fixture) => fixture.charges);
        const seeded = world.charges.values();
        expect(seeded).toHaveLength(given.length);
        expect(seeded.map(({ createdAt }) => createdAt)).toEqual(
          seeded.map(({ createdAt }) => createdAt).sort((a, b) => a - b),
        );
        for (const fixture of given) {
          const found = world.charges.findBy("externalId", fixture.externalId);
          const overdue = fixture.status === "due" && (found?.expiresAt ?? 0) <= START;
          expect(found).toMatchObject({
            status: overdue ? "dropped" : fixture.status,
            amount: fixture.amount,
            ...(fixture.id === undefined ? {} : { id: fixture.id }),
          });
          if (fixture.refunded !== undefined)
            expect(found).toMatchObject({ refunded: fixture.refunded, paid: fixture.amount });
        }
        for (const fixture of fixtures.flatMap(({ transactions }) => transactions)) {
          const found = world.transfers.findBy("reference", fixture.reference);
          expect(found).toMatchObject({
            status: fixture.status,
            amount: fixture.amount,
            ...(fixture.id === undefined ? {} : { id: fixture.id }),
          });
          expect(found?.failureReason === null).toBe(fixture.status !== "failed");
        }
        const timers = world.due.values();
        expect(timers.every(({ dueAt }) => dueAt > START - 1)).toBe(true);
        const due = seeded.filter(({ status }) => status === "due");
        expect(
          timers
            .filter(({ kind }) => kind === "charge.expire")
            .map(({ subject }) => subject)
            .sort(),
        ).toEqual(due.map(({ id }) => id).sort());
      }),
      { numRuns: runs(200) },
    );
  });

  it("keeps a balanced ledger afterwards", async () => {
    await fc.assert(
      fc.asyncProperty(fixtures, profiles, async (fixtures, profile) => {
        const company = seed({ fixtures, profile, balance: 1_000_000 });
        await advance(company, { byMs: 400 * MINUTE_MS });
        expectBooksToBalance(company, balanceOf(company));
        expect(company.world.charges.values().filter(({ status }) => status === "due")).toEqual([]);
      }),
      { numRuns: runs(30) },
    );
  });
});

describe("the fixtures of a company", () => {
  it("begin with the opening balance from which the given one results", () => {
    const company = seed({
      balance: 100_000,
      fixtures: [{ charges: [charge({ createdAt: { beforeStartMs: MINUTE_MS } })], transactions: [transaction()] }],
    });
    expect(company.world.ledger.values().map(({ type, at, balance }) => [type, at - START, balance / 10_000])).toEqual([
      ["opening", -MINUTE_MS, 95_050],
      ["charge.payment", -MINUTE_MS, 105_050],
      ["transfer.debit", 0, 100_000],
      ["transfer.settled", 0, 100_000],
    ]);
  });

  it("end with a correction when more money came in than the given balance", () => {
    const company = seed({ balance: 0, fixtures: [{ charges: [charge()] }] });
    expect(company.world.ledger.values().map(({ type, balance }) => [type, balance / 10_000])).toEqual([
      ["charge.payment", 10_000],
      ["adjustment", 0],
    ]);
  });

  it("may complete a transfer before the payments that cover it", () => {
    // The transfer must not fail because the balance lacks the money of a later charge.
    const company = seed({
      balance: 0,
      fixtures: [
        { transactions: [transaction({ createdAt: { beforeStartMs: MINUTE_MS } })] },
        { charges: [charge({ amount: fromXof(100_000) })] },
      ],
    });
    expect(company.world.transfers.findBy("reference", "t")?.status).toBe("completed");
    expectBooksToBalance(company, 0);
  });

  it("never fail because a refund lacks money", () => {
    const profile = { charges: { fee: { credit: "net" } }, refunds: { insufficientBalance: "reject" } };
    const company = seed({
      balance: 0,
      profile,
      fixtures: [{ charges: [charge({ status: "refunded" }), charge({ externalId: "d", amount: fromXof(50_000) })] }],
    });
    expect(company.world.charges.findBy("externalId", "c")?.status).toBe("refunded");
    expectBooksToBalance(company, 0);
  });

  it("store only the fields of a charge", () => {
    const company = seed({
      fixtures: [
        { charges: [charge({ msisdn: "+2250700000010", createdAt: { beforeStartMs: 1 }, metadata: { a: [1] } })] },
      ],
    });
    const found = company.world.charges.findBy("externalId", "c");
    expect(found).toMatchObject({
      createdAt: START - 1,
      metadata: { a: [1] },
      attempts: 1,
      paid: fromXof(10_000),
      entries: [{ type: "payment", recipientMsisdn: "2250700000010" }],
    });
    expect(found).not.toHaveProperty("msisdn");
  });

  it("keep a charge silent when the silent number paid it and it is refunded", () => {
    const company = seed({ fixtures: [{ charges: [charge({ msisdn: "0700000005" })] }] });
    expect(company.world.charges.findBy("externalId", "c")?.silent).toBe(true);
  });

  it("drop a charge that expired before the company began, without an event", async () => {
    const overdue = charge({ status: "due", createdAt: { beforeStartMs: 60 * MINUTE_MS } });
    const nearly = charge({ externalId: "d", status: "due", createdAt: { beforeStartMs: 59 * MINUTE_MS } });
    const company = seed({
      fixtures: [
        { charges: [overdue, nearly], subscriptions: [{ topic: "charges/events", url: "http://127.0.0.1:9/" }] },
      ],
    });
    const statusOf = (externalId: string): string | undefined =>
      company.world.charges.findBy("externalId", externalId)?.status;
    expect([statusOf("c"), statusOf("d")]).toEqual(["dropped", "due"]);
    await company.ready();
    expect([company.world.events.size, company.world.deliveries.size]).toEqual([0, 0]);
    await advance(company, { byMs: MINUTE_MS }, { settle: false });
    expect(statusOf("d")).toBe("dropped");
    expect(company.world.deliveries.size).toBe(1);
  });

  it.each<[string, ProfileOverrides, number | undefined]>([
    ["two seconds after the beginning", {}, 2000],
    ["never by itself where transfers settle at once", { transfers: { settlement: "immediate" } }, undefined],
    ["never by itself where they settle by hand", { transfers: { settlement: "manual" } }, undefined],
  ])("settle a pending transaction of yesterday %s", (_, profile, afterMs) => {
    const company = seed({
      profile,
      fixtures: [
        { transactions: [transaction({ status: "pending", createdAt: { beforeStartMs: 1440 * MINUTE_MS } })] },
      ],
    });
    expect(company.world.transfers.findBy("reference", "t")).toMatchObject({
      status: "pending",
      createdAt: START - 1440 * MINUTE_MS,
    });
    const due = company.world.due.peek();
    expect(due === undefined ? undefined : due.dueAt - START).toBe(afterMs);
  });

  it("fail a transaction with the reason of its number, unless another one is given", () => {
    const failed = (reference: string, given: Partial<TransactionFixture>): TransactionFixture =>
      transaction({ reference, status: "failed", ...given });
    const company = seed({
      fixtures: [
        {
          transactions: [
            failed("a", {}),
            failed("b", { msisdn: "+2250700000006" }),
            failed("c", { failureReason: "stolen" }),
          ],
        },
      ],
    });
    expect(company.world.transfers.values().map(({ failureReason }) => failureReason)).toEqual([
      "recipient_unreachable",
      "limit_exceeded",
      "stolen",
    ]);
  });
});

describe("fixtures that are refused", () => {
  const uuid = "00000000-0000-4000-8000-000000000001";
  it.each<[string, Given]>([
    [
      'Failed to seed the charge "c": A charge with externalId "c" already exists.',
      { fixtures: [{ charges: [charge()] }, { charges: [charge()] }] },
    ],
    [
      'Failed to seed the charge "d": its id is that of an earlier one.',
      { fixtures: [{ charges: [charge({ id: uuid }), charge({ externalId: "d", id: uuid })] }] },
    ],
    [
      'Failed to seed the transaction "t": its reference was used by an earlier one.',
      { fixtures: [{ transactions: [transaction(), transaction()] }] },
    ],
    [
      'Failed to seed the transaction "u": its id is that of an earlier one.',
      { fixtures: [{ transactions: [transaction({ id: uuid }), transaction({ reference: "u", id: uuid })] }] },
    ],
    [
      'Failed to seed the subscription of charges/events to "http://169.254.169.254/": webhooks.allow does not permit its host.',
      { fixtures: [{ subscriptions: [{ topic: "charges/events", url: "http://169.254.169.254/" }] }] },
    ],
    [
      'Failed to seed the charge "c": with those before it, it moves the balance by more than 50000000000 XOF.',
      {
        fixtures: [
          {
            charges: Array.from({ length: 51 }, (_, n) =>
              charge({ externalId: n === 50 ? "c" : String(n), amount: fromXof(1e9) }),
            ),
          },
        ],
      },
    ],
  ])("%s", (message, given) => {
    expect(() => seed(given)).toThrow(new UsageError("input", message));
  });

  it("may repeat a reference where the profile allows it", () => {
    const company = seed({
      profile: { transfers: { duplicateReference: "allow" } },
      fixtures: [{ transactions: [transaction(), transaction()] }],
    });
    expect(company.world.transfers.size).toBe(2);
  });
});
