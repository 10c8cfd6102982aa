import type { AllowedHosts } from "../../../../domain/profile/setting-kinds.js";

/** Audits webhook receivers. The CLI and the library pass it in: the HTTP server does not import the audit. */
export interface Auditor {
  groups(): Promise<readonly Group<ListedCheck>[]>;
  /** Throws UsageError for an order that is wrong, and for a receiver that cannot be reached; rejects with the reason of `signal` when that is aborted. */
  audit(order: AuditOrder): Promise<AuditedReceiver>;
}

export interface AuditOrder {
  readonly url: string;
  readonly secret: string;
  readonly header: string;
  readonly topic: string;
  /** The id of a check or a group. Undefined: all. */
  readonly only: string | undefined;
  /** How long an answer may take, in real time. */
  readonly timeoutMs: number;
  readonly insecureTls: boolean;
  readonly allow: AllowedHosts;
  readonly signal: AbortSignal;
}

export interface Group<Check> {
  readonly id: string;
  readonly title: string;
  readonly checks: readonly Check[];
}

export interface ListedCheck {
  readonly id: string;
  readonly title: string;
}

export interface AuditedReceiver {
  /** Its address, without credentials. */
  readonly receiver: string;
  readonly passed: boolean;
  /** Whether an ordinary event with the right signature is accepted. */
  readonly accepted: boolean;
  /** Where it is not: what to look at. */
  readonly advice: readonly string[];
  readonly counts: Readonly<Record<Verdict, number>>;
  readonly requests: number;
  readonly durationMs: number;
  readonly groups: readonly Group<AuditedCheck>[];
}

export type Verdict = "pass" | "fail" | "warn" | "skipped";

export interface AuditedCheck extends ListedCheck {
  readonly verdict: Verdict;
  readonly severity: "critical" | "high" | "warning";
  /** The request that decided it, in words. */
  readonly sent: string | null;
  /** In one line: status, the beginning of the body, and after how long. */
  readonly cameBack: string | null;
  readonly status: number | null;
  readonly latencyMs: number | null;
  readonly isSilent: boolean;
  /** What is wrong, or why the check was skipped, where the two do not say it. */
  readonly seen: string | null;
  readonly why: string;
  /** The line of code that it mostly is. */
  readonly bug: string | null;
  readonly fix: string;
  readonly snippet: Snippet | null;
}

export interface Snippet {
  readonly title: string;
  readonly code: readonly { readonly id: string; readonly language: string; readonly text: string }[];
}
