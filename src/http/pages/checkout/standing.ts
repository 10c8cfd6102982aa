import type { Charge } from "../../../domain/charges/charge.js";
import type { Instant } from "../../../kernel/instant.js";
import type { Company } from "../../../sandbox/company/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { makeReady } from "../../control/control-endpoint.js";
import type { HttpContext } from "../../shared/env.js";

/** A charge as it stands, and whose it is. */
export interface Standing {
  readonly company: Company;
  readonly charge: Charge;
}

/** As {@link standingNow}, once everything that is due has happened. For what only shows it. */
export async function findStanding(c: HttpContext, sandbox: Sandbox): Promise<Standing | undefined> {
  await makeStandingReady(c, sandbox);
  return standingNow(c, sandbox);
}

/** Everything that is due in the charge's company has happened. */
export async function makeStandingReady(c: HttpContext, sandbox: Sandbox): Promise<void> {
  for (let company = standingNow(c, sandbox)?.company; company !== undefined;) {
    await makeReady(company);
    const current = standingNow(c, sandbox)?.company;
    if (current === company) return;
    // A reset or a restore has put another company in its place.
    company = current;
  }
}

/**
 * The charge that the path names, whosever it is, at this very moment: who decides by it and then waits decides by the past. Undefined when there is none.
 * Fixtures may give one id to charges of several companies: then `?company=` chooses, and without it the company that was opened first.
 */
export function standingNow(c: HttpContext, sandbox: Sandbox): Standing | undefined {
  const chargeId = c.req.param("chargeId") ?? "";
  const companyId = c.req.query("company");
  for (const company of sandbox.companies) {
    const charge =
      companyId === undefined || company.id === companyId ? company.world.charges.get(chargeId) : undefined;
    if (charge !== undefined) return { company, charge };
  }
  return undefined;
}

/** What the customer is told of the charge. `pending`: it was paid, and the result comes later. `closed`: dropped, though its time was not over. */
export type CheckoutState = "due" | "pending" | "paid" | "refunded_partially" | "refunded" | "expired" | "closed";

export function stateOf({ company: { world, profile }, charge }: Standing): CheckoutState {
  const { id, status, droppedReason } = charge;
  if (status === "dropped") return droppedReason === profile.charges.droppedReason ? "expired" : "closed";
  if (status !== "due") return status;
  return world.payments.size > 0 && world.payments.values().some(({ chargeId }) => chargeId === id) ? "pending" : "due";
}

/** Another when the page has to be another: nothing else of the charge is told to whoever asks for it. */
export function versionOf(standing: Standing): string {
  return `${stateOf(standing)}.${standing.charge.attempts}`;
}

/** Until it expires, ms of the company's clock. */
export function timeLeft({ company, charge }: Standing, now: Instant = company.now()): number {
  return Math.max(0, charge.expiresAt - now);
}
