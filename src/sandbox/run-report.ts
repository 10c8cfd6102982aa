import { describeUnknownPath } from "../contract/unknown-path.js";
import type { Delivery } from "../domain/model/delivery.js";
import { toIso } from "../kernel/time/instant.js";
import type { Coverage } from "./coverage/coverage-report.js";
import { isAllowed, unmatched } from "./config/allowance.js";
import { FINDINGS_MAX, type Finding } from "./findings/finding.js";
import { redactCoverage } from "./coverage/render-coverage.js";
import type { Sandbox } from "./sandbox.js";
import { describeRendered } from "./state/rules.js";

/** What a whole run did with all companies of a sandbox, including those that were reset or closed in between. */
export interface RunReport {
  /** Requests to the API under test. */
  readonly requests: number;
  /** `2xx`, `4xx` and so on, and how many requests had such an answer; `lost`: answers that the client never read. */
  readonly statuses: Readonly<Record<string, number>>;
  /** What the API does not have, and how often it was called: `There is no GET /charges here. Did you mean "/v1/charges"?` */
  readonly unknownPaths: Readonly<Record<string, number>>;
  readonly webhooks: {
    /** How many were acknowledged. */
    readonly delivered: number;
    readonly unacknowledged: readonly UnacknowledgedWebhook[];
  };
  /** How often a company was reset. What was seen before a reset is in the report as well. */
  readonly resets: number;
  /** The first company's time, ISO 8601; null when no company is left. */
  readonly clock: string | null;
  /** Those that are not allowed, in the order in which they were found. */
  readonly findings: readonly Finding[];
  /** Findings that the allow-list has. */
  readonly allowed: readonly Finding[];
  /** Entries of the allow-list that no finding matched. */
  readonly allowNeverMatched: readonly string[];
  /** By name or description. */
  readonly rulesNeverFired: readonly string[];
  readonly coverage: Coverage;
}

export interface UnacknowledgedWebhook {
  readonly topic: string;
  readonly url: string;
  readonly error: string;
}

/** Unacknowledged webhooks of companies that were reset or removed, that are kept. */
const FORGOTTEN_MAX = 1_000;

/** Different calls of paths that the API does not have, that are kept. */
const UNKNOWN_PATHS_MAX = 100;

/**
 * Records until the returned function reports, which it can do several times. A reset clears nothing. `waited`: deliveries in flight had time to be
 * acknowledged.
 */
export function watchRun(sandbox: Sandbox, allow: readonly string[]): (waited?: boolean) => RunReport {
  const { events } = sandbox;
  const { text } = sandbox.redactor;
  const statuses: Record<string, number> = {};
  const unknownPaths = new Map<string, number>();
  const findings: Finding[] = [];
  const allowed: Finding[] = [];
  const forgotten: UnacknowledgedWebhook[] = [];
  let requests = 0;
  let delivered = 0;
  let resets = 0;
  const count = (kind: string, by: number): void => void (statuses[kind] = (statuses[kind] ?? 0) + by);
  const describe = ({ topic, url, attempts }: Delivery): UnacknowledgedWebhook => ({
    topic,
    url: text(url),
    error: text(attempts.at(-1)?.error ?? "not sent yet"),
  });
  events.on("exchange", ({ exchange: { method, path, problem, operation, status, onLost } }) => {
    requests++;
    if (problem === "route_not_found" && operation === undefined) {
      const unknown = describeUnknownPath(method, text(path.split("?", 1).join()));
      if (unknownPaths.has(unknown) || unknownPaths.size < UNKNOWN_PATHS_MAX)
        unknownPaths.set(unknown, (unknownPaths.get(unknown) ?? 0) + 1);
    }
    const kind = `${Math.floor(status / 100)}xx`;
    count(kind, 1);
    onLost(() => {
      count(kind, -1);
      count("lost", 1);
    });
  });
  events.on("finding", ({ finding }) => {
    const list = isAllowed(finding, allow) ? allowed : findings;
    // Many warnings must not displace a critical finding.
    const isEqual = ({ severity }: Finding): boolean => severity === finding.severity;
    if (list.filter(isEqual).length < FINDINGS_MAX) list.push(finding);
  });
  events.on("attempted", ({ attempt, delivery }) => {
    const isFirst = delivery.attempts.filter(({ error }) => error === null).length === 1;
    if (attempt.error === null && isFirst) delivered++;
  });
  events.on("forgets", ({ company, reset }) => {
    if (reset) resets++;
    for (const delivery of company.world.deliveries.values()) {
      if (forgotten.length === FORGOTTEN_MAX) return;
      if (isUnacknowledged(delivery) && delivery.attempts.length > 0) forgotten.push(describe(delivery));
    }
  });
  events.on("findingWithdrawn", ({ finding }) => {
    for (const list of [allowed, findings]) if (list.includes(finding)) list.splice(list.indexOf(finding), 1);
  });
  return (waited = false) => {
    sandbox.endRun(waited);
    const { companies, redactor } = sandbox;
    const coverage = redactCoverage(sandbox.coverage.ofAll(companies), redactor);
    const present = companies.flatMap(({ world }) => world.deliveries.values().filter(isUnacknowledged));
    return {
      requests,
      statuses: Object.fromEntries(Object.entries(statuses).filter(([, counted]) => counted > 0)),
      unknownPaths: Object.fromEntries(unknownPaths),
      webhooks: { delivered, unacknowledged: [...forgotten, ...present.map(describe)] },
      resets,
      clock: companies.length === 0 ? null : toIso(sandbox.defaultCompany.now()),
      findings: [...findings],
      allowed: [...allowed],
      allowNeverMatched: unmatched(allow, allowed),
      rulesNeverFired: coverage.rules.filter(({ met }) => !met).map(describeRendered),
      coverage,
    };
  };
}

function isUnacknowledged({ status }: Delivery): boolean {
  return status === "pending" || status === "exhausted";
}
