import { listPage, type ListRequest } from "../../../../kernel/page.js";
import type { Row, Table } from "../../../../kernel/table.js";
import { linkTo, type View } from "../view/view.js";

/** Of a list, so many at a time. */
export const ROWS = 25;

export interface Listed<T> {
  readonly rows: readonly T[];
  readonly prev: string | null;
  readonly next: string | null;
}

/** The page of a table that `?cursor=` asks for. A cursor that is none, or of another list, begins anew. */
export function readList<T extends Row>(
  { query }: View,
  table: Pick<Table<T>, "page">,
  order: Pick<ListRequest<T>, "newestFirst" | "where"> & { readonly limit?: number } = {},
): Listed<T> {
  const request = { limit: ROWS, newestFirst: true, ...order };
  const page = listPage(table, { ...request, cursor: query["cursor"] }) ?? listPage(table, request);
  return { rows: page?.rows ?? [], prev: page?.prev ?? null, next: page?.next ?? null };
}

interface PagerProps {
  readonly view: View;
  /** The page's path below the dashboard. */
  readonly path: string;
  readonly list: Omit<Listed<never>, "rows">;
  /** What the list shows at its beginning; default: the newest. */
  readonly order?: "newest" | "oldest";
}

/** The ways to what stands before and after; nothing when everything is on one page. */
export function Pager({ view, path, list: { prev, next }, order = "newest" }: PagerProps) {
  if (prev === null && next === null) return <></>;
  const [before, after] = order === "newest" ? ["Newer", "Older"] : ["Older", "Newer"];
  const hrefOf = (cursor: string): string => linkTo(view, path, { ...view.query, cursor });
  return (
    <nav class="pager" aria-label="Pages of the list">
      {prev === null ? <span class="soft">← {before}</span> : <a href={hrefOf(prev)}>← {before}</a>}
      {next === null ? <span class="soft">{after} →</span> : <a href={hrefOf(next)}>{after} →</a>}
    </nav>
  );
}

interface FilterProps {
  readonly view: View;
  readonly path: string;
  /** The query parameter that it sets. */
  readonly name: string;
  readonly label: string;
  readonly values: readonly string[];
}

/** Links that narrow a list to one value of a parameter; the first shows all. */
export function Filter({ view, path, name, label, values }: FilterProps) {
  const { cursor: _, ...others } = view.query;
  const chosen = values.includes(others[name] ?? "") ? others[name] : undefined;
  const hrefOf = (value: string | undefined): string => linkTo(view, path, { ...others, [name]: value });
  return (
    <nav class="filter" aria-label={label}>
      {[undefined, ...values].map((value) => (
        <a href={hrefOf(value)} aria-current={value === chosen ? "true" : undefined}>
          {value?.replaceAll("_", " ") ?? "all"}
        </a>
      ))}
    </nav>
  );
}
