import { setMaxListeners } from "node:events";
import { lookupAllowed } from "../adapters/delivery/lookup-allowed.js";
import type { SystemClock } from "../kernel/time/system-clock.js";
import { listChecks } from "./check-list.js";
import { bugs } from "./checks/bugs.js";
import { languageNames, type Snippet, snippetFor, snippetLanguages } from "./checks/snippets.js";
import { CONTENT, SECRET, headerAdvice } from "./conclude.js";
import { cameBack } from "./reporters.js";
import { type CheckResult, byGroup } from "./report.js";
import { type AuditOptions, runAudit } from "./run-audit.js";
import type { AllowedHosts } from "../domain/profile/setting-kinds.js";

/** What the page may ask for: no more than the sandbox's operator permits. */
export interface AuditOrder extends Pick<
  AuditOptions,
  "url" | "secret" | "redact" | "header" | "topic" | "timeoutMs" | "insecureTls"
> {
  /** The id of a check or a group. Default: all. */
  readonly only: string | undefined;
  /** Which addresses a name may resolve to. The caller has already checked the address of the URL. */
  readonly allow: AllowedHosts;
  readonly signal: AbortSignal;
}

/**
 * The checks that need only the receiver's address. Checks of the application's state read a second address or run a program, so only the command line and
 * the library offer them.
 */
export function listGroups() {
  return byGroup(listChecks().filter(({ group }) => group !== "state"));
}

export async function auditForPage({ only, allow, signal, ...order }: AuditOrder, system: SystemClock) {
  setMaxListeners(0, signal);
  const { checks, advice, ...report } = await runAudit({
    ...order,
    only: only === undefined ? undefined : [only],
    skip: ["state"],
    lookup: lookupAllowed(allow),
    signal,
    system,
  });
  return {
    ...report,
    advice: advice.map((line) => pageAdvice(report.header).get(line) ?? line),
    groups: byGroup(checks.map((check) => renderCheck(check, report.header))),
  };
}

function renderCheck(check: CheckResult, header: string) {
  const { id, sent, seen, causedBy, snippet } = check;
  const repeatsSent = sent !== null && seen?.startsWith(sent) === true;
  return {
    ...check,
    cameBack: cameBack(check),
    seen: causedBy !== null ? `a consequence of ${causedBy}` : repeatsSent ? null : seen,
    bug: bugs[id] ?? null,
    snippet: snippet === null ? null : renderSnippet(snippetFor(snippet, header)),
  };
}

function renderSnippet({ title, code }: Snippet) {
  return { title, code: snippetLanguages.map((id) => ({ id, language: languageNames[id], text: code[id] })) };
}

/** The same advice without the options of the command line. */
const pageAdvice = (header: string): ReadonlyMap<string, string> =>
  new Map([
    [SECRET, "the secret: the audit signs with the company's secret key. The receiver must have the same one"],
    [headerAdvice(header), `the header: the signature is in ${header}, as the setting webhooks.signatureHeader says`],
    [
      CONTENT,
      "the content: a receiver that refuses what it does not know needs another topic, or an event of its own orders (`npx business-payments-sandbox audit --event`)",
    ],
  ]);
