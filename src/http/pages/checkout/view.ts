import { accepts } from "hono/accepts";
import { parseUrl } from "../../../kernel/messages/text.js";
import type { HttpContext } from "../../shared/env.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { type Language, type Texts, languages, textsIn } from "./texts.js";

export interface CheckoutView {
  readonly sandbox: Sandbox;
  readonly language: Language;
  readonly texts: Texts;
  /** The payer's number as it was typed. */
  readonly msisdn: string;
  /** The page's own address, relative to it, with the language, the company and the number of the request. */
  readonly linkTo: (more?: Readonly<Record<string, string>>) => string;
  /** Where the page's script asks for the state of the charge. */
  readonly statusUrl: string;
}

/** The parameter of the page on which a customer waits for the result. */
export const WAITING = "waiting";

/** The most characters of a typed number. */
export const TYPED_MAX = 40;

export function viewOf(c: HttpContext, sandbox: Sandbox, typed = c.req.query("msisdn") ?? ""): CheckoutView {
  const language = languageOf(c);
  const msisdn = typed.slice(0, TYPED_MAX);
  const page = encodeURIComponent(c.req.param("chargeId") ?? "");
  const { company, lang } = c.req.query();
  const linkTo = (path: string, parameters: Readonly<Record<string, string | undefined>>): string => {
    const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
  };
  return {
    sandbox,
    language,
    texts: textsIn[language],
    msisdn,
    linkTo: (more) => linkTo(page, { msisdn: msisdn || undefined, company, lang, ...more }),
    statusUrl: linkTo(`${page}/status`, { company }),
  };
}

/** The language that the customer chose on the page, else the one that the browser prefers, else English. */
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

/** A merchant's address in a form that a header can carry, unchanged if it is plain ASCII. Undefined when a browser should not be sent there. */
export function redirectionTo(address: string): string | undefined {
  const url = parseUrl(address);
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  return /^[\x21-\x7e]+$/.test(address) ? address : url.href;
}
