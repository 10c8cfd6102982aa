import { accepts } from "hono/accepts";
import type { HttpContext } from "../../shared/env.js";

export const languages = ["en", "fr"] as const;
export type Language = (typeof languages)[number];

/** What the customer chose on the page, else what the browser prefers, else English. */
export function languageOf(c: HttpContext): Language {
  const chosen = languages.find((language) => language === c.req.query("lang"));
  if (chosen !== undefined) return chosen;
  const preferred = accepts(c, {
    header: "Accept-Language",
    supports: [...languages],
    default: "en",
    match: (accepted, { default: otherwise }) => {
      const wanted = accepted.filter(({ q }) => q > 0).sort((a, b) => b.q - a.q);
      return wanted.map(({ type }) => type.toLowerCase().split("-")[0] ?? "").find(isLanguage) ?? otherwise;
    },
  });
  return isLanguage(preferred) ? preferred : "en";
}

function isLanguage(text: string): text is Language {
  return languages.some((language) => language === text);
}
