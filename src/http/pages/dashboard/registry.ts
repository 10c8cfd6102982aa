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
import type { DashboardPage } from "./page.js";
import { auditPage } from "./pages/audit.js";
import { auditReportPage } from "./pages/audit-report.js";
import { batchPage } from "./pages/batch.js";
import { batchesPage } from "./pages/batches.js";
import { chargePage } from "./pages/charge.js";
import { chargesPage } from "./pages/charges.js";
import { clockPage } from "./pages/clock.js";
import { companiesPage } from "./pages/companies.js";
import { coveragePage } from "./pages/coverage.js";
import { customersPage } from "./pages/customers.js";
import { deliveriesPage } from "./pages/deliveries.js";
import { deliveryPage } from "./pages/delivery.js";
import { findingsPage } from "./pages/findings.js";
import { ledgerPage } from "./pages/ledger.js";
import { overviewPage } from "./pages/overview.js";
import { profilePage } from "./pages/profile.js";
import { requestPage } from "./pages/request.js";
import { rulesPage } from "./pages/rules.js";
import { scenariosPage } from "./pages/scenarios.js";
import { settingPage } from "./pages/setting.js";
import { statePage } from "./pages/state.js";
import { subscriptionsPage } from "./pages/subscriptions.js";
import { transferPage } from "./pages/transfer.js";
import { transfersPage } from "./pages/transfers.js";

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
