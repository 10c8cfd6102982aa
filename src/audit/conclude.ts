import { VALID_EVENT, validEvent } from "./checks/genuine.js";
import type { AuditReport, AuditVerdict, CheckResult } from "./report.js";
import type { CheckInfo, Failure, Verdict } from "./wire/check.js";

type Found = ReadonlyMap<string, Verdict>;

/**
 * Compares the verdicts with each other, so that each bug is reported once, by its own check. `found` contains the verdict of the ordinary event, and
 * `accepted` describes what the receiver accepts in its place.
 */
export function conclude(
  selected: readonly CheckInfo[],
  found: Found,
  header: string,
  accepted?: string,
): Pick<AuditReport, "verdict" | "passed" | "reasons" | "accepted" | "advice" | "counts" | "checks"> {
  const ordinary = found.get(VALID_EVENT) ?? { outcome: "skipped", reason: "it was not sent" };
  const checks = selected.map((check) => resultOf(check, selected, found));
  const countOf = (verdict: AuditVerdict): number => checks.filter((check) => check.verdict === verdict).length;
  const counts = { pass: countOf("pass"), fail: countOf("fail"), warn: countOf("warn"), skipped: countOf("skipped") };
  const isEmpty = counts.pass + counts.warn === 0;
  const unproven = reasonsOf(checks, found);
  const reasons = counts.fail > 0 ? [] : isEmpty && unproven.length === 0 ? [NOTHING_JUDGED] : unproven;
  const verdict = counts.fail > 0 ? "failed" : reasons.length > 0 ? "inconclusive" : "passed";
  return {
    verdict,
    passed: verdict === "passed",
    reasons,
    accepted: ordinary.outcome === "passed",
    advice: ordinary.outcome === "failed" ? adviceFor(ordinary, selected, found, header, accepted) : [],
    counts,
    checks,
  };
}

const NOTHING_JUDGED = "nothing was judged: every selected check was skipped";

/** Why checks that were asked for could not be judged: an audit that proves nothing must not pass. Checks with the same reason share a line. */
function reasonsOf(checks: readonly CheckResult[], found: Found): readonly string[] {
  const idsOf = new Map<string, string[]>();
  for (const { id, verdict, seen, severity, causedBy } of checks) {
    const result = found.get(id);
    const isSkipped = verdict === "skipped" && causedBy === null && severity !== "warning";
    const isNotRequested = result?.outcome === "skipped" && result.isNotRequested === true;
    const isUnproven = verdict === "warn" && result?.outcome === "failed" && result.isUnproven === true;
    if ((!isSkipped || isNotRequested) && !isUnproven) continue;
    const reason = isUnproven ? `${seen ?? ""}, which proves nothing` : (seen ?? "");
    idsOf.set(reason, [...(idsOf.get(reason) ?? []), id]);
  }
  return [...idsOf].map(([reason, ids]) => `${ids.join(", ")}: ${reason}`);
}

function resultOf(check: CheckInfo, selected: readonly CheckInfo[], found: Found): CheckResult {
  const verdict = found.get(check.id) ?? { outcome: "skipped", reason: "it was not run" };
  const { id, group, title, why, snippet } = check;
  const exchange = verdict.outcome === "skipped" ? undefined : verdict.exchange;
  const failure = verdict.outcome === "failed" ? verdict : undefined;
  const causedBy = failure === undefined ? undefined : rootOf(check, failure, selected, found);
  // The severity of a failure may be lower than that of its check.
  const lowered = check.severity === "warning" ? "warning" : failure?.severity;
  const usual = failure?.raisedTo ?? lowered ?? check.severity;
  const severity = usual === "warning" && refusesGenuine(check, selected, found) ? "high" : usual;
  const answer = exchange?.answer ?? null;
  const isWithoutProof = provesNothing(check, verdict, found);
  const { verdict: concluded, seen } = concludeOne(verdict, severity, causedBy, isWithoutProof);
  return {
    id,
    group,
    title,
    verdict: concluded,
    severity,
    sent: exchange?.request.sent ?? null,
    received: answer === null ? null : { ...answer, latencyMs: exchange?.latencyMs ?? 0 },
    error: exchange?.error ?? null,
    seen,
    why: failure?.why ?? why,
    fix: failure?.fix ?? check.fix,
    snippet,
    causedBy: causedBy ?? null,
    schedule: failure?.schedule ?? null,
    scenario: failure?.scenario ?? null,
  };
}

