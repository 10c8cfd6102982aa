import { z } from "zod";
import { CURRENCY, type Money, toXof } from "../domain/accounts/money.js";
import type { CustomerCheck } from "../domain/customers/customer.js";
import { refuse } from "../domain/problem-codes.js";
import type { Profile } from "../domain/profile/profile.js";
import type { ListRequest, Page } from "../kernel/page.js";
import { msisdn } from "./fields.js";
import { parseRequest } from "./parse.js";
import type { BalanceBody, CustomerCheckBody, PageBody } from "./resources.js";

/** The query parameters of a request, each by its first value. */
export type Query = Readonly<Record<string, string>>;

export const customerCheckQuery: z.ZodType<{ msisdn: string; subCompanyId?: string | undefined }> = z.object({
  msisdn,
  subCompanyId: z.string().optional().meta({ description: "id of a sub company" }),
});

/** A `+` that was decoded to a space counts as `+`: many clients forget to write it `%2B`. */
export function parseCustomerCheck(profile: Profile, query: Query): { msisdn: string } {
  const input = parseRequest(customerCheckQuery, { ...query, ...(query.msisdn === undefined ? {} : { msisdn: query.msisdn.replace(/^ /, "+") }) }, "query");
  if (input.subCompanyId !== undefined && profile.customers.subCompanyId === "refused") {
    refuse("sub_company_refused", "subCompanyId is not accepted: this company has no sub companies");
  }
  return input;
}

export function renderCustomerCheck({ kycStatus, firstName, lastName }: CustomerCheck): CustomerCheckBody {
  return { kycStatus, firstName, lastName };
}

export function renderBalance(balance: Money): BalanceBody {
  return { balance: toXof(balance), currency: CURRENCY };
}

/** "Query parameters for paging: not shown." Here `limit` and `cursor`. */
export function parsePaging(query: Query, defaultLimit: number, maxLimit: number): Pick<ListRequest<never>, "limit" | "cursor"> {
  const { limit: text, cursor } = query;
  const limit = text === undefined ? defaultLimit : Number(text);
  if (text !== undefined && (!/^\d{1,6}$/.test(text) || limit < 1 || limit > maxLimit)) {
    refuse("invalid_request", `limit must be a whole number from 1 to ${maxLimit}, got ${JSON.stringify(text.slice(0, 40))}`);
  }
  return { limit, cursor };
}

export function renderPage<T, Body>(page: Page<T> | undefined, render: (row: T) => Body): PageBody<Body> {
  if (page === undefined) refuse("invalid_request", "cursor must be a cursor.prev or cursor.next of an earlier answer");
  return {
    count: page.rows.length,
    limit: page.limit,
    cursor: { prev: page.prev, next: page.next },
    data: page.rows.map(render),
  };
}
