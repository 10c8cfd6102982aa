import { note } from "./fields.js";
import { msisdn } from "../domain/values/fields.js";
import * as z from "zod";
import { CURRENCY, type Money, toXof } from "../domain/values/money.js";
import type { CustomerCheck } from "../domain/model/customer.js";
import { refuse } from "../domain/model/problem-codes.js";
import type { Profile } from "../domain/profile/profile.js";
import { jsonBytes } from "../kernel/messages/json.js";
import { isCursor, type ListRequest, type Page } from "../kernel/records/page.js";
import { parseRequest } from "./parse.js";
import { oncePerProfile } from "../domain/profile/track-profile.js";
import type { BalanceBody, CustomerCheckBody, PageBody } from "./resources.js";

export type Query = Readonly<Record<string, string>>;

export const customerCheckQuery = oncePerProfile((profile) =>
  z.object({
    msisdn: msisdn.meta(note("The customer's phone number.")),
    subCompanyId:
      profile.customers.subCompanyId === "refused"
        ? z.undefined({ error: "must be absent: this company has no sub companies" }).optional()
        : z.string().meta(note("Id of a sub company.", "customers.subCompanyId")).optional(),
  }),
);

/** A leading `+` may have been decoded to a space, because many clients forget to write it as `%2B`. */
export function parseCustomerCheck(profile: Profile, query: Query): { msisdn: string } {
  const { msisdn: number, ...others } = query;
  const given = number === undefined ? others : { msisdn: number.replace(/^ /, "+"), ...others };
  return parseRequest(customerCheckQuery(profile), given, "query");
}

export function renderCustomerCheck({ kycStatus, firstName, lastName }: CustomerCheck): CustomerCheckBody {
  return { kycStatus, firstName, lastName };
}

export function renderBalance(balance: Money): BalanceBody {
  return { balance: toXof(balance), currency: CURRENCY };
}

const cursorError = "must be the cursor.prev or cursor.next of an earlier answer";

/** The largest page that can be asked for. The contract: "Page size (15 in the example)". */
export const PAGE_LIMIT_MAX = 100;

/** The query of a list: how many items the page has, and where it begins. */
export function pagingFields(defaultLimit: number, maxLimit: number) {
  const error = `must be a whole number from 1 to ${maxLimit}`;
  return {
    limit: z
      .string()
      .regex(/^\d{1,6}$/, { error })
      .transform(Number)
      .refine((limit) => limit >= 1 && limit <= maxLimit, { error })
      .default(defaultLimit),
    cursor: z.string().refine(isCursor, { error: cursorError }).optional(),
  };
}

/** The contract: "Query parameters for paging: not shown." Their names are settings. */
export function parsePaging({ paging }: Profile, query: Query): Pick<ListRequest<never>, "limit" | "cursor"> {
  const { limit, cursor } = pagingFields(paging.limit, PAGE_LIMIT_MAX);
  const schema = z.object({ [paging.limitParameter]: limit, [paging.cursorParameter]: cursor });
  const parsed = parseRequest<Readonly<Record<string, number | string | undefined>>>(schema, query, "query");
  return { limit: Number(parsed[paging.limitParameter]), cursor: parsed[paging.cursorParameter]?.toString() };
}

export function renderPage<T, Body>(page: Page<T> | undefined, render: (row: T) => Body): PageBody<Body> {
  if (page === undefined) refuse("invalid_request", `cursor ${cursorError}`);
  return {
    count: page.rows.length,
    limit: page.limit,
    cursor: { prev: page.prev, next: page.next },
    data: page.rows.map(render),
  };
}

export const PAGE_BYTES_MAX = 2 * 1024 * 1024;

/**
 * The page that `find` gives for `limit` rows, or for fewer rows if the answer would exceed 2 MiB, since rendering many short values takes long. Its
 * cursors continue from the rows that it has. A row that is larger by itself has a page of its own. Rows that do not fit are not rendered.
 */
export function renderFittingPage<T, Body>(
  limit: number,
  find: (limit: number) => Page<T> | undefined,
  render: (row: T) => Body,
): PageBody<Body> {
  const bodies = new Map<T, Body>();
  const renderOnce = (row: T): Body => {
    const body = bodies.get(row) ?? render(row);
    bodies.set(row, body);
    return body;
  };
  for (let most = limit; ;) {
    const page = find(most);
    const fitting = page === undefined ? 0 : Math.max(1, countFitting(page, renderOnce));
    if (page === undefined || fitting >= page.rows.length) return { ...renderPage(page, renderOnce), limit };
    most = fitting;
  }
}

/** How many of the rows at the cursor fit on a page. */
function countFitting<T>({ rows, isBackwards }: Page<T>, render: (row: T) => unknown): number {
  let left = PAGE_BYTES_MAX;
  const over = (isBackwards ? rows.toReversed() : rows).findIndex((row) => (left -= jsonBytes(render(row), left)) < 0);
  return over === -1 ? rows.length : over;
}
