import type { JSX } from "hono/jsx/jsx-runtime";
import type { Company } from "../../../sandbox/company/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { type ExtraHeaders, respond } from "../../api/answer.js";

export interface PageAnswer {
  readonly status: number;
  readonly page: JSX.Element;
  /** Where the page's forms may lead, redirects included. Default: this sandbox only. */
  readonly formAction?: string;
  readonly headers?: ExtraHeaders;
}

/** A page for people, with strict headers: nothing inline, nothing from another host, not in a frame. */
export async function answerPage(
  sandbox: Sandbox,
  company: Company | undefined,
  { status, page, formAction = "'self'", headers }: PageAnswer,
): Promise<Response> {
  const text = `<!doctype html>${String(await page)}`;
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return respond(sandbox, company, {
    status,
    body: undefined,
    text,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      "x-content-type-options": "nosniff",
      // With `no-referrer` the page's own forms would have the origin `null`.
      "referrer-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "cache-control": "no-store",
      ...headers,
    },
  });
}
