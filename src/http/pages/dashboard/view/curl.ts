import { quoteForShell } from "../../../../kernel/messages/text.js";
import { withOwnToken } from "../../../control/render-request.js";
import type { JournalEntry } from "../../../../sandbox/observation/journal.js";
import { redactPath } from "../../../../sandbox/observation/redact.js";
import type { Company } from "../../../../sandbox/company/company.js";
import type { View } from "./view.js";
import { usableToken } from "../../../../sandbox/state/company-record.js";

export interface ControlOrder {
  readonly method: string;
  /** The path below `/_sandbox`; for a call of the API under test, the whole path. */
  readonly path: string;
  readonly body?: unknown;
}

/** Whether this is a call of the API under test, which needs the company's credentials. */
export const isOfApi = ({ path }: ControlOrder): boolean => path.startsWith("/v1/");

/** Whether the call is about the sandbox rather than one company. */
export const isOfSandbox = ({ path }: ControlOrder): boolean => path === "/companies";

type Place = Pick<View, "sandbox" | "company" | "caller" | "here">;

/** The call as a shell command, for the company that the page shows. */
export function curlOf(place: Place, order: ControlOrder): string {
  const { method, path, body } = order;
  const { sandbox, company, caller } = place;
  if (isOfApi(order)) return apiCurl(place, method, path, body);
  const isDefault = isOfSandbox(order) || caller.tenant !== undefined || sandbox.defaultCompany === company;
  const query = isDefault ? "" : `?company=${encodeURIComponent(company.id)}`;
  const name = caller.tenant === undefined ? "SANDBOX_ADMIN_TOKEN" : "SANDBOX_ACCESS_TOKEN";
  const token = caller.token === undefined ? [] : [`"Authorization: Bearer $${name}"`];
  return commandFor(place, method, `/_sandbox${path}${query}`, token, body);
}

/** With an admin token, only the page Connect shows the access token. */
function ownToken({ sandbox, company }: Place): string {
  if (sandbox.options.adminToken !== undefined) return '"Authorization: Bearer $SANDBOX_ACCESS_TOKEN"';
  return quoteForShell(`Authorization: Bearer ${usableToken(company.record.identity)}`);
}

/** A call of the API under test as a command. */
export function apiCurl(place: Place, method: string, path: string, body?: unknown): string {
  const company = needsCompany(place.company, path) ? [quoteForShell(`X-Company-Id: ${place.company.id}`)] : [];
  return commandFor(place, method, path, [ownToken(place), ...company], body);
}

/** A request of the journal as a command that sends it again. */
export function requestCurl(view: View, entry: JournalEntry): string {
  const { headers, body, method } = entry;
  const own = withOwnToken(view.redactor, entry);
  const sent = [
    ...(headers["authorization"] === undefined ? [] : [ownToken(view)]),
    ...(headers["x-company-id"] === undefined
      ? []
      : [quoteForShell(`X-Company-Id: ${own.text(headers["x-company-id"])}`)]),
  ];
  return commandFor(view, method, redactPath(entry.path, own), sent, own.value(body));
}

/** The most characters of a body in a command. A longer body is read from a file. */
export const BODY_MAX = 8_000;

export function credentialsFor(company: Company, path: string): Readonly<Record<string, string>> {
  const { identity } = company.record;
  return {
    Authorization: `Bearer ${usableToken(identity)}`,
    ...(needsCompany(company, path) && { "X-Company-Id": identity.id }),
  };
}

function needsCompany({ profile }: Company, path: string): boolean {
  return path === "/v1/charges" || profile.auth.companyHeader === "everywhere";
}

function commandFor(
  { sandbox, here }: Place,
  method: string,
  path: string,
  headers: readonly string[],
  body: unknown,
): string {
  const { publicUrl } = sandbox.options;
  const url = (publicUrl ?? here.origin) + path;
  const text = JSON.stringify(body) ?? "";
  const data = text.length > BODY_MAX ? "@body.json" : quoteForShell(text);
  const json = body === undefined ? [] : ["-H", "'Content-Type: application/json'", "-d", data];
  return [
    "curl",
    // The certificate of a sandbox on this machine is seldom one that curl trusts.
    ...(url.startsWith("https:") && publicUrl === undefined ? ["-k"] : []),
    // curl uses GET by default, and POST with -d.
    ...(method === "GET" || (method === "POST" && body !== undefined) ? [] : ["-X", method]),
    /^[\w:/.%-]+$/.test(url) ? url : quoteForShell(url),
    ...headers.flatMap((header) => ["-H", header]),
    ...json,
  ].join(" ");
}
