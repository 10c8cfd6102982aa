import type { HttpContext } from "../../shared/env.js";
import { type Language, languageOf } from "./language.js";
import { type Texts, textsIn } from "./texts.js";

/** What every page of the checkout needs to know of the request. */
export interface CheckoutView {
  readonly language: Language;
  readonly texts: Texts;
  /** The page's own address, from where it stands, with the language and the company that the request chose. */
  readonly linkTo: (more?: Readonly<Record<string, string>>) => string;
  /** Where its script asks how the charge stands. */
  readonly statusUrl: string;
}

/** The parameter of the page on which a customer waits for the result. */
export const WAITING = "waiting";

/** What of the query goes on to the next page. */
const KEPT = ["company", "lang"] as const;

export function viewOf(c: HttpContext): CheckoutView {
  const language = languageOf(c);
  const page = encodeURIComponent(c.req.param("chargeId") ?? "");
  const kept = KEPT.map((name) => [name, c.req.query(name)] as const);
  const linkTo = (path: string, more: Readonly<Record<string, string>>): string => {
    const query = new URLSearchParams(more);
    for (const [name, value] of kept) if (value !== undefined && !query.has(name)) query.set(name, value);
    return query.size === 0 ? path : `${path}?${query.toString()}`;
  };
  return {
    language,
    texts: textsIn[language],
    linkTo: (more = {}) => linkTo(page, more),
    statusUrl: linkTo(`${page}/status`, {}),
  };
}
