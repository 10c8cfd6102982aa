import type { Child } from "hono/jsx";
import { UsageError } from "../../../../kernel/messages/problem.js";
import { quote } from "../../../../kernel/messages/text.js";
import type { Company } from "../../../../sandbox/company/company.js";
import type { Redactor } from "../../../../sandbox/observation/redact.js";
import type { Sandbox } from "../../../../sandbox/sandbox.js";
import type { Auditor } from "../../../../audit/auditor.js";
import type { KeptAudit, Outcome, SwitchedOff } from "./memory.js";
import type { Query } from "../../../../contract/queries.js";
import type { ScenarioReplayer } from "../../../control/behaviour-routes.js";

/** The path of the dashboard's pages, except the first one, which is `/_sandbox`. */
export const DASHBOARD = "/_sandbox/dashboard";

export type ScenarioList = Pick<ScenarioReplayer, "list">;

/** The input of a page: a company after everything due has happened, and the request's address. */
export interface View {
  readonly sandbox: Sandbox;
  readonly company: Company;
  /** Removes credentials from texts that clients sent. */
  readonly redactor: Redactor;
  /** The relative path from the page to the sandbox's root, `../../`: behind a proxy the root may be anywhere. */
  readonly root: string;
  readonly here: URL;
  /** Its query without `company` and `outcome`. */
  readonly query: Query;
  /** The path's `:id`, or empty. */
  readonly id: string;
  readonly outcome: Outcome | undefined;
  /** Whether the reader signed in with the admin token, and so may sign out. */
  readonly signedIn: boolean;
  /** Every form that changes something sends it. */
  readonly formToken: string;
  /** Undefined when the sandbox replays no scenarios. */
  readonly scenarios: ScenarioList | undefined;
  readonly auditor: Auditor;
  readonly audits: readonly KeptAudit[];
  readonly isAuditing: boolean;
  readonly switchedOff: readonly SwitchedOff[];
}

export interface DashboardPage {
  /** Below `/_sandbox/dashboard`: `/charges`, `/charges/:id`; empty for the first page, `/_sandbox` itself. */
  readonly path: string;
  /** Its heading, and its name in the navigation. */
  readonly title: string | ((view: View) => string);
  readonly lead?: string;
  /** What is below the heading. Throws UsageError("not-found") where there is nothing to show. */
  readonly render: (view: View) => Child | Promise<Child>;
}

type Place = Pick<View, "company" | "sandbox" | "root">;

/** A link to a page of the same company: `linkTo(view, "/charges", { status: "due" })`; `""` is the first page. */
export function linkTo(
  { company, sandbox, root }: Place,
  path: string,
  given: Readonly<Record<string, string | undefined>> = {},
): string {
  const isDefault = sandbox.defaultCompany === company;
  const parameters = new URLSearchParams(isDefault ? {} : { company: company.id });
  for (const [name, value] of Object.entries(given)) if (value !== undefined) parameters.set(name, value);
  const query = parameters.size === 0 ? "" : `?${String(parameters)}`;
  return root + (path === "" ? "/_sandbox" : DASHBOARD + path).slice(1) + query;
}

export function formUrl({ root, company }: Place, path: string): string {
  return `${root}${DASHBOARD.slice(1)}${path}?${String(new URLSearchParams({ company: company.id }))}`;
}

/** The relative path from a path of the sandbox to its root. */
export function rootOf(path: string): string {
  return "../".repeat(path.split("/").length - 2) || "./";
}

export function getOrNotFound<T>(found: T | undefined, what: string, id: string, more = ""): T {
  if (found !== undefined) return found;
  throw new UsageError("not-found", `This company has no ${what} ${quote(id)}.${more}`);
}
