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

/** The newest rule that matches this request. It is counted immediately, whatever becomes of the request. */
export function useRequestRule(c: HttpContext, company: Company, body: unknown): RuleOn<"request"> | undefined {
  const { method, path } = c.req;
  const subject = () => ({ method, path, query: c.req.query(), headers: headersOf(c), body });
  return company.run((work) => useRule(work, "request", subject), undefined);
}

/** The answer to begin with when a rule keeps the work from being done. */
export const nothingDone: ApiAnswer = { status: 0, body: undefined };

/**
 * Whether the request does no work: a status, a body or a fault replaces it, unless `commit` says that "the work is done first and only the answer is
 * lost". A delay or headers alone do not touch the work.
 */
export function replacesWork({ commit, status, body, fault }: RequestEffect): boolean {
  return commit !== true && (status !== undefined || body !== undefined || fault !== undefined);
}

export interface MisbehaveContext {
  readonly sandbox: Sandbox;
  readonly company: Company;
  readonly operation: Operation;
  readonly path: string;
}

/** The answer that a rule gives in the place of the one to the work, or of {@link nothingDone}. */
export function misbehave(context: MisbehaveContext, rule: RuleOn<"request">, answer: ApiAnswer): ApiAnswer {
  const { fault, status, body } = rule.then;
  if (fault !== undefined) return { ...spoil(context, fault, answer), fault };
  if (rule.then.stale === true) return { ...answer, ...showEarlier(answer) };
  const headers = lowerNames(rule.then.headers);
  if (status === undefined && body === undefined) return { ...answer, headers: { ...answer.headers, ...headers } };
  return { ...replace(context, rule), headers: { ...plainTextOf(body), ...headers } };
}

/** Another answer. Without a status it is that of success, without a body one that fits the status. */
function replace(context: MisbehaveContext, rule: RuleOn<"request">): ApiAnswer {
  const { status = successOf(context), body = describeOwn(context, rule, status) } = rule.then;
  if (BODYLESS.has(status)) return { status, body: undefined };
  return { status, body, text: typeof body === "string" ? body : undefined };
}

function describeOwn(context: MisbehaveContext, { id, name }: RuleOn<"request">, status: number): unknown {
  if (status < 400) return status < 300 ? {} : undefined;
  const { sandbox, company, path } = context;
  const messages = [`A rule of the sandbox answers ${status} (${quote(name ?? id)})`];
  return describeError(sandbox, company, { status, messages, correlationId: company.ids().hex32(), path });
}

/** An answer that cannot be read, with the status of success. Its `body` remains what it should have been, for the journal. */
function spoil(context: MisbehaveContext, fault: RequestFault, answer: ApiAnswer): ApiAnswer {
  if (fault === "reset" || fault === "hang") return answer;
  const status = answer.status === nothingDone.status ? successOf(context) : answer.status;
  if (fault === "empty") return { ...answer, status, text: BODYLESS.has(status) ? undefined : "" };
  return { ...answer, status: BODYLESS.has(status) ? 200 : status, text: cut(answer.body) };
}

/** A read of a transfer as it was before it ended. */
function showEarlier({ status, body }: ApiAnswer): Partial<ApiAnswer> {
  if (status !== 200 || !isObject(body)) return {};
  const earlier = { ...body, status: "pending", failureReason: null, updatedAt: body["createdAt"] };
  return { body: earlier, text: undefined };
}

/** JSON that ends in the middle. */
function cut(body: unknown): string {
  const whole = JSON.stringify(body) ?? SAMPLE;
  return whole.slice(0, Math.ceil(whole.length / 2));
}

const SAMPLE = JSON.stringify({ id: "00000000-0000-4000-8000-000000000000" });

/** Statuses that have no content. */
const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

function successOf({ operation, company }: MisbehaveContext): number {
  return successStatus(operation, company.profile);
}

function plainTextOf(body: unknown): ExtraHeaders {
  return typeof body === "string" ? { "content-type": "text/plain; charset=utf-8" } : {};
}

/** Throws a TypeError for what is no header: nothing of a rule is written into an answer unchecked. */
function lowerNames(headers: ExtraHeaders = {}): ExtraHeaders {
  return Object.fromEntries(new Headers(headers));
}

/** Ends a request to which a `request` rule applies, after its work: the delay, then another answer, or none. */
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
  const answer = noteSettings(record, () => misbehave(context, rule, made));
  const wait = (ms: number): Promise<void> => linger(c, company, sandbox.system, ms);

  if (delayMs !== undefined && fault !== "hang") await wait(delayMs);
  recordExchange(c, sandbox, id, record, answer);
  // It is recorded when it begins: its end is not seen.
  if (fault === "hang") await wait(delayMs ?? HANG_MAX_MS);
  returned.resolve();
  return fault === "reset" || fault === "hang" ? breakOff(c, fault) : respond(sandbox, record.company, answer);
}

/** How long a `hang` without a delay holds a client, real time. */
export const HANG_MAX_MS = 60_000;

/** Ends the connection without an answer. The returned answer is never sent. */
export function breakOff(c: HttpContext, fault: "reset" | "hang"): Response {
  c.env?.breakOff?.(fault);
  return new Response(null);
}

/** Waits in real time. Ends early when the client has left, the company was closed, or the server stops. */
export function linger(c: HttpContext, company: Company, system: SystemClock, ms: number): Promise<void> {
  if (company.closed) return Promise.resolve();
  // A request that is not read to its end does not show that its client leaves.
  if (c.env?.incoming?.complete === false) c.env.incoming.resume();
  return waitWithClient(
    c,
    (end) => system.after(ms, end),
    (end) =>
      company.events.on("changed", ({ company: changed }) => {
        if (changed === company && company.closed) end();
      }),
  );
}
