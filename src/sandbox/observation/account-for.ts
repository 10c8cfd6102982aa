import type { Company } from "../company/company.js";
import type { Exchange } from "../company/exchange.js";

export interface Companies {
  readonly companies: readonly Company[];
  /** There is one when there is any company. */
  readonly defaultCompany: Company;
  findCompany(id: string): Company | undefined;
}

/** "A request with an unknown token is counted to the company of its `X-Company-Id`, else to the first." Undefined when there is no company left. */
export function accountFor({ company, headers }: Exchange, among: Companies): string | undefined {
  if (company !== undefined) return company.id;
  const named = headers["x-company-id"];
  const found = named === undefined ? undefined : among.findCompany(named);
  if (found !== undefined) return found.id;
  return among.companies.length === 0 ? undefined : among.defaultCompany.id;
}
