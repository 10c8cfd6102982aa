import type { Check, Failure, Verdict } from "./wire/check.js";
import { VALID_EVENT, validEvent } from "./checks/genuine.js";
import { type AuditReport, type AuditVerdict, type CheckResult, auditVerdicts } from "./reporters/report.js";

type Found = ReadonlyMap<string, Verdict>;

/** What the checks found, held against each other: a mistake is named once, by the check that is about it. `found` has the ordinary event's verdict. */
export function conclude(
  selected: readonly Check[],
  found: Found,
): Pick<AuditReport, "passed" | "accepted" | "advice" | "counts" | "checks"> {
  const ordinary = found.get(VALID_EVENT) ?? { outcome: "skipped", reason: "it was not sent" };
  const checks = selected.map((check) => resultOf(check, selected, found));
  const countOf = (verdict: AuditVerdict): number => checks.filter((check) => check.verdict === verdict).length;
  const [pass = 0, fail = 0, warn = 0, skipped = 0] = auditVerdicts.map(countOf);
  return {
    passed: fail === 0,
    accepted: ordinary.outcome === "passed",
    advice: ordinary.outcome === "failed" ? adviceFor(ordinary, selected, found) : [],
    counts: { pass, fail, warn, skipped },
    checks,
  };
}

function adviceFor(ordinary: Failure, selected: readonly Check[], found: Found): readonly string[] {
  const cause = rootOf(validEvent, ordinary, selected, found);
  if (cause !== undefined) return [`the check ${cause}: it tells what is accepted in its place`];
  return adviseOn(ordinary, found.get("signature-wrong-secret"));
}

function resultOf(check: Check, selected: readonly Check[], found: Found): CheckResult {
  const verdict = found.get(check.id) ?? { outcome: "skipped", reason: "it was not run" };
  const { id, group, title, why, snippet } = check;
  const exchange = verdict.outcome === "skipped" ? undefined : verdict.exchange;
  const failure = verdict.outcome === "failed" ? verdict : undefined;
  const causedBy = failure === undefined ? undefined : rootOf(check, failure, selected, found);
  // A failure may count for less than its check says, and never for more.
  const severity = check.severity === "warning" ? "warning" : (failure?.severity ?? check.severity);
  const answer = exchange?.answer ?? null;
  const { verdict: concluded, seen } = concludeOne(verdict, severity, causedBy, provesNothing(check, verdict, found));
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

/** Who refuses everything refuses what is forged as well. */
function provesNothing({ group }: Check, { outcome }: Verdict, found: Found): boolean {
  return group !== "genuine" && outcome === "passed" && found.get(VALID_EVENT)?.outcome !== "passed";
}

/** The check that this failure is a consequence of, and no consequence itself. Only of those that were asked for: else nobody would tell of it. */
function rootOf(check: Check, failure: Failure, selected: readonly Check[], found: Found): string | undefined {
  for (const cause of check.follows ?? []) {
    const [id = "", failing = failure.failing] = cause.split(":");
    const other = selected.find((candidate) => candidate.id === id);
    const verdict = found.get(id);
    if (other === undefined || verdict?.outcome !== "failed" || verdict.failing !== failing) continue;
    return rootOf(other, verdict, selected, found) ?? id;
  }
  return undefined;
}

/** Those that speak of options; whoever audits without a command line says it otherwise. */
export const SECRET =
  "the secret: the audit signs with --secret, or SANDBOX_SECRET_KEY, or secret_sandbox. The receiver must have the same one";
export const HEADER = "the header: the signature is in x-service-hmac-sha256, unless --header names another";
const PATH = "the URL: it must be the address to which the service posts, with its path";
export const CONTENT =
  "the content: a receiver that refuses what it does not know needs an event of its own orders (--event), or another --topic";
const LOG = "the receiver's log: it tells why";

/** What to look at when a receiver does not accept an ordinary event, what is most likely first. */
export function adviseOn(ordinary: Failure, forged: Verdict | undefined): readonly string[] {
  const status = ordinary.exchange?.answer?.status;
  if (status === undefined) return [PATH, LOG];
  if (status === 404 || status === 405) return [PATH, CONTENT];
  if (status >= 500) return [LOG, CONTENT];
  if (status >= 300 && status < 400) return [PATH];
  // What is refused in another way than a forged event has been verified.
  const forgedStatus = forged?.outcome === "passed" ? forged.exchange?.answer?.status : undefined;
  const isVerified = status === 400 || status === 422 || (forgedStatus !== undefined && forgedStatus !== status);
  return isVerified ? [CONTENT, SECRET, LOG] : [SECRET, HEADER, PATH, CONTENT];
}
