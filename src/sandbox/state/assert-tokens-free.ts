import { UsageError } from "../../kernel/problem.js";
import type { CompanySetup } from "./fixture.js";
import type { TokenBook } from "../token-book.js";

/** Before a company gets its initial access tokens back. Throws UsageError("state") when one of them has become another company's. */
export function assertTokensFree({ id, tokens }: CompanySetup, book: Pick<TokenBook, "holderOf">): void {
  const holder = tokens.map(({ token }) => book.holderOf(token)).find((found) => found !== undefined && found !== id);
  if (holder === undefined) return;
  const failed = `Failed to reset the company "${id}"`;
  const what = "Remove that company, or reset all.";
  throw new UsageError("state", `${failed}: the company "${holder}" has its initial access token now. ${what}`);
}
