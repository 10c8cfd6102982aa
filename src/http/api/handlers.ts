import { createChargeRequest, parsePay, parseRefund, renderCharge } from "../../contract/charges.js";
import type { OperationId } from "../../contract/operations.js";
import { parseRequest } from "../../contract/parse.js";
import {
  parseCustomerCheck,
  parsePaging,
  renderBalance,
  renderCustomerCheck,
  renderFittingPage,
} from "../../contract/queries.js";
import { renderSubscription, subscriptionRequest } from "../../contract/subscriptions.js";
import { parseBatchRequest, renderBatch, renderTransfer, toOrder, transferRequest } from "../../contract/transfers.js";
import { balanceOf } from "../../domain/accounts/ledger.js";
import { fromXof } from "../../domain/values/money.js";
import { createCharge, getCharge } from "../../domain/charges/create-charge.js";
import { payCharge } from "../../domain/charges/pay-charge.js";
import { refundCharge } from "../../domain/charges/refund-charge.js";
import { createSubscription, deleteSubscription, getSubscription } from "../../domain/deliveries/subscriptions.js";
import { createBatch } from "../../domain/transfers/create-batch.js";
import { createTransfer } from "../../domain/transfers/create-transfer.js";
import { getTransfer } from "../../domain/transfers/settle-transfer.js";
import { listPage } from "../../kernel/records/page.js";
import type { Handler } from "./endpoint.js";

/** One handler for each operation of the contract; the compiler reports a missing one. */
export const handlers: Readonly<Record<OperationId, Handler>> = {
  createTransaction: {
    handle: (call) => {
      const request = parseRequest(transferRequest(call.profile), call.body);
      return renderTransfer(call.run(createTransfer, toOrder(request)), "created", call.profile);
    },
  },
  createBatch: {
    handle: (call) => {
      const orders = parseBatchRequest(call.profile, call.body);
      return renderBatch(call.run(createBatch, orders), "created", call.profile);
    },
  },
  getTransaction: {
    handle: (call) => renderTransfer(call.run(getTransfer, call.id), "read", call.profile),
  },
  checkCustomer: {
    prepare: (company) => company.loadPeople(),
    handle: (call) => {
      const { msisdn } = parseCustomerCheck(call.profile, call.query);
      return renderCustomerCheck(call.company.checkCustomer(msisdn));
    },
  },
  getBalance: {
    handle: (call) => renderBalance(balanceOf(call.company)),
  },
  createCharge: {
    handle: (call) => {
      const { amount, metadata = {}, ...terms } = parseRequest(createChargeRequest(call.profile), call.body);
      const order = { amount: fromXof(amount), metadata, checkoutUrl: call.checkoutUrl, ...terms };
      return renderCharge(call.run(createCharge, order), "created", call.profile);
    },
  },
  payCharge: {
    // The contract: "Not usable in production". With `absent` the path does not exist, as in production.
    absence: ({ charges }) => (charges.payEndpoint === "absent" ? "charges.payEndpoint is absent" : undefined),
    handle: (call) => {
      const msisdn = parsePay(call.profile, call.body);
      return renderCharge(call.run(payCharge, { chargeId: call.id, msisdn }), "paid", call.profile);
    },
  },
  getCharge: {
    handle: (call) => renderCharge(getCharge(call.company, call.id), "read", call.profile),
  },
  refundCharge: {
    handle: (call) => {
      const amount = parseRefund(call.profile, call.body);
      return renderCharge(call.run(refundCharge, { chargeId: call.id, amount }), "refunded", call.profile);
    },
  },
  createWebhook: {
    handle: (call) => {
      const request = parseRequest(subscriptionRequest(call.profile), call.body);
      return renderSubscription(call.run(createSubscription, request), call.profile);
    },
  },
  getWebhook: {
    handle: (call) => renderSubscription(getSubscription(call.company, call.id), call.profile),
  },
  listWebhooks: {
    handle: ({ company, profile, query }) => {
      const { limit, cursor } = parsePaging(profile, query);
      return renderFittingPage(
        limit,
        (most) => listPage(company.world.subscriptions, { limit: most, cursor }),
        (subscription) => renderSubscription(subscription, profile),
      );
    },
  },
  deleteWebhook: {
    handle: (call) => call.run(deleteSubscription, call.id),
  },
};
