import type { Sandbox } from "../../../sandbox/sandbox.js";
import type { HttpContext } from "../../shared/env.js";
import { answerCharge, answerNotice, redirect } from "./answer.js";
import { redirectionTo } from "./redirection.js";
import { findStanding, stateOf } from "./standing.js";
import { viewOf, WAITING } from "./view.js";

/** GET /checkout/:chargeId. `?msisdn=` fills the field; `?waiting` is where a customer waits for the result, and is led on from. */
export async function showCheckout(c: HttpContext, sandbox: Sandbox): Promise<Response> {
  const view = viewOf(c);
  const standing = await findStanding(c, sandbox);
  if (standing === undefined) return answerNotice(sandbox, view, 404, view.texts.unknown);
  const { company, charge } = standing;
  const state = stateOf(standing);
  if (c.req.query(WAITING) !== undefined && state !== "pending") {
    const merchant = state === "paid" ? redirectionTo(charge.onCompletedRedirectionUrl) : undefined;
    return redirect(sandbox, company, merchant ?? view.linkTo());
  }
  return answerCharge(sandbox, view, standing, { msisdn: (c.req.query("msisdn") ?? "").slice(0, 40) });
}