function concludeOne(
  verdict: Verdict,
  severity: CheckResult["severity"],
  causedBy: string | undefined,
  isWithoutProof: boolean,
): Pick<CheckResult, "verdict" | "seen"> {
  if (verdict.outcome === "skipped" && !isWithoutProof) return { verdict: "skipped", seen: verdict.reason };
  if (isWithoutProof || verdict.outcome === "skipped")
    return { verdict: "skipped", seen: "proves nothing while the ordinary event is not accepted" };
  if (verdict.outcome === "passed") return { verdict: "pass", seen: null };
  if (causedBy !== undefined) return { verdict: "skipped", seen: `${verdict.seen}: a consequence of ${causedBy}` };
  return { verdict: severity === "warning" ? "warn" : "fail", seen: verdict.seen };
}

/** Whether this bug is why the ordinary event is refused. Then no payment is noticed, even if the bug by itself deserves only a warning. */
function refusesGenuine({ id }: CheckInfo, selected: readonly CheckInfo[], found: Found): boolean {
  const ordinary = found.get(VALID_EVENT);
  return ordinary?.outcome === "failed" && rootOf(validEvent, ordinary, selected, found) === id;
}

/** A receiver that refuses everything refuses forged events too. */
function provesNothing({ group }: CheckInfo, verdict: Verdict, found: Found): boolean {
  const isNotRequested = verdict.outcome === "skipped" && verdict.isNotRequested === true && group === "forged";
  return (
    group !== "genuine" &&
    (verdict.outcome === "passed" || isNotRequested) &&
    found.get(VALID_EVENT)?.outcome !== "passed"
  );
}

/** The first cause of this failure among the selected checks: the report does not contain others. */
function rootOf(check: CheckInfo, failure: Failure, selected: readonly CheckInfo[], found: Found): string | undefined {
  for (const cause of check.follows ?? []) {
    const [id = "", failing = failure.failing] = cause.split(":");
    const other = selected.find((candidate) => candidate.id === id);
    const verdict = found.get(id);
    if (other === undefined || verdict?.outcome !== "failed" || verdict.failing !== failing) continue;
    return rootOf(other, verdict, selected, found) ?? id;
  }
  return undefined;
}

/** Advice that names options of the command line. */
export const SECRET =
  "the secret: the audit signs with --secret, or SANDBOX_SECRET_KEY, or secret_sandbox. The receiver must have the same one";
export const headerAdvice = (name: string): string =>
  `the header: the signature is in ${name}, unless --header names another`;
export const CONTENT =
  "the content: a receiver that refuses what it does not know needs orders of its own (--order) or an event of one (--event), or another --topic";

const PATH = "the URL: it must be the address to which the service posts, with its path";
const LOG = "the receiver's log";

/** What to look at when a receiver does not accept an ordinary event, the most likely cause first. */
function adviceFor(
  ordinary: Failure,
  selected: readonly CheckInfo[],
  found: Found,
  header: string,
  accepted: string | undefined,
): readonly string[] {
  const cause = rootOf(validEvent, ordinary, selected, found);
  const named = accepted === undefined ? [] : [`what it accepts instead: an event with ${accepted}`];
  if (cause !== undefined) return [`the check ${cause}: it says what is accepted instead`, ...named];
  if (accepted !== undefined) return named;
  const status = ordinary.exchange?.answer?.status;
  if (status === undefined) return [PATH, LOG];
  if (status === 404 || status === 405) return [PATH, CONTENT];
  if (status >= 500) return [LOG, CONTENT];
  if (status >= 300 && status < 400) return [PATH];
  // If the receiver refuses a forged event with another status, it has verified the ordinary one and refused it for its content.
  const forged = found.get("signature-wrong-secret");
  const forgedStatus = forged?.outcome === "passed" ? forged.exchange?.answer?.status : undefined;
  const isVerified = status === 400 || status === 422 || (forgedStatus !== undefined && forgedStatus !== status);
  return isVerified ? [CONTENT, SECRET, LOG] : [SECRET, headerAdvice(header), PATH, CONTENT];
}
