import { operations, type OperationId } from "../../contract/operations.js";
import { shorten } from "../../kernel/messages/text.js";
import type { FaultName, PlannedFault, Point } from "./faults.js";

/** What a request had done when its answer went wrong. */
const works: { readonly [Id in OperationId]?: string } = {
  createTransaction: "the payout was made",
  createBatch: "the payouts of the batch were made",
  createCharge: "the charge was created",
  payCharge: "the customer had paid",
  refundCharge: "the refund was made",
  createWebhook: "the subscription was made",
  deleteWebhook: "the subscription was deleted",
};

/** `POST /v1/transactions (salary-awa)` or `the webhook charges/events#1 (order-1)` */
function describePoint({ operation, name, about }: Point): string {
  const beside = about === "" ? "" : ` (${shorten(about, 80)})`;
  if (operation === undefined) return `the webhook ${name}${beside}`;
  const { method, path } = operations[operation];
  return `${method} ${path}${beside}`;
}

const sentences: Readonly<Record<FaultName, (at: string, work: string, what: string) => string>> = {
  "answer-lost": (at, work) => `The answer to ${at} was lost after ${work}.`,
  "500-after": (at, work) => `${at} was answered with 500 after ${work}.`,
  "answer-cut": (at, work) => `The answer to ${at} broke off in the middle, after ${work}.`,
  slow: (at, work) => `${at} got no answer in time, although ${work}.`,
  "request-lost": (at) => `The connection of ${at} was reset before anything was done.`,
  "500-before": (at) => `${at} was answered with 500, and nothing was done.`,
  "503": (at) => `${at} was answered with 503 (not available), and nothing was done.`,
  "429": (at) => `${at} was answered with 429 (too many requests), and nothing was done.`,
  stale: (at) => `${at} still showed the payout as pending when it was final.`,
  "outcome-failed": (at, _work, what) => `The ${what} of ${at} failed after it had been accepted.`,
  "outcome-pending": (at, _work, what) => `The ${what} of ${at} was accepted and did not end.`,
  "outcome-late": (at, _work, what) => `The ${what} of ${at} ended ten minutes late.`,
  never: (at) => `${capital(at)} never came.`,
  twice: (at) => `${capital(at)} came twice.`,
  "twice-late": (at) => `${capital(at)} came a second time, after everything else.`,
  "before-answer": (at) => `${capital(at)} came before the answer to the request that caused it.`,
  "after-next": (at) => `${capital(at)} came after the next event of the same resource.`,
  "forged-first": (at) => `A forged copy of ${at} came before the genuine one.`,
  "body-cut": (at) => `${capital(at)} broke off after its first bytes. The next attempt is whole.`,
  "ack-lost": (at) => `The acknowledgement of ${at} was lost, so it came again.`,
};

export function describeFault({ fault, point }: Pick<PlannedFault, "fault" | "point">): string {
  const { operation } = point;
  const work = (operation === undefined ? undefined : works[operation]) ?? "the work was done";
  return sentences[fault](
    describePoint(point),
    work,
    operation === "createCharge" || operation === "payCharge" ? "payment" : "payout",
  );
}

/** For a fault whose point the run did not reach. */
export function describeUnreached({ fault, point }: Pick<PlannedFault, "fault" | "point">): string {
  return `This run did not reach ${describePoint(point)}, so ${fault} did not happen.`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
