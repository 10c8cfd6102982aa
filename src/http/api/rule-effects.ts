import type { SystemClock } from "../../kernel/time/system-clock.js";
import type { Company } from "../../sandbox/company/company.js";
import { waitWithClient } from "../shared/after-answer.js";
import type { HttpContext } from "../shared/env.js";
import { type Operation, type OperationId, operations, successStatus } from "../../contract/operations.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import {
  type ApiAnswer,
  type ExtraHeaders,
  type RequestRecord,
  type Ruled,
  describeError,
  headersOf,
  noteSettings,
  recordExchange,
  respond,
} from "./answer.js";
import { useRule } from "../../domain/rules/use-rule.js";
import type { RequestEffect, RequestFault, RuleOn } from "../../domain/model/rule.js";
import { isObject } from "../../kernel/messages/json.js";
import { quote } from "../../kernel/messages/text.js";

/** The newest rule that matches this request. Its use is counted immediately, even if the request fails later. */
export function useRequestRule(c: HttpContext, company: Company, body: unknown): RuleOn<"request"> | undefined {
  const { method, path } = c.req;
  const subject = () => ({ method, path, query: c.req.query(), headers: headersOf(c), body });
  return company.run((work) => useRule(work, "request", subject), undefined);
}

/** Stands for the answer when a rule keeps the work from being done. */
export const nothingDone: ApiAnswer = { status: 0, body: undefined };

/**
 * Whether a status, a body or a fault replaces the work of the request. With `commit` the work is done first, and only the answer is lost. A delay or
 * headers alone do not touch the work.
 */
export function replacesWork({ commit, status, body, fault }: RequestEffect): boolean {
  return commit !== true && (status !== undefined || body !== undefined || fault !== undefined);
}

export interface RuleContext {
  readonly sandbox: Sandbox;
  readonly company: Company;
  readonly operation: Operation;
  readonly path: string;
}

/** The answer after a rule has changed it. `answer` is the answer to the work, or {@link nothingDone}. */
export function alterAnswer(context: RuleContext, rule: RuleOn<"request">, answer: ApiAnswer): ApiAnswer {
  const { fault, status, body } = rule.then;
  if (fault !== undefined) return { ...breakAnswer(context, fault, answer), fault };
  if (rule.then.stale === true) return { ...answer, ...showEarlier(answer) };
  const headers = lowerNames(rule.then.headers);
  if (status === undefined && body === undefined) return { ...answer, headers: { ...answer.headers, ...headers } };
  return { ...replace(context, rule), headers: { ...plainTextOf(body), ...headers } };
}

/** Makes another answer. Without a status it has the status of success; without a body it has one that fits the status. */
function replace(context: RuleContext, rule: RuleOn<"request">): ApiAnswer {
  const { status = successOf(context), body = describeOwn(context, rule, status) } = rule.then;
  if (BODYLESS.has(status)) return { status, body: undefined };
  return { status, body, text: typeof body === "string" ? body : undefined };
}

function describeOwn(context: RuleContext, { id, name }: RuleOn<"request">, status: number): unknown {
  if (status < 400) return status < 300 ? {} : undefined;
  const { sandbox, company, path } = context;
  const messages = [`A rule of the sandbox answers ${status} (${quote(name ?? id)})`];
  return describeError(sandbox, company, { status, messages, correlationId: company.ids().hex32(), path });
}

/**
 * An answer that the client cannot read. If the work was not done, its status is that of success. Its `body` remains what it should have been, for
 * the journal.
 */
function breakAnswer(context: RuleContext, fault: RequestFault, answer: ApiAnswer): ApiAnswer {
  if (fault === "reset" || fault === "hang") return answer;
  const status = answer.status === nothingDone.status ? successOf(context) : answer.status;
  if (fault === "empty") return { ...answer, status, text: BODYLESS.has(status) ? undefined : "" };
  return { ...answer, status: BODYLESS.has(status) ? 200 : status, text: cut(answer.body) };
}

/** The answer to a read of a transfer as it was before the transfer ended. */
function showEarlier({ status, body }: ApiAnswer): Partial<ApiAnswer> {
  if (status !== 200 || !isObject(body)) return {};
  const earlier = { ...body, status: "pending", failureReason: null, updatedAt: body["createdAt"] };
  return { body: earlier, text: undefined };
}

/** The first half of the JSON. */
function cut(body: unknown): string {
  const whole = JSON.stringify(body) ?? SAMPLE;
  return whole.slice(0, Math.ceil(whole.length / 2));
}

const SAMPLE = JSON.stringify({ id: "00000000-0000-4000-8000-000000000000" });

/** Statuses that have no content. */
const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

function successOf({ operation, company }: RuleContext): number {
  return successStatus(operation, company.profile);
}

function plainTextOf(body: unknown): ExtraHeaders {
  return typeof body === "string" ? { "content-type": "text/plain; charset=utf-8" } : {};
}

/** Throws a TypeError for an invalid name or value: a rule's headers are checked before they are written into an answer. */
function lowerNames(headers: ExtraHeaders = {}): ExtraHeaders {
  return Object.fromEntries(new Headers(headers));
}

/** Ends a request to which a `request` rule applies, after its work: waits for the delay, then gives another answer or none. */
export async function answerByRule(
  c: HttpContext,
  sandbox: Sandbox,
  id: OperationId,
  record: RequestRecord,
  { rule, company, returned }: Ruled,
  made: ApiAnswer,
): Promise<Response> {
  const context = { sandbox, company, operation: operations[id], path: c.req.path };
  const { delayMs, fault } = rule.then;
  const answer = noteSettings(record, () => alterAnswer(context, rule, made));
  const wait = (ms: number): Promise<void> => waitInRealTime(c, company, sandbox.system, ms);

  if (delayMs !== undefined && fault !== "hang") await wait(delayMs);
  recordExchange(c, sandbox, id, record, answer);
  // A `hang` is recorded when it begins, because its end is not observed.
  if (fault === "hang") await wait(delayMs ?? HANG_MAX_MS);
  returned.resolve();
  return fault === "reset" || fault === "hang" ? breakOff(c, fault) : respond(sandbox, record.company, answer);
}

/** How long a `hang` without a delay holds a client, ms of real time. */
export const HANG_MAX_MS = 60_000;

/** Ends the connection without an answer. The returned answer is never sent. */
export function breakOff(c: HttpContext, fault: "reset" | "hang"): Response {
  c.env?.breakOff?.(fault);
  return new Response(null);
}

/**
 * Waits in real time. Ends early when the client has left, the company was closed, or the server stops. Thousands of requests may have waited for the
 * same time: each continues in a turn of its own.
 */
export async function waitInRealTime(c: HttpContext, company: Company, system: SystemClock, ms: number): Promise<void> {
  if (company.closed) return;
  // The server only notices that the client leaves when it reads the request to its end.
  if (c.env?.incoming?.complete === false) c.env.incoming.resume();
  await waitWithClient(
    c,
    (end) => system.after(ms, end),
    (end) =>
      company.events.on("changed", ({ company: changed }) => {
        if (changed === company && company.closed) end();
      }),
  );
  await company.nextTurn();
}
