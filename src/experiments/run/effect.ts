import { toXof } from "../../domain/values/money.js";
import type { World } from "../../domain/model/work.js";
import { surplus } from "../../kernel/collections.js";

/**
 * One thing that happened to money or to an order, as the sandbox recorded it, without generated ids: two runs that do the same have the same facts.
 *
 * - `transfer`: a transfer that completed. `pending`: one that did not end.
 * - `charge`: a charge was made. `payment`: it was paid. `refund`: some or all of it was paid back.
 */
export interface Fact {
  readonly kind: "transfer" | "pending" | "charge" | "payment" | "refund";
  /** The msisdn of a transfer, or the externalId of a charge. */
  readonly of: string;
  /** XOF. */
  readonly amount: number;
}

/** The facts that one of two runs has more often than the other. */
export interface Effect {
  /** What this run did and the baseline did not. */
  readonly added: readonly Fact[];
  /** What the baseline did and this run did not. */
  readonly missing: readonly Fact[];
}

export function readFacts({ transfers, charges }: World): Fact[] {
  const paidOut = transfers.values().flatMap(({ status, msisdn, amount }): Fact[] => {
    if (status === "failed") return [];
    return [{ kind: status === "completed" ? "transfer" : "pending", of: msisdn, amount: toXof(amount) }];
  });
  const taken = charges
    .values()
    .flatMap(({ externalId, amount, paid, refunded }): Fact[] => [
      { kind: "charge", of: externalId, amount: toXof(amount) },
      ...(paid > 0 ? [{ kind: "payment", of: externalId, amount: toXof(paid) } as const] : []),
      ...(refunded > 0 ? [{ kind: "refund", of: externalId, amount: toXof(refunded) } as const] : []),
    ]);
  return [...paidOut, ...taken];
}

/** The transfers that failed, as the facts that they were while they were pending. */
export function readFailures({ transfers }: World): Fact[] {
  const failed = transfers.values().filter(({ status }) => status === "failed");
  return failed.map(({ msisdn, amount }) => ({ kind: "pending", of: msisdn, amount: toXof(amount) }));
}

/** How facts of two runs are recognized as the same. */
export type FactKey = (fact: Fact) => string;

/** From exact to coarse, each with a note about what it cannot distinguish. */
const views: readonly { readonly key: FactKey; readonly note: string | null }[] = [
  { key: ({ kind, of, amount }) => `${kind} ${of} ${amount}`, note: null },
  {
    key: ({ kind, of, amount }) => `${kind} ${withoutGenerated(of)} ${amount}`,
    note: "Parts of the externalIds are new in each run: they are compared without these parts.",
  },
  {
    key: ({ kind, amount }) => `${kind} ${amount}`,
    note: "Recipients or externalIds are new in each run: payouts and charges are compared by their amounts.",
  },
  {
    key: ({ kind }) => kind,
    note: "Amounts are new in each run: payouts, charges and refunds are only counted.",
  },
];

/** The most exact view in which two runs without a fault are the same; undefined when there is none. */
export function findStableView(first: readonly Fact[], second: readonly Fact[]) {
  return views.find(({ key }) => {
    return surplus(second, first, key).length === 0 && surplus(first, second, key).length === 0;
  });
}

/** A name without what a program makes up: UUIDs, times in milliseconds, random letters and digits. A name may have a million letters. */
export function withoutGenerated(text: string): string {
  return text.replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?<![\da-z])(?=[a-z]*\d)[\da-z]{6,}/gi, "…");
}

/** How a run differs from the baseline. A pending transfer counts as moved money, and also as missing where that of the baseline completed. */
export function compareFacts(baseline: readonly Fact[], run: readonly Fact[], key: FactKey): Effect {
  const done = (facts: readonly Fact[]) => facts.filter(({ kind }) => kind !== "pending");
  const added = surplus(run.map(asMoved), baseline.map(asMoved), key);
  const notArrived = surplus(done(baseline), done(run), key);
  const notSent = surplus(baseline.map(asMoved), run.map(asMoved), key);
  const missing = [...notArrived, ...surplus(notSent, notArrived, key)];
  const effect = withoutSmallerRefunds(withoutRenamed({ added, missing }, baseline), key);
  // A second charge moves no money by itself.
  return { ...effect, added: effect.added.filter(({ kind }) => kind !== "charge") };
}

function asMoved(fact: Fact): Fact {
  return fact.kind === "pending" ? { ...fact, kind: "transfer" } : fact;
}

/** Leaves out facts that differ only in the externalId: an order that was charged and paid under a new one was paid once. */
function withoutRenamed({ added, missing }: Effect, baseline: readonly Fact[]): Effect {
  const known = new Set(baseline.map(({ of }) => of));
  const left = [...missing];
  const remaining = added.filter((fact) => {
    if (fact.kind === "transfer" || known.has(fact.of)) return true;
    const at = left.findIndex(({ kind, amount }) => kind === fact.kind && amount === fact.amount);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
  return { added: remaining, missing: left };
}

/** A charge of which less was refunded than in the baseline has nothing added: the rest is missing. */
function withoutSmallerRefunds({ added, missing }: Effect, key: FactKey): Effect {
  const left = [...missing];
  const isOfSameCharge = (one: Fact, other: Fact) => key({ ...one, amount: 0 }) === key({ ...other, amount: 0 });
  const remaining = added.filter((fact) => {
    if (fact.kind !== "refund") return true;
    const at = left.findIndex((usual) => usual.amount > fact.amount && isOfSameCharge(usual, fact));
    const usual = left[at];
    if (usual === undefined) return true;
    left[at] = { ...usual, amount: usual.amount - fact.amount };
    return false;
  });
  return { added: remaining, missing: left };
}
