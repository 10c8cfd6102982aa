import type { Charge } from "../../domain/charges/charge.js";
import type { Instant } from "../../kernel/instant.js";
import type { Company } from "../../sandbox/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { makeReady } from "../control/control-endpoint.js";
import type { HttpContext } from "../env.js";

/** A charge as it stands now: everything that is due has happened. */
export interface Standing {
  readonly company: Company;
  readonly charge: Charge;
}

/**
 * The charge that the path names, whosever it is. Undefined when there is none. Fixtures may give one id to charges of several companies: then
 * `?company=` chooses, and without it the company that was opened first.
 */
export async function findStanding(c: HttpContext, sandbox: Sandbox): Promise<Standing | undefined> {
  const chargeId = c.req.param("chargeId") ?? "";
  const companyId = c.req.query("company");
  let company = holderOf(sandbox, chargeId, companyId);
  while (company !== undefined) {
    await makeReady(company);
    const holder = holderOf(sandbox, chargeId, companyId);
    const charge = holder?.world.charges.get(chargeId);
    if (holder === company && charge !== undefined) return { company, charge };
    // A reset or a restore has put another company in its place.
    company = holder;
  }
  return undefined;
}

function holderOf(sandbox: Sandbox, chargeId: string, companyId: string | undefined): Company | undefined {
  return sandbox.companies.find(
    ({ id, world }) => (companyId === undefined || id === companyId) && world.charges.get(chargeId) !== undefined,
  );
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
