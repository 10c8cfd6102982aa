import { cancelPayment } from "../../domain/charges/drop-charge.js";
import { getCharge } from "../../domain/charges/find-charge.js";
import { payCharge } from "../../domain/charges/pay-charge.js";
import { isMsisdn } from "../../domain/msisdn.js";
import { isApiProblem } from "../../domain/problem-codes.js";
import type { Work } from "../../domain/work.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { afterAnswer, type AnswerGate } from "../after-answer.js";
import { describeProblem } from "../api/answer.js";
import { originProblem } from "../control/guards.js";
import type { HttpContext } from "../env.js";
import { answerCharge, answerNotice, redirect } from "./answer.js";
import type { Entered } from "./payment-form.js";
import { readForm } from "./read-form.js";
import { redirectionTo } from "./redirection.js";
import { makeStandingReady, type Standing, standingNow, stateOf } from "./standing.js";
import { type CheckoutView, viewOf, WAITING } from "./view.js";

/**
 * POST /checkout/:chargeId, a form: `action=pay` with `msisdn`, or `action=cancel`. It pays as the API does: rules, ledger, webhooks. The answer leads on: to the
 * merchant, or back to the page, which shows what became of it. Only the page's own form may be sent: a page of another origin is refused.
 */
export async function takeCheckout(c: HttpContext, sandbox: Sandbox): Promise<Response> {
  const view = viewOf(c);
  if (originProblem(sandbox, c) !== undefined) return answerNotice(sandbox, view, 403, view.texts.foreign);
  try {
    const form = await readForm(c);
    await sandbox.writable();
    await makeStandingReady(c, sandbox);
    // From here to the end of the work nothing is waited for: of two forms that come at once the second sees what the first has done.
    const standing = standingNow(c, sandbox);
    if (standing === undefined) return await answerNotice(sandbox, view, 404, view.texts.unknown);
    const gate = afterAnswer(c, sandbox.system);
    const answer = await act(sandbox, view, standing, form, gate);
    await gate.ready();
    await sandbox.durable();
    return answer;
  } catch (thrown) {
    const { status } = describeProblem(sandbox, undefined, c.req.path, thrown);
    return answerNotice(sandbox, view, status, status < 500 ? view.texts.unreadable : view.texts.failed);
  }
}

function act(
  sandbox: Sandbox,
  view: CheckoutView,
  standing: Standing,
  form: URLSearchParams,
  gate: AnswerGate,
): Response | Promise<Response> {
  switch (form.get("action")) {
    case "pay":
      return pay(sandbox, view, standing, form, gate);
    case "cancel":
      return cancel(sandbox, view, standing, gate);
    default:
      return answerNotice(sandbox, view, 400, view.texts.unreadable);
  }
}

function pay(
  sandbox: Sandbox,
  view: CheckoutView,
  standing: Standing,
  form: URLSearchParams,
  gate: AnswerGate,
): Response | Promise<Response> {
  const { company, charge } = standing;
  if (stateOf(standing) !== "due" || wasSent(standing, form)) return goOn(sandbox, view, standing);
  const msisdn = (form.get("msisdn") ?? "").replaceAll(/[\s.()-]/g, "");
  const refuse = (problem: Entered["problem"], status: number): Promise<Response> =>
    answerCharge(sandbox, view, standing, { msisdn: form.get("msisdn") ?? "", problem }, status);
  if (msisdn === "") return refuse("phoneMissing", 400);
  if (!isMsisdn(msisdn)) return refuse("phoneWrong", 400);
  try {
    return goOn(sandbox, view, { company, charge: company.run(payCharge, { chargeId: charge.id, msisdn }, gate) });
  } catch (thrown) {
    if (!isApiProblem(thrown)) throw thrown;
    if (thrown.code === "payer_refused") return refuse("phoneRefused", 422);
    // It has expired in this very moment.
    return redirect(sandbox, company, view.linkTo());
  }
}

/** "The service URL the user is redirected to after a canceled payment." The charge stays due. */
function cancel(sandbox: Sandbox, view: CheckoutView, standing: Standing, gate: AnswerGate): Response {
  const { company, charge } = standing;
  if (stateOf(standing) !== "due" || !company.run(cancelIfDue, charge.id, gate)) return goOn(sandbox, view, standing);
  return redirect(sandbox, company, redirectionTo(charge.onCanceledRedirectionUrl) ?? view.linkTo());
}

/** Whether it was: it may have expired in this very moment. */
function cancelIfDue(work: Work, chargeId: string): boolean {
  if (getCharge(work, chargeId).status !== "due") return false;
  cancelPayment(work, chargeId);
  return true;
}

/** A second click sends the same form again: what it asks for was done by the first. */
function wasSent({ charge }: Standing, form: URLSearchParams): boolean {
  const attempt = form.get("attempt");
  return attempt !== null && attempt !== String(charge.attempts);
}

/** Where a customer goes from the charge as it stands: to the merchant once it is paid, else to the page, which says how it stands. */
function goOn(sandbox: Sandbox, view: CheckoutView, standing: Standing): Response {
  const { company, charge } = standing;
  const state = stateOf(standing);
  const merchant = state === "paid" ? redirectionTo(charge.onCompletedRedirectionUrl) : undefined;
  return redirect(sandbox, company, merchant ?? view.linkTo(state === "pending" ? { [WAITING]: "" } : {}));
}
