import type { RuleKind } from "../../../../domain/model/rule.js";

/** A rule to start from. A test adds each of them. */
export interface RuleExample {
  readonly title: string;
  readonly rule: { readonly on: RuleKind } & Readonly<Record<string, unknown>>;
}

export const ruleExamples: readonly RuleExample[] = [
  {
    title: "Request: the answer is lost after the work is done, once",
    rule: {
      name: "answer lost",
      on: "request",
      match: { method: "POST", path: "/v1/transactions" },
      then: { fault: "reset", commit: true },
      times: 1,
    },
  },
  {
    title: "Request: 503 three times",
    rule: { name: "unavailable", on: "request", match: { path: "/v1/charges" }, then: { status: 503 }, times: 3 },
  },
  {
    title: "Request: 429 with Retry-After",
    rule: {
      name: "too many requests",
      on: "request",
      match: { method: "GET" },
      then: { status: 429, headers: { "retry-after": "2" } },
      times: 3,
    },
  },
  { title: "Request: every answer comes 2 s later", rule: { name: "slow", on: "request", then: { delay: "2s" } } },
  {
    title: "Request: the answer is cut in the middle",
    rule: { name: "malformed", on: "request", match: { method: "GET" }, then: { fault: "malformed" }, times: 1 },
  },
  {
    title: "Transfer: fails above 100 000 XOF",
    rule: {
      name: "limit",
      on: "transfer",
      match: { amount: { $gt: 100_000 } },
      then: { outcome: "failed", reason: "limit_exceeded" },
    },
  },
  { title: "Transfer: completes two hours later", rule: { name: "late", on: "transfer", then: { after: "2h" } } },
  { title: "Transfer: never ends", rule: { name: "stuck", on: "transfer", then: { outcome: "pending" }, times: 1 } },
  {
    title: "Payment: declined twice",
    rule: { name: "declined", on: "payment", then: { outcome: "failed", error: "insufficient_funds" }, times: 2 },
  },
  {
    title: "Payment: its result comes 5 minutes later",
    rule: { name: "slow payment", on: "payment", then: { outcome: "paid", after: "5m" } },
  },
  {
    title: "Delivery: each webhook comes twice",
    rule: { name: "twice", on: "delivery", match: { topic: "charges/events" }, then: { duplicate: 1 } },
  },
  { title: "Delivery: one hour late", rule: { name: "late webhook", on: "delivery", then: { delay: "1h" } } },
  {
    title: "Delivery: with a forged signature, once",
    rule: { name: "forged", on: "delivery", then: { corruptSignature: true }, times: 1 },
  },
  {
    title: "Delivery: the webhook comes before the answer",
    rule: { name: "too early", on: "delivery", match: { data: { status: "paid" } }, then: { before: "response" } },
  },
  {
    title: "Delivery: in reverse order",
    rule: { name: "reversed", on: "delivery", match: { topic: "charges/events" }, then: { reverse: true } },
  },
  { title: "Delivery: never sent", rule: { name: "dropped", on: "delivery", then: { drop: true }, times: 1 } },
];
