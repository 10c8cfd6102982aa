import { accountRow, ledgerRow } from "../../domain/model/account.js";
import { chargeRow, paymentRow } from "../../domain/model/charge.js";
import { customerRow } from "../../domain/model/customer.js";
import { deliveryRow, holdRow } from "../../domain/model/delivery.js";
import { eventRow } from "../../domain/model/events.js";
import { subscriptionRow } from "../../domain/model/subscription.js";
import { batchRow, transferRow } from "../../domain/model/transfer.js";
import { dueRow } from "../../domain/model/work.js";
import { listOf } from "../../kernel/fields.js";
import { ruleRow } from "./rules.js";

/** The tables of a state. Each row's schema reads what a state says and writes what a company has. */
export const stateRows = {
  accounts: listOf(accountRow),
  ledger: listOf(ledgerRow),
  customers: listOf(customerRow),
  charges: listOf(chargeRow),
  transactions: listOf(transferRow),
  batches: listOf(batchRow),
  subscriptions: listOf(subscriptionRow),
  deliveries: listOf(deliveryRow),
  events: listOf(eventRow),
  rules: listOf(ruleRow()),
  payments: listOf(paymentRow),
  holds: listOf(holdRow),
  due: listOf(dueRow),
};
