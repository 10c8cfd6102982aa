import type { View } from "./view.js";

/** One call of the control API, as an action makes it. */
export interface ControlOrder {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/_sandbox`. */
  readonly path: string;
  /** Undefined: no body. */
  readonly body?: unknown;
  /** It is about the sandbox, or names its company in the path. */
  readonly ofNoCompany?: true;
}

/** The same call as a command for a shell, for the company that the page is about. */
export function curlOf(
  { sandbox, company, here }: Pick<View, "sandbox" | "company" | "here">,
  order: ControlOrder,
): string {
  const { method, path, body, ofNoCompany } = order;
  const isDefault = ofNoCompany === true || sandbox.defaultCompany === company;
  const url = `${sandbox.options.publicUrl ?? here.origin}/_sandbox${path}${isDefault ? "" : `?company=${encodeURIComponent(company.id)}`}`;
  const words = ["curl"];
  // A certificate for this machine is seldom one that curl trusts.
  if (url.startsWith("https:") && sandbox.options.publicUrl === undefined) words.push("-k");
  // -d makes it a POST by itself.
  if (method !== "POST" || body === undefined) words.push("-X", method);
  words.push(isPlain(url) ? url : quoted(url));
  if (sandbox.options.adminToken !== undefined) words.push("-H", '"Authorization: Bearer $SANDBOX_ADMIN_TOKEN"');
  if (body !== undefined) words.push("-H", "'Content-Type: application/json'", "-d", quoted(JSON.stringify(body)));
  return words.join(" ");
}

function isPlain(text: string): boolean {
  return /^[\w:/.%-]+$/.test(text);
}

/** In single quotes a shell reads everything as it is, but for the quote itself. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
