import { type AuditAnswer, type CheckGroup, checkGroups, type CheckInfo } from "./wire/check.js";

/** What an audit found. Plain data: `--reporter json` prints it. */
export interface AuditReport {
  /** The receiver's address, without credentials. */
  readonly receiver: string;
  /** The name of the signature's header. */
  readonly header: string;
  /** `failed`: a check failed. `inconclusive`: none failed, but what was asked for could not be judged. Warnings fail no audit. */
  readonly verdict: "passed" | "failed" | "inconclusive";
  /** Whether the verdict is `passed`. */
  readonly passed: boolean;
  /** Why an inconclusive audit proves nothing. */
  readonly reasons: readonly string[];
  /** Remarks that belong to no check. */
  readonly notes: readonly string[];
  /** Whether an ordinary event with the right signature is accepted. Otherwise most other checks prove little. */
  readonly accepted: boolean;
  /** If it is not accepted: what to look at, the most likely cause first. */
  readonly advice: readonly string[];
  readonly counts: Readonly<Record<AuditVerdict, number>>;
  /** How many requests were sent. */
  readonly requests: number;
  readonly durationMs: number;
  /** The results, in the order of the table of checks. */
  readonly checks: readonly CheckResult[];
}

/** `warn` is a failure of severity `warning`. */
export type AuditVerdict = "pass" | "fail" | "warn" | "skipped";

type CheckText = Pick<CheckInfo, "id" | "group" | "title" | "severity" | "why" | "fix" | "snippet">;

export interface CheckResult extends CheckText {
  readonly verdict: AuditVerdict;
  /** The request that decided it, in words. Null when none was sent. */
  readonly sent: string | null;
  readonly received: (AuditAnswer & { readonly latencyMs: number }) | null;
  /** Why nothing was received. Null when something was, or nothing was sent. */
  readonly error: string | null;
  /** What is wrong, or why the check was skipped. Null when it passed. */
  readonly seen: string | null;
  /** The id of another check that failed, caused this failure, and is reported in its place. Null when there is none. */
  readonly causedBy: string | null;
  readonly schedule: readonly string[] | null;
  readonly scenario: string | null;
}

export function isBroken({ verdict }: Pick<CheckResult, "verdict">): boolean {
  return verdict === "fail" || verdict === "warn";
}

const groupTitles: Readonly<Record<CheckGroup, string>> = {
  genuine: "Genuine events are accepted",
  forged: "Forged events are refused",
  robust: "Nothing crashes the receiver",
  state: "Each event counts once",
};

/** Checks or results by group, in the order of the groups; without groups that have none. */
export function byGroup<Of extends { readonly group: CheckGroup }>(all: readonly Of[]) {
  return checkGroups
    .map((id) => ({ id, title: groupTitles[id], checks: all.filter(({ group }) => group === id) }))
    .filter(({ checks }) => checks.length > 0);
}
