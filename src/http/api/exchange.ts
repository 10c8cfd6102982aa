import type { OperationId } from "../../contract/operations.js";
import { type SettingReads, SettingSet } from "../../domain/profile/track-profile.js";
import type { Deferred } from "../../kernel/events.js";
import type { Company } from "../../sandbox/company/company.js";
import type { Exchange } from "../../sandbox/company/exchange.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { HttpContext } from "../shared/env.js";
import { whenAnswered } from "../shared/after-answer.js";
import { type ApiAnswer, nowOf } from "./answer.js";
import type { RequestRule } from "../../domain/model/rule.js";

/** What is known of a request so far, for the journal. */
export interface RequestRecord {
  /** Real time, ms of the machine's monotonic clock. */
  readonly receivedAt: number;
  company: Company | undefined;
  body: unknown;
  /** `body` as it was sent. */
  bodyText: string | undefined;
  ruled: Ruled | undefined;
  made: Exchange["made"];
  readonly settings: SettingSet;
  readonly reads: SettingReads;
}

/** What a rule does to the request. */
export interface Ruled {
  readonly rule: RequestRule;
  /** The company that has the rule. */
  readonly company: Company;
  /** Resolves when the answer leaves, or is lost. */
  readonly returned: Deferred;
}

export function startRecord({ system, reads }: Sandbox): RequestRecord {
  return {
    receivedAt: system.monotonic(),
    company: undefined,
    body: undefined,
    bodyText: undefined,
    ruled: undefined,
    made: { from: 0, to: 0 },
    settings: new SettingSet(),
    reads,
  };
}

/** Notes which settings a synchronous part of the request reads. */
export function noteSettings<T>({ settings, reads }: RequestRecord, run: () => T): T {
  return reads.collect(settings, run);
}

/** Records the request and its answer, and reports them to the listeners of the sandbox. */
export function recordExchange(
  c: HttpContext,
  sandbox: Sandbox,
  operation: OperationId | undefined,
  { company, body, bodyText, ruled, made, receivedAt, settings }: RequestRecord,
  { status, problem, fault, headers, text, ...answer }: ApiAnswer,
): void {
  const { method, url } = c.req;
  sandbox.recordExchange({
    door: "api",
    operation,
    company,
    at: nowOf(sandbox, company),
    receivedAt,
    method,
    path: url.slice(originOf(url).length),
    headers: headersOf(c),
    body,
    bodyText,
    status,
    answer: answer.body,
    // A rule's own text differs from the body.
    answerText: ruled === undefined ? text : undefined,
    retryAfter: headers?.["retry-after"],
    problem,
    rule: ruled && { id: ruled.rule.id, name: ruled.rule.name },
    fault,
    made,
    settings: settings.paths,
    onLost(listener) {
      if (fault !== undefined) listener();
      else whenAnswered(c, (lost) => lost && listener());
    },
  });
}

/** `http://host:port` of an absolute URL. */
export function originOf(url: string): string {
  const end = url.indexOf("/", url.indexOf("//") + 2);
  return end === -1 ? url : url.slice(0, end);
}

/** By their names in lower case; of a header that came more than once, all values. */
export function headersOf(c: HttpContext): Readonly<Record<string, string>> {
  const { incoming } = c.env ?? {};
  if (incoming === undefined) return Object.fromEntries(c.req.raw.headers);
  return Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
}
