import { expect, it } from "vitest";
import type { Effect, Fact } from "./effect.js";
import { describeEffect } from "./describe-effect.js";

const refund = (amount: number): Fact => ({ kind: "refund", of: "order-1", amount });
const payout = (amount: number): Fact => ({ kind: "transfer", of: "+2250700000010", amount });

const ended = { exitCode: 0, crash: null, timedOut: false, ms: 1, holds: null, printed: "" };
const seen = { requests: [], deliveries: [], outcomes: [], failures: [], findings: [], settings: [], appliedRules: [] };

function sentencesOf(effect: Effect, facts: readonly Fact[]): string {
  const result = { ...ended, seen: { ...seen, facts } };
  const key = ({ kind, of, amount }: Fact): string => `${kind} ${of} ${amount}`;
  return describeEffect(effect, { key }, result);
}

it.each<[string, Effect, readonly Fact[]]>([
  [
    "8 000 XOF of order-1 was refunded instead of 4 000 XOF.",
    { added: [refund(8000)], missing: [refund(4000)] },
    [refund(8000)],
  ],
  ["+2250700000010 received 5 000 XOF twice.", { added: [payout(5000)], missing: [] }, [payout(5000), payout(5000)]],
  [
    "+2250700000010 received 9 000 XOF, which does not happen otherwise.",
    { added: [payout(9000)], missing: [] },
    [payout(9000)],
  ],
  [
    "4 000 XOF of order-1 was not refunded. +2250700000010 did not receive 5 000 XOF.",
    { added: [], missing: [refund(4000), payout(5000)] },
    [],
  ],
])("%s", (sentence, effect, facts) => expect(sentencesOf(effect, facts)).toBe(sentence));
