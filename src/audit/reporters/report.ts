import { type CheckGroup, checkGroups, type Severity, type SnippetName } from "../wire/check.js";

/** What an audit found. Plain data: `--reporter json` prints it. */
export interface AuditReport {
  /** The receiver's address, without credentials. */
  readonly receiver: string;
  /** No check failed. Warnings and skipped checks fail no audit. */
  readonly passed: boolean;
  /** Whether an ordinary event with the right signature is accepted. Where it is not, most other checks tell little. */
  readonly accepted: boolean;
  /** Where it is not: what to look at, first things first. */
  readonly advice: readonly string[];
  readonly counts: Readonly<Record<AuditVerdict, number>>;
  /** How many requests were sent. */
  readonly requests: number;
  readonly durationMs: number;
  /** In the order of the table of checks. */
  readonly checks: readonly CheckResult[];
}

export const auditVerdicts = ["pass", "fail", "warn", "skipped"] as const;
/** `warn` is a failure of severity `warning`. */
export type AuditVerdict = (typeof auditVerdicts)[number];

export interface CheckResult {
  readonly id: string;
  readonly group: CheckGroup;
  readonly title: string;
  readonly verdict: AuditVerdict;
  readonly severity: Severity;
  /** The request that decided it, in words. Null: none was sent. */
  readonly sent: string | null;
  readonly received: Received | null;
  /** Why nothing was received. */
  readonly error: string | null;
  /** What is wrong, or why the check was skipped. Null when it passed. */
  readonly seen: string | null;
  readonly why: string;
  readonly fix: string;
  readonly snippet: SnippetName | null;
  /** It failed, and only because of that other check, which is reported in its place. */
  readonly causedBy: string | null;
  readonly schedule: readonly string[] | null;
  readonly scenario: string | null;
}

export interface Received {
  readonly status: number;
  readonly location: string | null;
  /** Its beginning. */
  readonly body: string;
  readonly latencyMs: number;
}

export function isBroken({ verdict }: Pick<CheckResult, "verdict">): boolean {
  return verdict === "fail" || verdict === "warn";
}

const groupTitles: Readonly<Record<CheckGroup, string>> = {
  genuine: "Genuine events are to be accepted",
  forged: "Forged events are to be refused",
  robust: "Nothing is to bring the receiver down",
  state: "Each event is to count once",
};

/** Checks or results by group, in the order of the groups; without groups that have none. */
export function byGroup<Of extends { readonly group: CheckGroup }>(all: readonly Of[]) {
  return checkGroups
    .map((id) => ({ id, title: groupTitles[id], checks: all.filter(({ group }) => group === id) }))
    .filter(({ checks }) => checks.length > 0);
}
