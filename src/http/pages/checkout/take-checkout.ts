import { Signal } from "../../../kernel/signal.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { afterAnswer } from "../../shared/after-answer.js";
import { describeProblem } from "../../api/answer.js";
import { replacesWork } from "../../api/misbehave.js";
import { originProblem } from "../../control/guards.js";
import type { HttpContext } from "../../shared/env.js";
import { actOnCheckout } from "./act-on-checkout.js";
import { answerNotice } from "./answer.js";
import { answerByRule, useCheckoutRule } from "./answer-by-rule.js";
import { readForm } from "./read-form.js";
import { makeStandingReady, standingNow } from "./standing.js";
import { type CheckoutView, viewOf } from "./view.js";

/**
 * POST /checkout/:chargeId, a form: `action=pay` with `msisdn`, or `action=cancel`. It pays as the API does: rules, ledger, webhooks. The answer leads on: to the
 * merchant, or back to the page, which shows what became of it. Only the page's own form may be sent: a page of another origin is refused.
 */
export async function takeCheckout(c: HttpContext, sandbox: Sandbox): Promise<Response> {
  const view = viewOf(c);
  if (originProblem(sandbox, c) !== undefined) return answerNotice(sandbox, view, 403, view.texts.foreign);
  try {
    return await take(c, sandbox, view);
  } catch (thrown) {
    const { status } = describeProblem(sandbox, undefined, c.req.path, thrown);
    return answerNotice(sandbox, view, status, status < 500 ? view.texts.unreadable : view.texts.failed);
  }
}

async function take(c: HttpContext, sandbox: Sandbox, view: CheckoutView): Promise<Response> {
  const form = await readForm(c);
  await sandbox.writable();
  await makeStandingReady(c, sandbox);
  // From here to the end of the work nothing is waited for: of two forms that come at once the second sees what the first has done.
  const standing = standingNow(c, sandbox);
  if (standing === undefined) return answerNotice(sandbox, view, 404, view.texts.unknown);
  const { company } = standing;
  const rule = useCheckoutRule(c, company, form);
  const returned = new Signal();
  const gate = afterAnswer(c, sandbox.system, rule === undefined ? undefined : returned.next());
  const work = async (): Promise<Response> => {
    const answer = await actOnCheckout({ sandbox, view, standing, form, gate });
    await gate.ready();
    await sandbox.durable();
    return answer;
  };
  if (rule === undefined) return work();
  const answer = replacesWork(rule.then) ? undefined : await work();
  return answerByRule(c, sandbox, { company, rule, returned }, answer);
}
