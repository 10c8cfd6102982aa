/**
 * The dashboard's pages: one module each in `pages/`, which exports a `DashboardPage` (see page.ts), listed here.
 *
 * What holds for each of them:
 * - It reads the company's tables (`view.company.world`) and changes nothing. Lists are paged: `readList(view, table, {…})` with `<Pager>`
 *   (parts/pager.tsx), never a whole table.
 * - Links to other pages come from `linkTo(view, "/charges/" + id)`. Times, amounts, ids and states come from parts/show.tsx, tables and empty lists from parts/table.tsx.
 * - Whatever changes something is an `<Action>` (parts/action.tsx): a form for an entry of actions.ts, with its line of curl beside it. An audit alone is none
 *   (audit/take-audit.ts): it is about a receiver, and the control API has no call for it.
 * - What clients wrote is shown through `view.redactor`, and is only ever text: JSX escapes it.
 * - An element whose state the reader may have changed (a field, `<details>`) has an `id`, by which it is recognized when the page is brought up to date.
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

export interface NavigationGroup {
  readonly title: string;
  readonly pages: readonly DashboardPage[];
}

/** What the navigation shows, in its order. */
export const navigation: readonly NavigationGroup[] = [
  { title: "Payments", pages: [overviewPage, chargesPage, transfersPage, batchesPage, customersPage, ledgerPage] },
  { title: "Webhooks", pages: [subscriptionsPage, deliveriesPage, auditPage] },
  { title: "Steer", pages: [clockPage, rulesPage, scenariosPage, profilePage, statePage, companiesPage] },
  { title: "Judge", pages: [findingsPage, coveragePage] },
];

/** Those that one reaches from another page: a charge, a delivery. */
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
