import type { Sandbox } from "../../../sandbox/sandbox.js";
import type { HttpContext } from "../../shared/env.js";
import type { Company } from "../../../sandbox/company/company.js";
import type { Charge, PendingPayment } from "../../../domain/model/charge.js";
import { dueId } from "../../../domain/model/work.js";
import { makeReady } from "../../shared/company.js";
import { DEFAULT_COMPANY, setupFor } from "../../../sandbox/config/options.js";
import { REDACTED } from "../../../sandbox/observation/redact.js";

export interface Payment {
  readonly company: Company;
  readonly charge: Charge;
}

/** The payment after everything due has happened, for pages that only show it. */
export async function findPayment(c: HttpContext, sandbox: Sandbox): Promise<Payment | undefined> {
  await settlePayment(c, sandbox);
  return findPaymentNow(c, sandbox);
}

/** Resolves when everything due in the charge's company has happened. */
export async function settlePayment(c: HttpContext, sandbox: Sandbox): Promise<void> {
  for (let company = findPaymentNow(c, sandbox)?.company; company !== undefined;) {
    await makeReady(company);
    const current = findPaymentNow(c, sandbox)?.company;
    if (current === company) return;
    // A reset or a restore has replaced the company.
    company = current;
  }
}

/**
 * The charge that the path names, in any company, at this moment: decide before the next await. Fixtures may give one id to charges of several
 * companies: `?company=` chooses one, otherwise the company that was opened first is taken.
 */
export function findPaymentNow(c: HttpContext, sandbox: Sandbox): Payment | undefined {
  const chargeId = c.req.param("chargeId") ?? "";
  const companyId = c.req.query("company");
  for (const company of sandbox.companies) {
    const charge =
      companyId === undefined || company.id === companyId ? company.world.charges.get(chargeId) : undefined;
    if (charge === undefined) continue;
    c.set("companyId", company.id);
    return { company, charge };
  }
  return undefined;
}

/**
 * The company's name as customers know it. An id that was made from an access token shows the token. Where an admin token guards the sandbox, that would
 * open the whole company to anyone with the link.
 */
export function nameOf({ opened, options }: Sandbox, { id, record }: Company): string {
  const showsToken = record.identity.tokens.some(
    ({ token }) => token !== DEFAULT_COMPANY.token && setupFor(token).id === id,
  );
  const shown = showsToken && options.adminToken !== undefined ? `company_${REDACTED}` : id;
  return opened.get(id)?.setup.name ?? shown;
}

/** `pending`: the result of a payment comes later. `closed`: dropped before its time was over. */
export type PaymentState = "due" | "pending" | "paid" | "refunded_partially" | "refunded" | "expired" | "closed";

export function stateOf(payment: Payment): PaymentState {
  const { status, droppedReason } = payment.charge;
  if (status === "dropped")
    return droppedReason === payment.company.profile.charges.droppedReason ? "expired" : "closed";
  if (status !== "due") return status;
  return findPending(payment) === undefined ? "due" : "pending";
}

/** The attempt whose result comes later. */
export function findPending({ company: { world }, charge }: Payment): PendingPayment | undefined {
  return world.payments.values().find(({ chargeId }) => chargeId === charge.id);
}

/** Changes when the page has to change, and reveals nothing else about the charge. */
export function versionOf(payment: Payment): string {
  return `${stateOf(payment)}.${payment.charge.attempts}`;
}

/** Until the result of a pending attempt or until the charge expires, whichever comes first; ms of the company's clock. */
export function timeLeft(payment: Payment): number {
  const { company, charge } = payment;
  const pending = findPending(payment);
  const result = pending && company.world.due.get(dueId("payment.settle", pending.id));
  return Math.max(0, Math.min(result?.dueAt ?? Infinity, charge.expiresAt) - company.now());
}
