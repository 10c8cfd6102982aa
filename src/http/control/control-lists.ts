import * as z from "zod";
import { renderPage } from "../../contract/queries.js";
import type { PageBody } from "../../contract/resources.js";
import { type ListRequest, listPage } from "../../kernel/page.js";
import type { Row, Table } from "../../kernel/table.js";
import { pagingFields } from "./control-fields.js";

/** The query of a list: `limit`, `cursor` and these filters. */
export function listQuery<const Shape extends z.core.$ZodLooseShape>(filters: Shape) {
  return z.object({ ...pagingFields, ...filters });
}

/** "Lists answer in the contract's page shape `{count, limit, cursor: {prev, next}, data: […]}`, `limit` up to 1000." */
export function listOf<T extends Row, Body>(
  table: Pick<Table<T>, "page">,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  order: Pick<ListRequest<T>, "newestFirst" | "where">,
  render: (row: T) => Body,
): PageBody<Body> {
  return renderPage(listPage(table, { limit, cursor, ...order }), render);
}
