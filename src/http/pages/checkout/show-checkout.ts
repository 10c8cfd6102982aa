import type { Sandbox } from "../../../sandbox/sandbox.js";
import { respond } from "../../api/answer.js";
import { refuseRoute } from "../../api/routes.js";
import type { HttpContext } from "../../shared/env.js";
import { answerCharge, answerNotice, redirect } from "./answer.js";
import { findPayment, stateOf, timeLeft, versionOf } from "./payment.js";
import { WAITING, redirectionTo, viewOf } from "./view.js";

/** GET /checkout/:chargeId. `?msisdn=` fills the field; `?waiting` is the page on which a customer waits for the result, and redirects when it is there. */
export async function showCheckout(c: HttpContext, sandbox: Sandbox): Promise<Response> {
  const view = viewOf(c);
  const payment = await findPayment(c, sandbox);
  if (payment === undefined) return answerNotice(sandbox, view, 404, view.texts.unknown);
  const { company, charge } = payment;
  const state = stateOf(payment);
  if (c.req.query(WAITING) !== undefined && state !== "pending") {
    const merchant = state === "paid" ? redirectionTo(charge.onCompletedRedirectionUrl) : undefined;
    return redirect(sandbox, company, merchant ?? view.linkTo());
  }
  return answerCharge(sandbox, view, payment, { msisdn: (c.req.query("msisdn") ?? "").slice(0, 40) });
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
