/** What the client under test did that costs money in production. */
export interface Finding {
  readonly kind: FindingKind;
  readonly severity: "critical" | "high" | "warning";
  /** What was seen, and why it is dangerous. */
  readonly why: string;
  /** What to do about it. */
  readonly fix: string;
  /** The requests that show it, oldest first. */
  readonly requests: readonly FindingRequest[];
}

/** One request of the journal, as a person would tell it: never with a secret. */
export interface FindingRequest {
  /** `req_1` */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Quotes reference, externalId, msisdn and amount. */
  readonly summary: string;
}

export const findingKinds = [
  "double-payout",
  "refund-beyond-paid",
  "pay-after-drop",
  "secret-leaked",
  "webhook-unacknowledged",
  "webhook-slow",
  "retry-at-once",
  "polling-too-fast",
] as const;
export type FindingKind = (typeof findingKinds)[number];

/** A finding as a person reads it in a terminal: what was seen, by which requests, and what to do. */
export function renderFinding({ kind, severity, why, fix, requests }: Finding): string {
  return [
    `${severity}: ${kind}`,
    `  ${why}`,
    ...requests.map(({ id, method, path, summary }) => `    ${id}  ${method} ${path}  ${summary}`.trimEnd()),
    `  fix: ${fix}`,
  ].join("\n");
}

/** `3 findings` */
export function countFindings(count: number): string {
  return `${count} ${count === 1 ? "finding" : "findings"}`;
}
