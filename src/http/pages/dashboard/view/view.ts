import type { Query } from "../../../../contract/queries.js";
import type { Redactor } from "../../../../sandbox/observation/redact.js";
import type { Sandbox } from "../../../../sandbox/sandbox.js";
import type { ScenarioReplayer } from "../../../control/behaviour-routes.js";
import type { Auditor } from "./auditor.js";
import type { KeptAudit } from "./audits.js";
import type { Outcome } from "./outcomes.js";
import type { SwitchedOff } from "./switched-off.js";
import type { Company } from "../../../../sandbox/company/company.js";

/** Where the dashboard's pages stand; `/_sandbox` itself is its first. */
export const DASHBOARD = "/_sandbox/dashboard";

/** What the pages of the audit show. */
export interface AuditDesk extends Pick<Auditor, "groups"> {
  /** Of the company, newest first. */
  readonly kept: readonly KeptAudit[];
  readonly isRunning: boolean;
}

export type ScenarioList = Pick<ScenarioReplayer, "list">;

/** What a page is made from: one company, in which everything that is due has happened, and what the address says. */
export interface View {
  readonly sandbox: Sandbox;
  readonly company: Company;
  /** What shows texts that clients sent takes their credentials out. */
  readonly redactor: Redactor;
  /** The way from the page to the sandbox's root, `../../`: a proxy may have put it anywhere. */
  readonly root: string;
  /** The address as it was asked for. */
  readonly here: URL;
  /** Its query without `company` and `outcome`. */
  readonly query: Query;
  /** The path's `:id`; empty where there is none. */
  readonly id: string;
  /** Of the action that led here. */
  readonly outcome: Outcome | undefined;
  /** Whether somebody signed in with the admin token, and so may sign out. */
  readonly signedIn: boolean;
  /** Every form that changes something sends it. */
  readonly formToken: string;
  /** Which stories lie ready; undefined when the sandbox replays none. */
  readonly scenarios: ScenarioList | undefined;
  /** Undefined when the sandbox audits no receivers. */
  readonly audits: AuditDesk | undefined;
  /** Rules of the company that were switched off here, newest first. */
  readonly switchedOff: readonly SwitchedOff[];
}

/** What a link needs to know of a page. */
type Place = Pick<View, "company" | "sandbox" | "root">;

type Parameters = Readonly<Record<string, string | undefined>>;

/** A link to a page of the same company: `linkTo(view, "/charges", { status: "due" })`; `""` is the first page. */
export function linkTo({ company, sandbox, root }: Place, path: string, given: Parameters = {}): string {
  const isDefault = sandbox.defaultCompany === company;
  const parameters = new URLSearchParams(isDefault ? {} : { company: company.id });
  for (const [name, value] of Object.entries(given)) if (value !== undefined) parameters.set(name, value);
  const query = parameters.size === 0 ? "" : `?${String(parameters)}`;
  return root + (path === "" ? "/_sandbox" : DASHBOARD + path).slice(1) + query;
}

/** From a path of the sandbox to its root. */
export function rootOf(path: string): string {
  return "../".repeat(path.split("/").length - 2) || "./";
}
