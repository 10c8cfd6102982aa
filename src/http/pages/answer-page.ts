import type { JSX } from "hono/jsx/jsx-runtime";
import type { Company } from "../../sandbox/company/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { type ExtraHeaders, respond } from "../api/answer.js";

export interface PageAnswer {
  readonly status: number;
  /** The whole document, a `<Layout>`. */
  readonly page: JSX.Element;
  /** Where its forms may lead, the redirects of their answers included; default: this sandbox alone. */
  readonly formAction?: string;
  readonly headers?: ExtraHeaders;
}

/** A page for people, with the headers that keep it apart from every other: nothing inline, nothing from another host, in nobody's frame. */
export async function answerPage(
  sandbox: Sandbox,
  company: Company | undefined,
  { status, page, formAction = "'self'", headers }: PageAnswer,
): Promise<Response> {
  const text = `<!doctype html>${String(await page)}`;
  return respond(sandbox, company, {
    status,
    body: undefined,
    text,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policyFor(formAction),
      "x-content-type-options": "nosniff",
      // Not `no-referrer`: under it the page's own forms would come from the origin `null`.
      "referrer-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "cache-control": "no-store",
      ...headers,
    },
  });
}

function policyFor(formAction: string): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
