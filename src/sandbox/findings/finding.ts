/** The most findings of one company; the oldest warnings are removed first. */
export const FINDINGS_MAX = 1_000;

/** A mistake of the client under test that costs money in production. */
export interface Finding {
  readonly kind: FindingKind;
  readonly severity: "critical" | "warning";
  /** What was seen, and why it is dangerous. */
  readonly why: string;
  /** What to do about it. */
  readonly fix: string;
  /** The requests that show it, oldest first. */
  readonly requests: readonly FindingRequest[];
}

/** One request of the journal, without secrets. */
export interface FindingRequest {
  /** `req_1` */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Quotes reference, externalId, msisdn and amount. */
  readonly summary: string;
}

/** Each kind's severity and fix. A detection may have a more exact fix, and must have one where the fix is undefined here. */
export const findingKinds = {
  "double-payout": { severity: "critical", fix: undefined },
  "batch-repeated": {
    severity: "critical",
    fix:
      "Pay again only what failed: take the failed items from their webhooks or from GET /v1/transactions/:id, and send a new batch of these alone, " +
      "each under a new reference. What is pending or completed needs nothing more.",
  },
  "reference-reused": {
    severity: "critical",
    fix:
      "Derive a reference from what is paid (the order, the month of a salary), so that no two payouts share one. After a 409 compare what you stored " +
      "under the reference with what you send: another recipient or amount needs a reference of its own.",
  },
  "refund-repeated": {
    severity: "critical",
    fix:
      "Read the charge (GET /v1/charges/:id) before a refund is sent again: `refunded` is what was refunded already. Store each refund with the order " +
      "before you send it, and let a second copy of a webhook change nothing.",
  },
  "refund-beyond-paid": {
    severity: "critical",
    fix:
      "Read the charge before a refund and ask for at most `paid` − `refunded`; leave `amount` out to refund what is left. After a lost " +
      "answer read it again before the refund is repeated: a refund has no reference that would make it count once.",
  },
  "secret-leaked": {
    severity: "critical",
    fix: "Send the access token in the header `Authorization: Bearer …` and nowhere else. Then rotate it: treat it as known to others.",
  },
  "forged-webhook-acknowledged": {
    severity: "critical",
    fix:
      "Compute the HMAC-SHA256 of the raw bytes of the body with the secret key, compare it with the header in constant time, and answer 401 when they " +
      "differ, before anything of the body is used. `npx business-payments-sandbox audit` checks a receiver for this.",
  },
  "concurrent-payouts": {
    severity: "warning",
    fix:
      "Derive the reference from the order, not from the attempt or the worker: then the second worker gets a 409 and nothing is paid twice. Or let one " +
      "worker take an order, by a lock or a unique row. Payouts for two orders are right: give each a reference that names its order.",
  },
  "charge-repeated": {
    severity: "warning",
    fix:
      "Keep the externalId with the order, and after a lost answer send the same one again: 201 has the link. A 409 says that the charge exists and " +
      "its link is lost: it is dropped when its hour is over, and only now another externalId is right. Accept a webhook of either charge for the order.",
  },
  "pay-after-drop": {
    severity: "warning",
    fix:
      "Treat `dropped` as final: take it from the webhook of the charge, or read the charge before it is paid. For another try create a new " +
      "charge with an externalId of its own.",
  },
  "outcome-never-learned": {
    severity: "warning",
    fix:
      "Subscribe to the webhooks of transactions and charges and acknowledge them, or read what is open with GET until it is final. The answer to a " +
      "request says `pending` or `created`, never how it ends.",
  },
  "webhook-unacknowledged": {
    severity: "warning",
    fix:
      "Answer every webhook with a 2xx as soon as it is stored, also one that is a duplicate or that needs nothing done, and only then work on " +
      "it. Beside that, read what stays open for too long with GET: a webhook may be lost for good.",
  },
  "webhook-slow": {
    severity: "warning",
    fix: "Check the signature, store the event, answer 2xx at once, and do the work behind a queue. Let a second copy of an event change nothing.",
  },
  "duplicate-subscription": {
    severity: "warning",
    fix:
      "Read GET /v1/webhooks at the start, all pages of it, and subscribe only to what is missing; delete what is there twice. Let a second copy of an " +
      "event change nothing.",
  },
  "retry-at-once": {
    severity: "warning",
    fix:
      "Wait before a retry: for as long as Retry-After says, else for a gap that doubles each time, with jitter, and give up after a few. Retry a " +
      "payout under the same reference only.",
  },
  "polling-too-fast": {
    severity: "warning",
    fix:
      "Wait for the webhook, and poll only as a fallback: after a second or more, with a growing gap and some jitter, and with an end after " +
      "which a person is alerted.",
  },
  "unknown-body": {
    severity: "warning",
    fix:
      "Ask the provider which body pay and refund take. Send what the sandbox knows, or name the provider's member in the profile: " +
      "`charges.payField`, `refunds.amountField`. With `unknownBody: reject` such a body is 400.",
  },
} as const satisfies Readonly<Record<string, Pick<Finding, "severity"> & { readonly fix: string | undefined }>>;
export type FindingKind = keyof typeof findingKinds;

export function renderFinding({ kind, severity, why, fix, requests }: Finding): string {
  return [
    `${severity}: ${kind}`,
    `  ${why}`,
    ...requests.map(({ id, method, path, summary }) => `    ${id}  ${method} ${path}  ${summary}`.trimEnd()),
    `  fix: ${fix}`,
  ].join("\n");
}

/** Renders a finding that the allow-list has. */
export function renderAllowed({ kind, why }: Finding): string {
  return `allowed: ${kind}\n  ${why}`;
}
