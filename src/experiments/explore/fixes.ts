import type { RunResult } from "../run/experiment.js";
import { type Judgement, bugVerdicts } from "../run/oracle.js";
import type { FaultName } from "./faults.js";

const UNCLEAR =
  "An answer that is missing or 5xx does not say whether the work was done. Send the same request again, under the same reference or externalId, until " +
  "the answer is clear: a 409 says that an earlier request got through. Exit with an error while it is not clear, and do not pay in another way.";
const REFUSED =
  "Nothing was done: wait as long as Retry-After says, send the same request again, and exit with an error if it still fails.";
const STALE = "A read may be out of date: treat `pending` as not known yet, and read again until the state is final.";
const OUTCOME =
  "The answer to a payout or payment says that it was accepted, not how it ends. Read it until it is final or wait for its webhook, and report one " +
  "that failed or is still open.";
const REPEATED =
  "A webhook may come more than once, also late. Store what was done for an event, or derive the reference of what follows from the charge or transfer, " +
  "so that a second copy changes nothing.";
const ORDER =
  "Webhooks come in any order, also before the answer to your request. Read the charge or transfer when one comes, and let an older state never replace " +
  "a newer one.";
const ABSENT = "A webhook may be lost. After a while, read with GET what is still open.";
const NOT_GENUINE =
  "Check the signature over the raw body before you use it, and answer 401 when it does not match: the genuine webhook still comes.";

/** What to do about each fault. */
export const fixes: Readonly<Record<FaultName, string>> = {
  "answer-lost": UNCLEAR,
  "500-after": UNCLEAR,
  "answer-cut": UNCLEAR,
  slow: UNCLEAR,
  "request-lost": UNCLEAR,
  "500-before": UNCLEAR,
  "503": UNCLEAR,
  "429": REFUSED,
  stale: STALE,
  "outcome-failed": OUTCOME,
  "outcome-pending": OUTCOME,
  "outcome-late": OUTCOME,
  twice: REPEATED,
  "twice-late": REPEATED,
  "ack-lost": REPEATED,
  "before-answer": ORDER,
  "after-next": ORDER,
  never: ABSENT,
  "forged-first": NOT_GENUINE,
  "body-cut": NOT_GENUINE,
};

const HUNG =
  "Give each request and each wait a time limit, and let retries end. When the limit is reached, exit with an error that names what is still open.";
const CRASHED =
  "Handle the fault where the request is made or the webhook is read, so that the program ends in a known state.";

/** What to do about a bug: as its critical finding says, else by verdict and fault. Null when there is no bug. */
export function fixOf({ verdict, findings }: Judgement, fault: FaultName, { seen }: RunResult): string | null {
  if (!bugVerdicts.includes(verdict)) return null;
  const isCritical = ({ kind, severity }: (typeof seen.findings)[number]): boolean =>
    severity === "critical" && findings.includes(kind);
  const finding = seen.findings.find(isCritical);
  if (finding !== undefined) return finding.fix;
  if (verdict === "hung") return HUNG;
  return verdict === "crashed" ? `${CRASHED} ${fixes[fault]}` : fixes[fault];
}
