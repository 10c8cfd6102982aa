import { setMaxListeners } from "node:events";
import { lookupAllowed } from "../adapters/delivery/lookup-allowed.js";
import type { AllowedHosts } from "../domain/profile/profile.js";
import type { SystemClock } from "../kernel/system-clock.js";
import { CONTENT, HEADER, SECRET } from "./conclude.js";
import { type CheckGroup, checkGroups } from "./wire/check.js";
import { bugs } from "./checks/bugs.js";
import type { AuditReport, CheckResult } from "./reporters/report.js";
import { groupTitles, listChecks } from "./check-list.js";
import { cameBack } from "./reporters/details.js";
import { runAudit } from "./run-audit.js";
import { languageNames, snippetLanguages, snippets } from "./checks/snippets.js";

/** An audit for somebody who may ask for no more than the sandbox's operator permits. */
export interface AuditOrder {
  readonly url: string;
  readonly secret: string;
  readonly header: string;
  readonly topic: string;
  /** The id of a check or a group. Default: all. */
  readonly only: string | undefined;
  readonly timeoutMs: number;
  readonly insecureTls: boolean;
  /** Where a name may lead. That the address itself is permitted was looked at before. */
  readonly allow: AllowedHosts;
  readonly signal: AbortSignal;
}

/**
 * The checks that need nothing but the receiver's address. Those of the application's state ask a second address, or run a program: they belong to whoever
 * sits at a terminal.
 */
export function createReceiverAuditor(system: SystemClock) {
  return {
    groups: () => inGroups(listChecks()),
    async audit({ only, allow, signal, ...order }: AuditOrder) {
      setMaxListeners(0, signal);
      const report = await runAudit({
        ...order,
        only: only === undefined ? undefined : [only],
        skip: ["state"],
        lookup: lookupAllowed(allow),
        signal,
        system,
      });
      return render(report);
    },
  };
}

function inGroups<Of extends { readonly group: CheckGroup }>(checks: readonly Of[]) {
  return checkGroups
    .filter((group) => group !== "state")
    .map((id) => ({ id, title: groupTitles[id], checks: checks.filter(({ group }) => group === id) }))
    .filter((group) => group.checks.length > 0);
}

/** As it is shown: what a check's names stand for is said. */
function render({ checks, advice, ...report }: AuditReport) {
  return {
    ...report,
    advice: advice.map((line) => inOtherWords.get(line) ?? line),
    groups: inGroups(checks.map(show)),
  };
}

function show(check: CheckResult) {
  const { id, group, title, verdict, severity, sent, received, error, seen, causedBy, why, fix, snippet } = check;
  const isSaid = sent !== null && seen?.startsWith(sent) === true;
  return {
    id,
    group,
    title,
    verdict,
    severity,
    sent,
    why,
    fix,
    cameBack: cameBack(check),
    status: received?.status ?? null,
    latencyMs: received?.latencyMs ?? null,
    isSilent: received === null && error !== null,
    // Mostly what was sent and what came back say it themselves.
    seen: causedBy !== null ? `a consequence of ${causedBy}` : isSaid ? null : seen,
    bug: bugs[id] ?? null,
    snippet: snippet === null ? null : { title: snippets[snippet].title, code: codeOf(snippet) },
  };
}

function codeOf(name: keyof typeof snippets) {
  return snippetLanguages.map((id) => ({ id, language: languageNames[id], text: snippets[name].code[id] }));
}

/** There is no command line here. */
const inOtherWords: ReadonlyMap<string, string> = new Map([
  [SECRET, "the secret: the audit signs with the company's secret key. The receiver must have the same one"],
  [HEADER, "the header: the signature is in the header that the setting webhooks.signatureHeader names"],
  [
    CONTENT,
    "the content: a receiver that refuses what it does not know needs another topic, or an event of its own orders (`sandbox audit --event`)",
  ],
]);
