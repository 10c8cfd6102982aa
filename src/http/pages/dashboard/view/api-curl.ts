import { quoted } from "./curl.js";
import type { View } from "./view.js";
import { usableToken } from "../../../../sandbox/state/company-record.js";

/** A call of the API under test, as a command for a shell: with the company's own credentials, so that it works as it is. */
export function apiCurl(
  { sandbox, company, here }: Pick<View, "sandbox" | "company" | "here">,
  method: "GET" | "POST",
  path: string,
  body?: unknown,
): string {
  const { publicUrl } = sandbox.options;
  const { identity } = company.record;
  const words = ["curl"];
  if (publicUrl === undefined && here.protocol === "https:") words.push("-k");
  if (method === "POST" && body === undefined) words.push("-X", method);
  words.push(quoted((publicUrl ?? here.origin) + path), "-H", quoted(`Authorization: Bearer ${usableToken(identity)}`));
  if (path === "/v1/charges" && method === "POST") words.push("-H", quoted(`X-Company-Id: ${identity.id}`));
  if (body !== undefined)
    words.push("-H", quoted("Content-Type: application/json"), "-d", quoted(JSON.stringify(body)));
  return words.join(" ");
}
