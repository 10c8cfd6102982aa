import { describeUnknownPath } from "../contract/unknown-path.js";
import type { Delivery } from "../domain/model/delivery.js";
import { toIso } from "../kernel/time/instant.js";
import type { Company } from "./company/company.js";
import type { Exchange } from "./company/exchange.js";
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
  /** How often paths were called that the API does not have, by message: `There is no GET /charges here. Did you mean "/v1/charges"?` */
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
  /** The findings that the allow-list does not have, in the order in which they were found. */
  readonly findings: readonly Finding[];
  /** Findings that the allow-list has. */
  readonly allowed: readonly Finding[];
  /** Entries of the allow-list that no finding matched. */
  readonly allowNeverMatched: readonly string[];
  /** The names of these rules, or descriptions of the ones without a name. */
  readonly rulesNeverFired: readonly string[];
  readonly coverage: Coverage;
}

export interface UnacknowledgedWebhook {
  readonly topic: string;
  readonly url: string;
  readonly error: string;
}

/** The most unacknowledged webhooks that are kept of companies that were reset or removed, or got another state. */
const FORGOTTEN_MAX = 1_000;

/** The most different calls of unknown paths that are counted. */
const UNKNOWN_PATHS_MAX = 100;

/** Watches all companies of a sandbox from now on, through resets too. */
export class RunWatch {
  readonly #sandbox: Sandbox;
  readonly #allow: readonly string[];
  #requests = 0;
  #delivered = 0;
  #resets = 0;
  readonly #statuses: Record<string, number> = {};
  readonly #unknownPaths = new Map<string, number>();
  readonly #findings: Finding[] = [];
  readonly #allowed: Finding[] = [];
  /** Unacknowledged webhooks of companies that were reset or removed, or got another state. */
  readonly #forgotten: UnacknowledgedWebhook[] = [];

  /** `allow`: findings that are expected. */
  constructor(sandbox: Sandbox, allow: readonly string[]) {
    this.#sandbox = sandbox;
    this.#allow = allow;
    const { events } = sandbox;
    events.on("exchange", ({ exchange }) => this.#noteExchange(exchange));
    events.on("finding", ({ finding }) => this.#noteFinding(finding));
    events.on("findingWithdrawn", ({ finding }) => {
      for (const list of [this.#allowed, this.#findings])
        if (list.includes(finding)) list.splice(list.indexOf(finding), 1);
    });
    events.on("attempted", ({ attempt, delivery }) => {
      const isFirst = delivery.attempts.filter(({ error }) => error === null).length === 1;
      if (attempt.error === null && isFirst) this.#delivered++;
    });
    events.on("forgets", ({ company, reset }) => {
      if (reset) this.#resets++;
      this.#keepUnacknowledged(company, () => false);
    });
    events.on("replaces", ({ company, next: { deliveries } }) =>
      this.#keepUnacknowledged(company, ({ id }) => deliveries.get(id) !== undefined),
    );
  }

  /** Can be called several times. `waited`: deliveries in flight had time to be acknowledged. */
  report(waited = false): RunReport {
    const sandbox = this.#sandbox;
    sandbox.endRun(waited);
    const { companies, redactor } = sandbox;
    const coverage = redactCoverage(sandbox.coverage.ofAll(companies), redactor);
    const present = companies.flatMap(({ world }) => world.deliveries.values().filter(isUnacknowledged));
    return {
      requests: this.#requests,
      statuses: Object.fromEntries(Object.entries(this.#statuses).filter(([, counted]) => counted > 0)),
      unknownPaths: Object.fromEntries(this.#unknownPaths),
      webhooks: {
        delivered: this.#delivered,
        unacknowledged: [...this.#forgotten, ...present.map((delivery) => this.#describe(delivery))],
      },
      resets: this.#resets,
      clock: companies.length === 0 ? null : toIso(sandbox.defaultCompany.now()),
      findings: [...this.#findings],
      allowed: [...this.#allowed],
      allowNeverMatched: unmatched(this.#allow, this.#allowed).map(redactor.text),
      rulesNeverFired: coverage.rules.filter(({ met }) => !met).map(describeRendered),
      coverage,
    };
  }

  #keepUnacknowledged({ world }: Company, isKept: (delivery: Delivery) => boolean): void {
    for (const delivery of world.deliveries.values()) {
      if (this.#forgotten.length === FORGOTTEN_MAX) return;
      if (isUnacknowledged(delivery) && delivery.attempts.length > 0 && !isKept(delivery))
        this.#forgotten.push(this.#describe(delivery));
    }
  }

  #noteExchange({ method, path, problem, operation, status, onLost }: Exchange): void {
    this.#requests++;
    if (problem === "route_not_found" && operation === undefined) this.#noteUnknownPath(method, path);
    const kind = `${Math.floor(status / 100)}xx`;
    this.#count(kind, 1);
    onLost(() => {
      this.#count(kind, -1);
      this.#count("lost", 1);
    });
  }

  #count(kind: string, by: number): void {
    this.#statuses[kind] = (this.#statuses[kind] ?? 0) + by;
  }

  #noteUnknownPath(method: string, path: string): void {
    // Before the query is cut off: a secret may contain a question mark.
    const [shown = ""] = this.#sandbox.redactor.text(path).split("?", 1);
    const unknown = describeUnknownPath(method, shown);
    const count = this.#unknownPaths.get(unknown);
    if (count !== undefined || this.#unknownPaths.size < UNKNOWN_PATHS_MAX)
      this.#unknownPaths.set(unknown, (count ?? 0) + 1);
  }

  #noteFinding(finding: Finding): void {
    const list = isAllowed(finding, this.#allow) ? this.#allowed : this.#findings;
    // Many warnings must not displace a critical finding.
    const isEqual = ({ severity }: Finding): boolean => severity === finding.severity;
    if (list.filter(isEqual).length < FINDINGS_MAX) list.push(finding);
  }

  #describe({ topic, url, attempts }: Delivery): UnacknowledgedWebhook {
    const { text } = this.#sandbox.redactor;
    return { topic, url: text(url), error: text(attempts.at(-1)?.error ?? "not sent yet") };
  }
}

function isUnacknowledged({ status }: Delivery): boolean {
  return status === "pending" || status === "exhausted";
}
