import { accepts } from "hono/accepts";
import { parseUrl } from "../../../kernel/messages/text.js";
import type { HttpContext } from "../../shared/env.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { type Language, type Texts, languages, textsIn } from "./texts.js";

export interface CheckoutView {
  readonly sandbox: Sandbox;
  readonly language: Language;
  readonly texts: Texts;
  /** The page's own address, relative to it, with the language and the company that the request chose. */
  readonly linkTo: (more?: Readonly<Record<string, string>>) => string;
  /** The page's script asks it for the state of the charge. */
  readonly statusUrl: string;
}

/** The parameter of the page on which a customer waits for the result. */
export const WAITING = "waiting";

const KEPT = ["company", "lang"] as const;

export function viewOf(c: HttpContext, sandbox: Sandbox): CheckoutView {
  const language = languageOf(c);
  const page = encodeURIComponent(c.req.param("chargeId") ?? "");
  const kept = KEPT.map((name) => [name, c.req.query(name)] as const);
  const linkTo = (path: string, more: Readonly<Record<string, string>>): string => {
    const query = new URLSearchParams(more);
    for (const [name, value] of kept) if (value !== undefined && !query.has(name)) query.set(name, value);
    return query.size === 0 ? path : `${path}?${query.toString()}`;
  };
  return {
    sandbox,
    language,
    texts: textsIn[language],
    linkTo: (more = {}) => linkTo(page, more),
    statusUrl: linkTo(`${page}/status`, {}),
  };
}

/** What the customer chose on the page, else what the browser prefers, else English. */
function languageOf(c: HttpContext): Language {
  const find = (text: string | undefined): Language | undefined => languages.find((language) => language === text);
  const match: Parameters<typeof accepts>[1]["match"] = (accepted) => {
    const wanted = accepted.filter(({ q }) => q > 0).sort((a, b) => b.q - a.q);
    return (
      wanted.map(({ type }) => find(type.toLowerCase().split("-")[0])).find((known) => known !== undefined) ?? "en"
    );
  };
  const preferred = accepts(c, { header: "Accept-Language", supports: [...languages], default: "en", match });
  return find(c.req.query("lang")) ?? find(preferred) ?? "en";
}

/** A merchant's address as a header can carry it, unchanged if it is plain ASCII. Undefined when a browser should not be sent there. */
export function redirectionTo(address: string): string | undefined {
  const url = parseUrl(address);
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  return /^[\x21-\x7e]+$/.test(address) ? address : url.href;
}
