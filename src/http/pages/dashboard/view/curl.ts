import type { View } from "./view.js";
import { usableToken } from "../../../../sandbox/state/company-record.js";

export interface ControlOrder {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/_sandbox`. */
  readonly path: string;
  readonly body?: unknown;
  /** The call is about the sandbox, or names its company in the path. */
  readonly ofNoCompany?: true;
}

type Place = Pick<View, "sandbox" | "company" | "here">;

/** The call as a command for a shell, for the company that the page shows. */
export function curlOf(place: Place, { method, path, body, ofNoCompany }: ControlOrder): string {
  const { sandbox, company } = place;
  const isDefault = ofNoCompany === true || sandbox.defaultCompany === company;
  const query = isDefault ? "" : `?company=${encodeURIComponent(company.id)}`;
  const token = sandbox.options.adminToken === undefined ? [] : ['"Authorization: Bearer $SANDBOX_ADMIN_TOKEN"'];
  return commandFor(place, method, `/_sandbox${path}${query}`, token, body);
}

/** A call of the API under test as a command that works: with the company's credentials. */
export function apiCurl(place: Place, method: "GET" | "POST", path: string, body?: unknown): string {
  const { identity } = place.company.record;
  const headers = [quoted(`Authorization: Bearer ${usableToken(identity)}`)];
  if (path === "/v1/charges" && method === "POST") headers.push(quoted(`X-Company-Id: ${identity.id}`));
  return commandFor(place, method, path, headers, body);
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
  const json = body === undefined ? [] : ["-H", "'Content-Type: application/json'", "-d", quoted(JSON.stringify(body))];
  return [
    "curl",
    // curl seldom trusts a certificate for this machine.
    ...(url.startsWith("https:") && publicUrl === undefined ? ["-k"] : []),
    // curl uses GET by default, and POST with -d.
    ...(method === "GET" || (method === "POST" && body !== undefined) ? [] : ["-X", method]),
    /^[\w:/.%-]+$/.test(url) ? url : quoted(url),
    ...headers.flatMap((header) => ["-H", header]),
    ...json,
  ].join(" ");
}

/** In single quotes a shell interprets only the quote itself. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
