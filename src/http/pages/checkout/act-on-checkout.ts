import { cancelPayment } from "../../../domain/charges/drop-charge.js";
import { getCharge } from "../../../domain/charges/find-charge.js";
import { payCharge } from "../../../domain/charges/pay-charge.js";
import { isMsisdn } from "../../../domain/msisdn.js";
import { isApiProblem } from "../../../domain/problem-codes.js";
import type { Work } from "../../../domain/work.js";
import type { ReleaseGate } from "../../../sandbox/delivery/release-gate.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { answerCharge, answerNotice, redirect } from "./answer.js";
import type { Entered } from "./payment-form.js";
import { type Standing, stateOf } from "./standing.js";
import { type CheckoutView, WAITING, redirectionTo } from "./view.js";

/** A form that was sent, and the charge that it is about. */
export interface CheckoutOrder {
  readonly sandbox: Sandbox;
  readonly view: CheckoutView;
  readonly standing: Standing;
  readonly form: URLSearchParams;
  readonly gate: ReleaseGate;
}

/** Does what the form asks for, before it returns; only the page that may have to be shown comes later. */
export function actOnCheckout(order: CheckoutOrder): Response | Promise<Response> {
  const { sandbox, view, form } = order;
  switch (form.get("action")) {
    case "pay":
      return pay(order);
    case "cancel":
      return cancel(order);
    default:
      return answerNotice(sandbox, view, 400, view.texts.unreadable);
  }
}

function pay(order: CheckoutOrder): Response | Promise<Response> {
  const { sandbox, view, standing, form, gate } = order;
  const { company, charge } = standing;
  if (stateOf(standing) !== "due" || wasSent(order)) return goOn(order, standing);
  const typed = form.get("msisdn") ?? "";
  const refuse = (problem: Entered["problem"], status: number): Promise<Response> =>
    answerCharge(sandbox, view, standing, { msisdn: typed, problem }, status);
  const msisdn = typed.replaceAll(/[\s.()-]/g, "");
  if (msisdn === "") return refuse("phoneMissing", 400);
  if (!isMsisdn(msisdn)) return refuse("phoneWrong", 400);
  try {
    return goOn(order, { company, charge: company.run(payCharge, { chargeId: charge.id, msisdn }, gate) });
  } catch (thrown) {
    if (!isApiProblem(thrown)) throw thrown;
    if (thrown.code === "payer_refused") return refuse("phoneRefused", 422);
    // It has expired in this very moment.
    return redirect(sandbox, company, view.linkTo());
  }
}

/** "The service URL the user is redirected to after a canceled payment." The charge stays due. */
function cancel(order: CheckoutOrder): Response {
  const { sandbox, view, standing, gate } = order;
  const { company, charge } = standing;
  if (stateOf(standing) !== "due" || !company.run(cancelIfDue, charge.id, gate)) return goOn(order, standing);
  return redirect(sandbox, company, redirectionTo(charge.onCanceledRedirectionUrl) ?? view.linkTo());
}

/** Whether it was: it may have expired in this very moment. */
function cancelIfDue(work: Work, chargeId: string): boolean {
  if (getCharge(work, chargeId).status !== "due") return false;
  cancelPayment(work, chargeId);
  return true;
}

/** A second click sends the same form again: what it asks for was done by the first. */
function wasSent({ standing, form }: CheckoutOrder): boolean {
  const attempt = form.get("attempt");
  return attempt !== null && attempt !== String(standing.charge.attempts);
}

/** Where a customer goes from the charge as it stands: to the merchant once it is paid, else to the page, which says how it stands. */
function goOn({ sandbox, view }: CheckoutOrder, standing: Standing): Response {
  const { company, charge } = standing;
  const state = stateOf(standing);
  const merchant = state === "paid" ? redirectionTo(charge.onCompletedRedirectionUrl) : undefined;
  return redirect(sandbox, company, merchant ?? view.linkTo(state === "pending" ? { [WAITING]: "" } : {}));
}
