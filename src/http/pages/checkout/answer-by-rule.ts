import { operations } from "../../../contract/operations.js";
import type { RuleOn } from "../../../domain/model/rule.js";
import { countRule, findRule } from "../../../domain/rules/use-rule.js";
import type { Company } from "../../../sandbox/company/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { type ApiAnswer, type Ruled, respond } from "../../api/answer.js";
import { HANG_MAX_MS, breakOff, waitInRealTime, alterAnswer, nothingDone } from "../../api/rule-effects.js";
import { type HttpContext, wantsPage } from "../../shared/env.js";

/** Forms whose answer a rule has just lost, each with that rule. */
export type LostForms = Map<string, RuleOn<"request">>;

/** A browser that loses an answer on a connection that it reuses sends the form again by itself within this time, ms. */
const RESENT_MS = 1_000;

/** Two forms of one page with equal fields have the same key. */
function keyOf(c: HttpContext, form: URLSearchParams): string {
  return `${c.req.url}\n${form.toString()}`;
}

/** The rule that lost the answer to the same form: a form that a browser sends again by itself is not another attempt. */
export function findLost(c: HttpContext, lost: LostForms, form: URLSearchParams): RuleOn<"request"> | undefined {
  return wantsPage(c) ? lost.get(keyOf(c, form)) : undefined;
}

/**
 * The newest `request` rule that matches this form and names a `path`. Its use is counted at once. A rule without a path is about the API under test,
 * so a customer's click must not use it up.
 */
export function useCheckoutRule(
  c: HttpContext,
  company: Company,
  form: URLSearchParams,
): RuleOn<"request"> | undefined {
  const { method, path } = c.req;
  // No headers: a browser also sends its session of the dashboard, which may be another tenant's or the administrator's.
  const subject = () => ({ method, path, query: c.req.query(), headers: {}, body: Object.fromEntries(form) });
  return company.run((work) => {
    const rule = findRule(work, "request", subject, ({ match, timesLeft }) => timesLeft !== 0 && "path" in match);
    if (rule !== undefined) countRule(work, rule);
    return rule;
  }, undefined);
}

interface RuledForm extends Ruled {
  readonly form: URLSearchParams;
  readonly lost: LostForms;
}

/** Applies a rule to the answer to a form, as to an answer of the API. `answer` is undefined when the work was not done. */
export async function answerByRule(
  c: HttpContext,
  sandbox: Sandbox,
  { company, rule, form, lost, returned }: RuledForm,
  answer: Response | undefined,
): Promise<Response> {
  const { delayMs, fault } = rule.then;
  await sandbox.store.durable();
  const context = { sandbox, company, operation: operations.payCharge, path: c.req.path };
  // A broken answer does not redirect.
  const made = answer === undefined || fault !== undefined ? nothingDone : await read(answer);
  const altered = alterAnswer(context, withoutHeaders(rule), made);
  const wait = fault === "hang" ? (delayMs ?? HANG_MAX_MS) : delayMs;
  if (wait !== undefined) await waitInRealTime(c, company, sandbox.system, wait);
  returned.resolve();
  if (fault !== "reset" && fault !== "hang") return respond(sandbox, company, altered);
  const key = keyOf(c, form);
  lost.set(key, rule);
  sandbox.system.after(RESENT_MS, () => lost.delete(key));
  return breakOff(c, fault);
}

/** The dashboard has the same origin, so a rule sets no headers: they could run a script, or apply to all pages. */
function withoutHeaders(rule: RuleOn<"request">): RuleOn<"request"> {
  const { headers: _, ...then } = rule.then;
  return { ...rule, then };
}

async function read(answer: Response): Promise<ApiAnswer> {
  const text = answer.body === null ? undefined : await answer.text();
  return { status: answer.status, body: undefined, text, headers: Object.fromEntries(answer.headers) };
}
