import type { JSX } from "hono/jsx/jsx-runtime";
import type { Company } from "../../../sandbox/company/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { type ExtraHeaders, respond } from "../../api/answer.js";
import { answerPage } from "../shared/answer-page.js";
import { ChargePage, NoticePage } from "./pages.js";
import type { Payment } from "./payment.js";
import type { Entered } from "./payment-form.js";
import type { Notice } from "./texts.js";
import type { CheckoutView } from "./view.js";

/** The form redirects to the merchant, and a merchant may redirect on to another host: Chromium checks every step against this list. */
const ANYWHERE = "'self' http: https:";

export function answerCharge(
  sandbox: Sandbox,
  view: CheckoutView,
  payment: Payment,
  entered: Entered,
  status = 200,
): Promise<Response> {
  return answer(sandbox, payment.company, view, status, ChargePage(view, payment, entered));
}

export function answerNotice(sandbox: Sandbox, view: CheckoutView, status: number, notice: Notice): Promise<Response> {
  return answer(sandbox, undefined, view, status, NoticePage(view, notice));
}

export function redirect(sandbox: Sandbox, company: Company, location: string): Response {
  const headers: ExtraHeaders = { location, "cache-control": "no-store" };
  return respond(sandbox, company, { status: 303, body: undefined, headers });
}

function answer(
  sandbox: Sandbox,
  company: Company | undefined,
  { language }: CheckoutView,
  status: number,
  page: JSX.Element,
): Promise<Response> {
  return answerPage(sandbox, company, {
    status,
    page,
    formAction: ANYWHERE,
    headers: {
      "content-language": language,
      vary: "accept-language",
      // A shop that opens the page in a new window asks that window whether it is closed.
      "cross-origin-opener-policy": "unsafe-none",
    },
  });
}
