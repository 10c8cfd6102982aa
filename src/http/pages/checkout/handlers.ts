import type { JSX } from "hono/jsx/jsx-runtime";
import type { Company } from "../../../sandbox/company/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { type ExtraHeaders, describeProblem, respond } from "../../api/answer.js";
import { answerPage } from "../shared/answer-page.js";
import { ChargePage, NoticePage } from "./pages.js";
import { type Payment, findPayment, findPaymentNow, settlePayment, stateOf, timeLeft, versionOf } from "./payment.js";
import type { Notice, Problem } from "./texts.js";
import { type CheckoutView, WAITING, redirectionTo, viewOf } from "./view.js";
import { refuseRoute } from "../../api/routes.js";
import type { HttpContext } from "../../shared/env.js";
import { cancelPayment } from "../../../domain/charges/drop-charge.js";
import { payCharge } from "../../../domain/charges/pay-charge.js";
import { createDeferred } from "../../../kernel/events.js";
import { replacesWork } from "../../api/rule-effects.js";
import { originProblem } from "../../control/guards.js";
import { afterAnswer } from "../../shared/after-answer.js";
import { readBytes } from "../../shared/read-body.js";
import { type LostForms, answerByRule, findLost, useCheckoutRule } from "./answer-by-rule.js";
import type { ReleaseGate } from "../../../sandbox/company/release-gate.js";
import { getCharge } from "../../../domain/charges/create-charge.js";
import { isMsisdn } from "../../../domain/values/msisdn.js";
import { isApiProblem, refuse } from "../../../domain/model/problem-codes.js";
import { renderCharge } from "../../../contract/charges.js";
import type { Charge } from "../../../domain/model/charge.js";
import type { Work } from "../../../domain/model/work.js";

/**
 * POST /checkout/:chargeId, a form: `action=pay` with `msisdn`, or `action=cancel`. It pays as the API does, with rules, ledger and webhooks. It
 * redirects to the merchant, or back to the page, which shows the result. Forms of another origin are refused.
 */
export async function takeCheckout(c: HttpContext, sandbox: Sandbox, lost: LostForms): Promise<Response> {
  const view = viewOf(c, sandbox);
  if (originProblem(sandbox, c) !== undefined) return answerNotice(view, 403, view.texts.foreign);
  try {
    return await take(c, sandbox, lost);
  } catch (thrown) {
    const { status } = describeProblem(sandbox, undefined, c.req.path, thrown);
    return answerNotice(view, status, status < 500 ? view.texts.unreadable : view.texts.failed);
  }
}

async function take(c: HttpContext, sandbox: Sandbox, lost: LostForms): Promise<Response> {
  const form = await readForm(c);
  const view = viewOf(c, sandbox, form.get("msisdn") ?? undefined);
  await sandbox.store.writable();
  await settlePayment(c, sandbox);
  // There is no await from here to the end of the work, so that the second of two simultaneous forms sees the result of the first.
  const payment = findPaymentNow(c, sandbox);
  if (payment === undefined) return answerNotice(view, 404, view.texts.unknown);
  const { company } = payment;
  const rule = findLost(c, lost, form) ?? useCheckoutRule(c, company, form);
  const returned = createDeferred();
  const gate = afterAnswer(c, sandbox.system, rule === undefined ? undefined : returned.promise);
  const work = async (): Promise<Response> => {
    const answer = await act({ view, payment, form, gate });
    await gate.ready();
    await sandbox.store.durable();
    return answer;
  };
  if (rule === undefined) return work();
  const answer = replacesWork(rule.then) ? undefined : await work();
  return answerByRule(c, sandbox, { company, rule, form, lost, returned }, answer);
}

const FORM_BYTES_MAX = 16 * 1024;

/** The fields of a form as a browser sends it. 413 beyond the limit, 415 for another content type. */
async function readForm(c: HttpContext): Promise<URLSearchParams> {
  const bytes = await readBytes(c, FORM_BYTES_MAX);
  if (bytes.length > 0 && !/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(c.req.header("content-type") ?? ""))
    refuse("media_type_unsupported", "content-type must be application/x-www-form-urlencoded");
  return new URLSearchParams(bytes.toString("utf8"));
}

interface CheckoutOrder {
  readonly view: CheckoutView;
  readonly payment: Payment;
  readonly form: URLSearchParams;
  readonly gate: ReleaseGate;
}

/** Does the work synchronously; only rendering a page is asynchronous. */
function act(order: CheckoutOrder): Response | Promise<Response> {
  switch (order.form.get("action")) {
    case "pay":
      return pay(order);
    case "cancel":
      return cancel(order);
    default:
      return answerNotice(order.view, 400, order.view.texts.unreadable);
  }
}

function pay(order: CheckoutOrder): Response | Promise<Response> {
  const { view, payment, form, gate } = order;
  const { company, charge } = payment;
  if (stateOf(payment) !== "due" || isRepeated(order)) return redirectFrom(order, payment);
  const showProblem = (problem: Problem, status: number): Promise<Response> =>
    answerCharge(view, payment, problem, status);
  const msisdn = (form.get("msisdn") ?? "").replaceAll(/[\s.()-]/g, "");
  if (msisdn === "") return showProblem("phoneMissing", 400);
  if (!isMsisdn(msisdn)) return showProblem("phoneWrong", 400);
  try {
    const done = noting(order, "pay", { msisdn }, () => company.run(payCharge, { chargeId: charge.id, msisdn }, gate));
    return redirectFrom(order, { company, charge: done });
  } catch (thrown) {
    if (!isApiProblem(thrown)) throw thrown;
    if (thrown.code === "payer_refused") return showProblem("phoneRefused", 422);
    // The charge expired between reading and paying.
    return redirect(view, company, view.linkTo());
  }
}

