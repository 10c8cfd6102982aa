import { parseUrl } from "../../../kernel/messages/text.js";
import type { HttpContext } from "../../shared/env.js";
import { DASHBOARD, rootOf } from "./view/view.js";

/** Redirects to an address of this sandbox, relative to the address of the request. */
export function redirectTo(c: HttpContext, address: string): Response {
  return c.redirect(rootOf(c.req.path) + address.slice(1), 303);
}

/** The page of the dashboard to return to, as a form names it; otherwise the first page. */
export function backOf(given: string = ""): string {
  const url = parseUrl(given, NOWHERE);
  const isOurs = url?.origin === NOWHERE && (url.pathname === "/_sandbox" || url.pathname.startsWith(`${DASHBOARD}/`));
  return isOurs ? url.pathname + url.search : "/_sandbox";
}

const NOWHERE = "http://sandbox.invalid";
