import type { HttpContext } from "./env.js";

/** A browser asks for a page by name; a program that takes anything does not. */
export function wantsPage(c: HttpContext): boolean {
  const accepted = c.req.header("accept")?.split(",") ?? [];
  return accepted.some((type) => /^\s*text\/html\s*(?:;|$)/i.test(type));
}