/** The contract: "the service URL the user is redirected to after a canceled payment." The charge stays due. */
function cancel(order: CheckoutOrder): Response {
  const { view, payment, gate } = order;
  const { company, charge } = payment;
  if (stateOf(payment) !== "due") return redirectFrom(order, payment);
  const done = noting(order, "cancel", undefined, () => company.run(cancelIfDue, charge.id, gate));
  if (done === undefined) return redirectFrom(order, payment);
  return redirect(view, company, redirectionTo(charge.onCanceledRedirectionUrl) ?? view.linkTo());
}

/** Reports what the customer does as if it were the call of the control API that does the same. */
function noting<Result extends Charge | undefined>(
  { view: { sandbox }, payment }: CheckoutOrder,
  action: "pay" | "cancel",
  body: unknown,
  work: () => Result,
): Result {
  const { id: companyId, profile } = payment.company;
  const turn = sandbox.takeTurn();
  const at = payment.company.now();
  const done = work();
  if (done === undefined) return done;
  const answer = renderCharge(done, "read", profile);
  const route = `POST /charges/:id/${action}`;
  sandbox.events.emit("controlled", { turn, companyId, at, route, id: done.id, body, answer });
  return done;
}

/** Undefined when the charge is not due: it may have expired between reading and cancelling. */
function cancelIfDue(work: Work, chargeId: string): Charge | undefined {
  return getCharge(work, chargeId).status === "due" ? cancelPayment(work, chargeId) : undefined;
}

/** A second click sends the same form again, after the first one has done the work. */
function isRepeated({ payment, form }: CheckoutOrder): boolean {
  const attempt = form.get("attempt");
  return attempt !== null && attempt !== String(payment.charge.attempts);
}

/** Redirects to the merchant once the charge is paid, otherwise to the page, which shows its state. */
function redirectFrom({ view }: CheckoutOrder, payment: Payment): Response {
  const waiting = stateOf(payment) === "pending" ? { [WAITING]: "" } : {};
  return redirect(view, payment.company, merchantOf(payment) ?? view.linkTo(waiting));
}

/** Where a customer who has paid is redirected to. */
function merchantOf(payment: Payment): string | undefined {
  return stateOf(payment) === "paid" ? redirectionTo(payment.charge.onCompletedRedirectionUrl) : undefined;
}

/**
 * GET /checkout/:chargeId. `?msisdn=` fills the field. `?waiting` is the page on which a customer waits for the result; it redirects once the result
 * is there.
 */
export async function showCheckout(c: HttpContext, sandbox: Sandbox): Promise<Response> {
  const view = viewOf(c, sandbox);
  const payment = await findPayment(c, sandbox);
  if (payment === undefined) return answerNotice(view, 404, view.texts.unknown);
  if (c.req.query(WAITING) !== undefined && stateOf(payment) !== "pending")
    return redirect(view, payment.company, merchantOf(payment) ?? view.linkTo());
  return answerCharge(view, payment);
}

/** GET /checkout/:chargeId/status, for the page's script: whether the page has changed, and how much time is left. */
export async function showStatus(c: HttpContext, sandbox: Sandbox): Promise<Response> {
  const payment = await findPayment(c, sandbox);
  if (payment === undefined) return refuseRoute(c, sandbox, "route_not_found", `There is no charge at ${c.req.path}`);
  const { company } = payment;
  const body = {
    version: versionOf(payment),
    leftMs: timeLeft(payment),
    isRunning: company.clock.mode === "running" && !company.clock.pinned,
  };
  return respond(sandbox, company, { status: 200, body, headers: { "cache-control": "no-store" } });
}

/** Where the form may lead: it redirects to the merchant, who may redirect on to another host, and Chromium checks every step against this list. */
const ANYWHERE = "'self' http: https:";

function answerCharge(view: CheckoutView, payment: Payment, problem?: Problem, status = 200): Promise<Response> {
  return answer(view, payment.company, status, ChargePage(view, payment, problem));
}

function answerNotice(view: CheckoutView, status: number, notice: Notice): Promise<Response> {
  return answer(view, undefined, status, NoticePage(view, notice));
}

function redirect({ sandbox }: CheckoutView, company: Company, location: string): Response {
  const headers: ExtraHeaders = { location, "cache-control": "no-store" };
  return respond(sandbox, company, { status: 303, body: undefined, headers });
}

function answer(view: CheckoutView, company: Company | undefined, status: number, page: JSX.Element) {
  return answerPage(view.sandbox, company, {
    status,
    page,
    formAction: ANYWHERE,
    headers: {
      "content-language": view.language,
      vary: "accept-language",
      // A shop that opens the page in a new window checks whether that window is closed.
      "cross-origin-opener-policy": "unsafe-none",
    },
  });
}
