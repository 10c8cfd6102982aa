import type { Child } from "hono/jsx";
import { UsageError } from "../../../../kernel/messages/problem.js";
import { quote, redactAndShorten } from "../../../../kernel/messages/text.js";
import type { Company } from "../../../../sandbox/company/company.js";
import type { Redactor } from "../../../../sandbox/observation/redact.js";
import type { Caller } from "../../../shared/caller.js";
import type { Sandbox } from "../../../../sandbox/sandbox.js";
import type { Auditor } from "../../../../audit/auditor.js";
import type { KeptAudit, Outcome } from "./memory.js";
import type { Query } from "../../../../contract/queries.js";

/** The path below which the dashboard's pages are, except for the first one, which is `/_sandbox`. */
export const DASHBOARD = "/_sandbox/dashboard";

/** The input of a page: a company after everything due has happened, and the request's address. */
export interface View {
  readonly sandbox: Sandbox;
  readonly company: Company;
  readonly caller: Caller;
  /** Removes credentials from texts that clients sent. */
  readonly redactor: Redactor;
  /** The relative path from the page to the sandbox's root, `../../`: behind a proxy the root may be anywhere. */
  readonly root: string;
  readonly here: URL;
  /** The query of the address, without `company` and `outcome`. */
  readonly query: Query;
  /** The path's `:id`, or empty. */
  readonly id: string;
  readonly outcome: Outcome | undefined;
  /** Whether the reader signed in with a token, and so can sign out. */
  readonly signedIn: boolean;
  /** The token that every form that changes something sends. */
  readonly formToken: string;
  readonly auditor: Auditor;
  readonly audit: KeptAudit | undefined;
  readonly differences: (() => readonly ServiceDifference[]) | undefined;
}

/** A difference between the real service and the sandbox. */
export interface ServiceDifference {
  /** An operation, or a topic. */
  readonly where: string;
  readonly what: string;
  readonly count: number;
  /** How many were compared. */
  readonly of: number;
  /** The first request or webhook that differs, such as `#3`. */
  readonly first: string;
}

export interface DashboardPage {
  /** The path below `/_sandbox/dashboard`, such as `/charges` or `/charges/:id`; empty for the first page, which is `/_sandbox` itself. */
  readonly path: string;
  /** The page's heading, and its name in the navigation. */
  readonly title: string | ((view: View) => string);
  readonly lead?: string;
  /** Whether only an administrator sees it. */
  readonly isAdmin?: true;
  /** Renders what is below the heading. Throws UsageError("not-found") when there is nothing to show. */
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
  for (const [name, value] of Object.entries(given)) if (value !== undefined) parameters.append(name, value);
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

/** The most characters of a text in a cell or a line. */
const LINE_MAX = 120;
/** The most characters of a text on the page of one thing. */
export const FACT_MAX = 2_000;
/** The most characters of a body. The control API shows all of it. */
export const TEXT_MAX = 64 * 1024;

/** Redacts and shortens a client's text: a description may have a megabyte, and a page lists many. */
export function redactAndTruncate({ redactor }: { readonly redactor: Redactor }, text: string, max = LINE_MAX): string {
  return redactAndShorten(text, max, redactor.text);
}

/** Truncates a body, and adds how much was cut off. */
export function truncateBody(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}\n… and ${text.length - TEXT_MAX} characters more` : text;
}

export function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}
