import type { IncomingHttpHeaders } from "node:http";
import type { OperationId } from "../../contract/operations.js";
import { ReadSettings, collectSettings } from "../../domain/profile/track-profile.js";
import type { Deferred } from "../../kernel/events.js";
import type { Company } from "../../sandbox/company/company.js";
import type { Exchange } from "../../sandbox/company/exchange.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { HttpContext } from "../shared/env.js";
import { whenAnswered } from "../shared/after-answer.js";
import { type ApiAnswer, nowOf } from "./answer.js";
import type { RequestRule } from "../../domain/model/rule.js";

/** What was understood of a request, however far it came. */
export interface Seen {
  readonly receivedAt: number;
  company: Company | undefined;
  body: unknown;
  /** `body` as it was sent. */
  bodyText: string | undefined;
  ruled: Ruled | undefined;
  made: Exchange["made"];
  readonly settings: ReadSettings;
}

/** What a rule does to the request. */
export interface Ruled {
  readonly rule: RequestRule;
  /** Whose rule it is. */
  readonly company: Company;
  /** Resolves when the answer leaves, or is lost. */
  readonly returned: Deferred;
}

export function startRecord({ system }: Sandbox): Seen {
  return {
    receivedAt: system.monotonic(),
    company: undefined,
    body: undefined,
    bodyText: undefined,
    ruled: undefined,
    made: nothingMade,
    settings: new ReadSettings(),
  };
}

const nothingMade: Exchange["made"] = { from: 0, to: 0 };

/** Notes which settings a synchronous stretch of the request reads. */
export function note<T>({ settings }: Seen, run: () => T): T {
  return collectSettings(settings, run);
}

/** Tells whoever listens of the request and its answer. */
export function recordExchange(
  c: HttpContext,
  sandbox: Sandbox,
  operation: OperationId | undefined,
  seen: Seen,
  answer: ApiAnswer,
): void {
  const { company, body, bodyText, ruled, made, receivedAt, settings } = seen;
  const { status, problem, fault } = answer;
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
    // A rule's own text is another than that of the body.
    answerText: ruled === undefined ? answer.text : undefined,
    retryAfter: answer.headers?.["retry-after"],
    problem,
    rule: ruled === undefined ? undefined : { id: ruled.rule.id, name: ruled.rule.name },
    fault,
    made,
    settings: settings.paths,
    onLost: (listener) => {
      if (fault !== undefined) listener();
      else whenAnswered(c, (lost) => lost && listener());
    },
  });
}

/** `http://host:port` of an absolute URL, cheaper than parsing it: this runs on every charge that is created. */
export function originOf(url: string): string {
  const end = url.indexOf("/", url.indexOf("//") + 2);
  return end === -1 ? url : url.slice(0, end);
}

/** By their names in lower case; of a header that came more than once, all of it. */
export function headersOf(c: HttpContext): Readonly<Record<string, string>> {
  const { incoming } = c.env ?? {};
  if (incoming === undefined) return Object.fromEntries(c.req.raw.headers);
  const { headers } = incoming;
  if (isPlain(headers)) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Node joins them all but this one. */
function isPlain(headers: IncomingHttpHeaders): headers is Record<string, string> {
  return headers["set-cookie"] === undefined;
}
