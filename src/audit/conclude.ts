import { VALID_EVENT, validEvent } from "./checks/genuine.js";
import type { AuditReport, AuditVerdict, CheckResult } from "./report.js";
import type { CheckInfo, Failure, Verdict } from "./wire/check.js";

type Found = ReadonlyMap<string, Verdict>;

/** Compares the verdicts with each other, so that each bug is reported once, by its own check. `found` contains the verdict of the ordinary event. */
export function conclude(
  selected: readonly CheckInfo[],
  found: Found,
): Pick<AuditReport, "passed" | "accepted" | "advice" | "counts" | "checks"> {
  const ordinary = found.get(VALID_EVENT) ?? { outcome: "skipped", reason: "it was not sent" };
  const checks = selected.map((check) => resultOf(check, selected, found));
  const countOf = (verdict: AuditVerdict): number => checks.filter((check) => check.verdict === verdict).length;
  const counts = { pass: countOf("pass"), fail: countOf("fail"), warn: countOf("warn"), skipped: countOf("skipped") };
  return {
    passed: counts.fail === 0,
    accepted: ordinary.outcome === "passed",
    advice: ordinary.outcome === "failed" ? adviceFor(ordinary, selected, found) : [],
    counts,
    checks,
  };
}

function resultOf(check: CheckInfo, selected: readonly CheckInfo[], found: Found): CheckResult {
  const verdict = found.get(check.id) ?? { outcome: "skipped", reason: "it was not run" };
  const { id, group, title, why, snippet } = check;
  const exchange = verdict.outcome === "skipped" ? undefined : verdict.exchange;
  const failure = verdict.outcome === "failed" ? verdict : undefined;
  const causedBy = failure === undefined ? undefined : rootOf(check, failure, selected, found);
  // The severity of a failure may be lower than that of its check.
  const severity = check.severity === "warning" ? "warning" : (failure?.severity ?? check.severity);
  const answer = exchange?.answer ?? null;
  const isHollow = provesNothing(check, verdict, found);
  const { verdict: concluded, seen } = concludeOne(verdict, severity, causedBy, isHollow);
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
    why,
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
  isHollow: boolean,
): Pick<CheckResult, "verdict" | "seen"> {
  if (verdict.outcome === "skipped") return { verdict: "skipped", seen: verdict.reason };
  if (isHollow) return { verdict: "skipped", seen: "proves nothing while the ordinary event is not accepted" };
  if (verdict.outcome === "passed") return { verdict: "pass", seen: null };
  if (causedBy !== undefined) return { verdict: "skipped", seen: `${verdict.seen}: a consequence of ${causedBy}` };
  return { verdict: severity === "warning" ? "warn" : "fail", seen: verdict.seen };
}

/** A receiver that refuses everything refuses forged events too. */
function provesNothing({ group }: CheckInfo, { outcome }: Verdict, found: Found): boolean {
  return group !== "genuine" && outcome === "passed" && found.get(VALID_EVENT)?.outcome !== "passed";
}

/** The first cause of this failure among the selected checks: others are not in the report. */
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
export const HEADER = "the header: the signature is in x-service-hmac-sha256, unless --header names another";
export const CONTENT =
  "the content: a receiver that refuses what it does not know needs an event of its own orders (--event), or another --topic";

const PATH = "the URL: it must be the address to which the service posts, with its path";
const LOG = "the receiver's log: it tells why";

/** What to look at when a receiver does not accept an ordinary event, the most likely cause first. */
function adviceFor(ordinary: Failure, selected: readonly CheckInfo[], found: Found): readonly string[] {
  const cause = rootOf(validEvent, ordinary, selected, found);
  if (cause !== undefined) return [`the check ${cause}: it tells what is accepted in its place`];
  const status = ordinary.exchange?.answer?.status;
  if (status === undefined) return [PATH, LOG];
  if (status === 404 || status === 405) return [PATH, CONTENT];
  if (status >= 500) return [LOG, CONTENT];
  if (status >= 300 && status < 400) return [PATH];
  // A receiver that refuses it with another status than a forged event has verified it.
  const forged = found.get("signature-wrong-secret");
  const forgedStatus = forged?.outcome === "passed" ? forged.exchange?.answer?.status : undefined;
  const isVerified = status === 400 || status === 422 || (forgedStatus !== undefined && forgedStatus !== status);
  return isVerified ? [CONTENT, SECRET, LOG] : [SECRET, HEADER, PATH, CONTENT];
}
