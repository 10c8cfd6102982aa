import * as z from "zod";
import { parseRequest } from "../../contract/parse.js";
import { findCustomer, removeCustomer, setCustomer } from "../../domain/accounts/customers.js";
import { balanceOf } from "../../domain/accounts/ledger.js";
import { setBalance } from "../../domain/accounts/set-balance.js";
import { cancelPayment, dropCharge } from "../../domain/charges/drop-charge.js";
import { payCharge } from "../../domain/charges/pay-charge.js";
import { refundCharge } from "../../domain/charges/refund-charge.js";
import { accountIds } from "../../domain/model/account.js";
import { type Charge, chargeLifecycle } from "../../domain/model/charge.js";
import type { Customer } from "../../domain/model/customer.js";
import { type Batch, type Transfer, transferLifecycle } from "../../domain/model/transfer.js";
import { completeByHand, failByHand } from "../../domain/transfers/decide-transfer.js";
import { decimalXof, msisdn, wholeXof } from "../../domain/values/fields.js";
import { XOF_MAX, fromXof, toXof } from "../../domain/values/money.js";
import { isMsisdn } from "../../domain/values/msisdn.js";
import { object, text, word } from "../../kernel/fields.js";
import { statusesOf } from "../../kernel/records/lifecycle.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { quote } from "../../kernel/messages/text.js";
import type { Company } from "../../sandbox/company/company.js";
import {
  type CompanyCall,
  type ControlRoute,
  listQuery,
  listRoute,
  noBody,
  optionalBody,
  pageOf,
  pageQuery,
  route,
} from "./control-route.js";
import { renderCustomer, renderEntry } from "./render-control.js";
import { renderCharge } from "../../contract/charges.js";
import { renderBalance } from "../../contract/queries.js";
import { renderBatch, renderTransfer, shownBatchStatus } from "../../contract/transfers.js";

const status = <Status extends string>(statuses: readonly Status[]) => word(statuses, { suggest: true }).optional();
const withAmount = optionalBody(object({ amount: wholeXof(1, XOF_MAX).optional() }));
const withReason = optionalBody(object({ reason: text("the reason", 200).optional() }));

/** Charges, transactions and batches, and what a customer or an operator would do to them. Each is shown as the API's GET shows it. */
const resourceRoutes: readonly ControlRoute[] = [
  listRoute("/charges", listQuery({ status: status(statusesOf(chargeLifecycle)) }), ({ company, query }) => ({
    rows: company.world.charges,
    ...newest(query.status),
    render: (charge: Charge) => showCharge(company, charge),
  })),
  route(
    "POST /charges/:id/pay",
    { body: optionalBody(object({ msisdn: msisdn.optional() })) },
    ({ company, id, body, run }) => showCharge(company, run(payCharge, { chargeId: id, msisdn: body.msisdn })),
  ),
  route("POST /charges/:id/cancel", { body: noBody }, ({ company, id, run }) =>
    showCharge(company, run(cancelPayment, id)),
  ),
  route("POST /charges/:id/drop", { body: withReason }, ({ company, id, body, run }) => {
    const dropped = run((work) => dropCharge(work, id, body.reason), undefined);
    return showCharge(company, dropped);
  }),
  route("POST /charges/:id/refund", { body: withAmount }, ({ company, id, body, run }) => {
    const amount = body.amount === undefined ? undefined : fromXof(body.amount);
    return showCharge(company, run(refundCharge, { chargeId: id, amount }));
  }),
  listRoute("/transactions", listQuery({ status: status(statusesOf(transferLifecycle)) }), ({ company, query }) => ({
    rows: company.world.transfers,
    ...newest(query.status),
    render: (transfer: Transfer) => showTransfer(company, transfer),
  })),
  route("POST /transactions/:id/complete", { body: noBody }, ({ company, id, run }) =>
    showTransfer(company, run(completeByHand, id)),
  ),
  route("POST /transactions/:id/fail", { body: withReason }, ({ company, id, body, run }) =>
    showTransfer(company, run(failByHand, { id, reason: body.reason })),
  ),
  listRoute("/batches", listQuery({ status: z.string().optional() }), ({ company, query }) => {
    const { world, profile } = company;
    // Which statuses there are depends on the profile.
    const statuses = object({ status: status(["processing", profile.batch.finalStatus]) });
    const wanted = parseRequest(statuses, { status: query.status }, "query").status;
    const where = (batch: Batch): boolean => wanted === undefined || shownBatchStatus(batch, profile) === wanted;
    return { rows: world.batches, newestFirst: true, where, render: (batch: Batch) => showBatch(company, batch) };
  }),
];

/** The balance, and the double-entry ledger that explains it. */
const moneyRoutes: readonly ControlRoute[] = [
  route("GET /balance", {}, ({ company }) => renderBalance(balanceOf(company))),
  route("PUT /balance", { body: object({ balance: decimalXof() }) }, ({ company, body, run }) => {
    run(setBalance, fromXof(body.balance));
    return renderBalance(balanceOf(company));
  }),
  route("GET /ledger", { query: pageQuery }, ({ company, query }) => ({
    ...pageOf({ rows: company.world.ledger, render: renderEntry }, query),
    ...renderBalance(balanceOf(company)),
    accounts: Object.fromEntries(accountIds.map((account) => [account, toXof(balanceOf(company, account))])),
  })),
];

const customer = object({
  firstName: text("the first name", 200),
  lastName: text("the last name", 200),
  // The contract: "`complete` means the customer is validated. Any other value means a customer identification problem."
  kycStatus: text("the identification status, such as complete", 200).default("complete"),
});

/** The people whom the company's customer check knows, besides the reserved numbers. */
const customersRoutes: readonly ControlRoute[] = [
  listRoute("/customers", pageQuery, ({ company }) => ({ rows: company.world.customers, render: renderCustomer })),
  route("GET /customers/:id", {}, (call) => renderCustomer(getCustomer(call))),
  route("PUT /customers/:id", { body: z.unknown() }, ({ id, body, run }) => {
    assertMsisdn(id);
    const person = parseRequest(customer, body);
    return renderCustomer(run((work) => setCustomer(work, id, person), undefined));
  }),
  route("DELETE /customers/:id", {}, (call) => call.run(removeCustomer, getCustomer(call).id)),
];

export const paymentsRoutes: readonly ControlRoute[] = [...resourceRoutes, ...moneyRoutes, ...customersRoutes];

function newest<Status extends string>(wanted: Status | undefined) {
  const where = (row: { readonly status: Status }): boolean => wanted === undefined || row.status === wanted;
  return { newestFirst: true, where };
}

function showCharge({ profile }: Company, charge: Charge) {
  return renderCharge(charge, "read", profile);
}

function showTransfer({ profile }: Company, transfer: Transfer) {
  return renderTransfer(transfer, "read", profile);
}

function showBatch({ world, profile }: Company, batch: Batch) {
  const transactions = batch.transactionIds.flatMap((id) => world.transfers.get(id) ?? []);
  return renderBatch({ batch, transactions }, "read", profile);
}

function getCustomer({ company, id }: CompanyCall<undefined, undefined>): Customer {
  assertMsisdn(id);
  const found = findCustomer(company, id);
  if (found !== undefined) return found;
  throw new UsageError("not-found", `No customer is registered under ${quote(id)}. PUT registers one.`);
}

function assertMsisdn(id: string): void {
  if (isMsisdn(id)) return;
  const right = "a phone number: 8 to 15 digits after an optional + or 00";
  throw new UsageError("input", `The path must end with ${right}, got ${quote(id)}`);
}
