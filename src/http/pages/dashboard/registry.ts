/**
 * The dashboard's pages. What holds for each of them:
 * - It only reads the company's tables, page by page.
 * - Every change is an `<Action>`: a form for an entry of view/actions.ts. The audit is the only exception.
 * - Texts of clients are redacted and truncated (`redactAndTruncate`); JSX escapes them.
 * - Elements that the reader may change (fields, `<details>`) have an `id`, so that updates of the page keep their state.
 */
import { auditPage } from "./webhooks/audit.js";
import { chargePage, chargesPage } from "./payments/charges.js";
import { clockPage } from "./control/clock.js";
import { companiesPage } from "./control/companies.js";
import { connectPage } from "./control/connect.js";
import { customersPage } from "./payments/customers.js";
import { deliveriesPage, subscriptionsPage } from "./webhooks/deliveries.js";
import { deliveryPage } from "./webhooks/delivery.js";
import { coveragePage, findingsPage } from "./control/quality.js";
import { ledgerPage } from "./payments/ledger.js";
import { activityPage } from "./payments/activity.js";
import { profilePage, settingPage } from "./control/profile.js";
import { requestPage } from "./payments/request.js";
import { rulesPage } from "./control/rules.js";
import { statePage } from "./control/state.js";
import { batchPage, batchesPage, transferPage, transfersPage } from "./payments/payouts.js";
import type { DashboardPage } from "./view/view.js";

export interface Section {
  readonly title: string;
  /** The key that opens the section after `g`. */
  readonly key: string;
  /** Its tabs, the first of which opens with the section, and pages with an id, which other pages link to. */
  readonly pages: readonly DashboardPage[];
}

export const sections: readonly Section[] = [
  { title: "Activity", key: "a", pages: [activityPage, requestPage] },
  { title: "Charges", key: "c", pages: [chargesPage, chargePage] },
  { title: "Payouts", key: "p", pages: [transfersPage, batchesPage, transferPage, batchPage] },
  { title: "Webhooks", key: "w", pages: [deliveriesPage, subscriptionsPage, auditPage, deliveryPage] },
  { title: "Ledger", key: "l", pages: [ledgerPage] },
  { title: "Clock", key: "k", pages: [clockPage] },
  { title: "Faults", key: "f", pages: [rulesPage] },
  { title: "Quality", key: "q", pages: [findingsPage, coveragePage] },
  { title: "Setup", key: "s", pages: [connectPage, companiesPage, customersPage, profilePage, statePage, settingPage] },
];

export const pages: readonly DashboardPage[] = sections.flatMap((section) => section.pages);

export function tabsOf({ pages }: Section): readonly DashboardPage[] {
  return pages.filter(({ path }) => !path.includes(":"));
}

/** Finds the section by the first part of a path, so that an address without a page has a section too. */
export function sectionOf({ path }: Pick<DashboardPage, "path">): Section | undefined {
  return sections.find(({ pages }) => pages.some((page) => isBeside(page, path)));
}

/** Whether the first parts of both paths are the same, as they are for a list and the pages of its rows. */
export function isBeside(page: Pick<DashboardPage, "path">, path: string): boolean {
  return page.path.split("/")[1] === path.split("/")[1];
}
