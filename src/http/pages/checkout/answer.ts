import type { JSX } from "hono/jsx/jsx-runtime";
import type { Company } from "../../../sandbox/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { type ExtraHeaders, respond } from "../../api/answer.js";
import { answerPage } from "../answer-page.js";
import { ChargePage, NoticePage } from "./pages.js";
import type { Entered } from "./payment-form.js";
import type { Standing } from "./standing.js";
import type { Notice } from "./texts.js";
import type { CheckoutView } from "./view.js";

/**
 * Where the form may lead. It leads to the merchant, and a merchant's page may well lead on to another of its hosts: Chromium holds the whole way against this
 * list and would stop there without a word that a customer sees.
 */
const ANYWHERE = "'self' http: https:";

/** The charge as it stands. */
export function answerCharge(
  sandbox: Sandbox,
  view: CheckoutView,
  standing: Standing,
  entered: Entered,
  status = 200,
): Promise<Response> {
  return answer(sandbox, standing.company, view, status, ChargePage(view, standing, entered));
}

/** What there is to say where there is no charge to show. */
export function answerNotice(
  sandbox: Sandbox,
  view: CheckoutView,
  status: number,
  notice: Notice,
  headers: ExtraHeaders = {},
): Promise<Response> {
  return answer(sandbox, undefined, view, status, NoticePage(view, notice), headers);
}

/** On to another address by GET. */
export function redirect(sandbox: Sandbox, company: Company, location: string): Response {
  return respond(sandbox, company, {
    status: 303,
    body: undefined,
    headers: { location, "cache-control": "no-store" },
  });
}

function answer(
  sandbox: Sandbox,
  company: Company | undefined,
  { language }: CheckoutView,
  status: number,
  page: JSX.Element,
  headers: ExtraHeaders = {},
): Promise<Response> {
  return answerPage(sandbox, company, {
    status,
    page,
    formAction: ANYWHERE,
    headers: {
      ...headers,
      "content-language": language,
      vary: "accept-language",
      // A shop that opens the page in a window of its own asks that window whether it is closed.
      "cross-origin-opener-policy": "unsafe-none",
    },
  });
}
