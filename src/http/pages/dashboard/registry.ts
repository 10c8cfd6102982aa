/**
 * The dashboard's pages. What holds for each of them:
 * - It only reads the company's tables, page by page.
 * - Every change is an `<Action>`: a form for an entry of view/actions.ts. The audit is the only exception.
 * - Texts of clients are redacted and truncated (view/text.ts); JSX escapes them.
 * - Elements that the reader may change (fields, `<details>`) have an `id`, so that updates of the page keep their state.
 */
import { auditPage } from "./webhooks/audit.js";
import { auditReportPage } from "./webhooks/audit-report.js";
import { batchPage, batchesPage } from "./payments/batches.js";
import { chargePage, chargesPage } from "./payments/charges.js";
import { clockPage } from "./control/clock.js";
import { companiesPage } from "./control/companies.js";
import { coveragePage } from "./control/coverage.js";
import { customersPage } from "./payments/customers.js";
import { deliveriesPage, subscriptionsPage } from "./webhooks/deliveries.js";
import { deliveryPage } from "./webhooks/delivery.js";
import { findingsPage } from "./control/findings.js";
import { ledgerPage } from "./payments/ledger.js";
import { overviewPage } from "./payments/overview.js";
import { profilePage, settingPage } from "./control/profile.js";
import { requestPage } from "./payments/request.js";
import { rulesPage } from "./control/rules.js";
import { scenariosPage } from "./control/scenarios.js";
import { statePage } from "./control/state.js";
import { transferPage, transfersPage } from "./payments/transfers.js";
import type { DashboardPage } from "./view/view.js";

export const navigation: readonly { readonly title: string; readonly pages: readonly DashboardPage[] }[] = [
  { title: "Payments", pages: [overviewPage, chargesPage, transfersPage, batchesPage, customersPage, ledgerPage] },
  { title: "Webhooks", pages: [subscriptionsPage, deliveriesPage, auditPage] },
  { title: "Steer", pages: [clockPage, rulesPage, scenariosPage, profilePage, statePage, companiesPage] },
  { title: "Judge", pages: [findingsPage, coveragePage] },
];

/** Pages that other pages link to. */
const details: readonly DashboardPage[] = [
  chargePage,
  transferPage,
  batchPage,
  deliveryPage,
  requestPage,
  settingPage,
  auditReportPage,
];

export const pages: readonly DashboardPage[] = [...navigation.flatMap((group) => group.pages), ...details];
