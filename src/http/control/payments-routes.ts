import { object } from "../../kernel/fields.js";
import { msisdn } from "../../domain/values/fields.js";
import { refundAmountOf, refundRequest, renderCharge } from "../../contract/charges.js";
import { parseRequest } from "../../contract/parse.js";
import { renderBatch, renderTransfer, shownBatchStatus } from "../../contract/transfers.js";
import { type Charge, chargeLifecycle } from "../../domain/model/charge.js";
import { cancelPayment, dropCharge } from "../../domain/charges/drop-charge.js";
import { payCharge } from "../../domain/charges/pay-charge.js";
import { refundCharge } from "../../domain/charges/refund-charge.js";
import { completeByHand, failByHand } from "../../domain/transfers/decide-transfer.js";
import { type Batch, type Transfer, transferLifecycle } from "../../domain/model/transfer.js";
import type { Profile } from "../../domain/profile/profile.js";
import { statusesOf } from "../../kernel/lifecycle.js";
import type { Company } from "../../sandbox/company/company.js";
import { noBody, optionalBody, pagingParameters, text, word } from "./control-fields.js";
import { listOf, listQuery } from "./control-lists.js";
import type { ControlRoute } from "./control-route.js";

const chargesQuery = listQuery({ status: word(statusesOf(chargeLifecycle)).optional() });
const transactionsQuery = listQuery({ status: word(statusesOf(transferLifecycle)).optional() });
const parameters = [...pagingParameters, "status"];

const payment = optionalBody(object({ msisdn: msisdn.optional() }));
const withReason = optionalBody(object({ reason: text("the reason").optional() }));

/** Charges, transactions and batches, and what a customer or an operator would do to them. Each is shown as the API's GET shows it. */
export const paymentsRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/charges",
    company: "selected",
    query: parameters,
    handle: ({ company: { world, profile }, query }) => {
      const { status, ...page } = parseRequest(chargesQuery, query, "query");
      return listOf(world.charges, page, newest(status), (charge) => renderCharge(charge, "read", profile));
    },
  },
  {
    method: "POST",
    path: "/charges/:id/pay",
    company: "selected",
    takes: "json",
    handle: ({ company, id, body, run }) => {
      const paid = run(payCharge, { chargeId: id, msisdn: parseRequest(payment, body).msisdn });
      return showCharge(paid, company.profile);
    },
  },
  {
    method: "POST",
    path: "/charges/:id/cancel",
    company: "selected",
    takes: "json",
    handle: ({ company, id, body, run }) => {
      parseRequest(noBody, body);
      return showCharge(run(cancelPayment, id), company.profile);
    },
  },
  {
    method: "POST",
    path: "/charges/:id/drop",
    company: "selected",
    takes: "json",
    handle: ({ company, id, body, run }) => {
      const { reason } = parseRequest(withReason, body);
      return showCharge(
        run((work) => dropCharge(work, id, reason), undefined),
        company.profile,
      );
    },
  },
  {
    method: "POST",
    path: "/charges/:id/refund",
    company: "selected",
    takes: "json",
    handle: ({ company, id, body, run }) => {
      const amount = refundAmountOf(parseRequest(refundRequest(company.profile), body));
      return showCharge(run(refundCharge, { chargeId: id, amount }), company.profile);
    },
  },
  {
    method: "GET",
    path: "/transactions",
    company: "selected",
    query: parameters,
    handle: ({ company: { world, profile }, query }) => {
      const { status, ...page } = parseRequest(transactionsQuery, query, "query");
      return listOf(world.transfers, page, newest(status), (transfer) => showTransfer(transfer, profile));
    },
  },
  {
    method: "POST",
    path: "/transactions/:id/complete",
    company: "selected",
    takes: "json",
    handle: ({ company, id, body, run }) => {
      parseRequest(noBody, body);
      return showTransfer(run(completeByHand, id), company.profile);
    },
  },
  {
    method: "POST",
    path: "/transactions/:id/fail",
    company: "selected",
    takes: "json",
    handle: ({ company, id, body, run }) => {
      const { reason } = parseRequest(withReason, body);
      return showTransfer(run(failByHand, { id, reason }), company.profile);
    },
  },
  {
    method: "GET",
    path: "/batches",
    company: "selected",
    query: parameters,
    handle: ({ company, query }) => {
      const { world, profile } = company;
      const statuses = ["processing", profile.batch.finalStatus];
      const { status, ...page } = parseRequest(listQuery({ status: word(statuses).optional() }), query, "query");
      const where = (batch: Batch): boolean => status === undefined || shownBatchStatus(batch, profile) === status;
      return listOf(world.batches, page, { newestFirst: true, where }, (batch) => showBatch(company, batch));
    },
  },
];

function newest<Status extends string>(status: Status | undefined) {
  const where = (row: { readonly status: Status }): boolean => status === undefined || row.status === status;
  return { newestFirst: true, where };
}

function showCharge(charge: Charge, profile: Profile) {
  return renderCharge(charge, "read", profile);
}

function showTransfer(transfer: Transfer, profile: Profile) {
  return renderTransfer(transfer, "read", profile);
}

function showBatch({ world, profile }: Company, batch: Batch) {
  const transactions = batch.transactionIds.flatMap((id) => world.transfers.get(id) ?? []);
  return renderBatch({ batch, transactions }, "read", profile);
}
