import type { Child } from "hono/jsx";
import type { Row, Table } from "../../../../kernel/records/table.js";
import type { Company } from "../../../../sandbox/company/company.js";
import { type Listed, ROWS_READ_MAX, createMatcher, searchList } from "../view/search-list.js";
import { type DashboardPage, type View, linkTo } from "../view/view.js";
import { CommandLine } from "./action.js";
import { type Column, DataTable } from "./table.js";
import type { Query } from "../../../../contract/queries.js";

export const ROWS_SHOWN = 50;
/** The same where rows have several lines. */
export const TALL_ROWS_SHOWN = 25;

export interface ListSpec<T extends Row> {
  readonly path: string;
  readonly title: string;
  readonly lead?: string;
  readonly names: readonly [one: string, many: string];
  readonly table: (company: Company) => Pick<Table<T>, "page" | "size">;
  readonly columns: (view: View) => readonly Column<T>[];
  /** By which a row is recognized when the page is updated. Default: its id. */
  readonly idOf?: (row: T) => string;
  readonly filters?: readonly ListFilter<T>[];
  readonly search: ListSearch<T>;
  /** In the place of an empty list. */
  readonly hint: (view: View) => Child;
}

/** Narrows a list to the rows with one value. */
interface ListFilter<T> {
  readonly name: string;
  readonly label: string;
  readonly values: (company: Company) => readonly string[];
  readonly valueOf: (row: T, company: Company) => string | undefined;
}

interface ListSearch<T> {
  /** `id, externalId, phone number`. */
  readonly by: string;
  /** The row with exactly this id or reference, found without a search. */
  readonly exactly: (text: string, company: Company) => T | undefined;
  readonly texts: (row: T, company: Company) => readonly string[];
  readonly numbers?: (row: T) => readonly string[];
}

export function createListPage<T extends Row>(spec: ListSpec<T>): DashboardPage {
  return { ...spec, render: (view) => <List view={view} spec={spec} /> };
}

export function List<T extends Row>({ view, spec }: { readonly view: View; readonly spec: ListSpec<T> }) {
  const { path, title, names, filters = [], search } = spec;
  if (spec.table(view.company).size === 0) return <>{spec.hint(view)}</>;
  const list = readList(view.company, spec, view.query);
  const isFiltered = searchedFor(view.query) === undefined && filters[0]?.name === "status" && filters.length === 1;
  return (
    <>
      <div class="tools">
        {filters.length > 0 && (
          <div class="stack">
            {filters.map(({ name, label, values }) => (
              <Filter view={view} path={path} name={name} label={label} values={values(view.company)} />
            ))}
          </div>
        )}
        <Search view={view} path={path} by={search.by} />
      </div>
      <DataTable
        caption={title}
        rows={list.rows}
        idOf={spec.idOf ?? (({ id }) => id)}
        empty={isFiltered ? `No ${names[0]} has this status.` : `No ${names[0]} was found.`}
        columns={spec.columns(view)}
      />
      {list.isCut && <CutNote count={ROWS_READ_MAX} what={names[1]} />}
      <Pager view={view} path={path} list={list} />
    </>
  );
}

/** The page of a list that the address asks for with `?q=`, `?cursor=` and the parameters of filters; other values are ignored. */
export function readList<T extends Row>(
  company: Company,
  { table, filters = [], search }: Pick<ListSpec<T>, "table" | "filters" | "search">,
  query: Query,
): Listed<T> {
  const chosen = filters.filter(({ name, values }) => values(company).includes(query[name] ?? ""));
  const isIn = (row: T): boolean => chosen.every(({ name, valueOf }) => valueOf(row, company) === query[name]);
  const request = { limit: ROWS_SHOWN, cursor: query["cursor"] };
  const text = searchedFor(query);
  if (text === undefined)
    return searchList(table(company), { ...request, where: chosen.length > 0 ? isIn : undefined });
  const hit = search.exactly(text, company);
  const exact = hit !== undefined && isIn(hit) ? hit : undefined;
  const matches = createMatcher(text);
  const where = (row: T): boolean =>
    row.id !== exact?.id && isIn(row) && matches(search.texts(row, company), search.numbers?.(row));
  const found = searchList(table(company), { ...request, where });
  // The exact hit comes first, wherever it is in the list.
  return exact === undefined || found.prev !== null ? found : { ...found, rows: [exact, ...found.rows] };
}

export function searchedFor(query: Query): string | undefined {
  const text = query["q"]?.trim() ?? "";
  return text === "" ? undefined : text;
}

interface PagerProps {
  readonly view: View;
  readonly path: string;
  readonly list: Pick<Listed<never>, "prev" | "next">;
  readonly oldestFirst?: boolean;
}

/** Links to the pages before and after; nothing when there is one page. */
export function Pager({ view, path, list: { prev, next }, oldestFirst = false }: PagerProps) {
  if (prev === null && next === null) return <></>;
  const [before, after] = oldestFirst ? ["Older", "Newer"] : ["Newer", "Older"];
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
  readonly name: string;
  readonly label: string;
  readonly values: readonly string[];
}

/** Links that narrow a list to one value of a parameter; the first shows all. */
export function Filter({ view, path, name, label, values }: FilterProps) {
  const { cursor: _, ...others } = view.query;
  const chosen = values.includes(others[name] ?? "") ? others[name] : undefined;
  return (
    <nav class="filter" aria-label={label}>
      {[undefined, ...values].map((value) => (
        <a href={linkTo(view, path, { ...others, [name]: value })} aria-current={value === chosen ? "true" : undefined}>
          {value?.replaceAll("_", " ") ?? "all"}
        </a>
      ))}
    </nav>
  );
}

interface SearchProps {
  readonly view: View;
  readonly path: string;
  readonly by: string;
}

export function Search({ view, path, by }: SearchProps) {
  const { q: _q, cursor: _cursor, ...others } = view.query;
  const action = new URL(linkTo(view, path), view.here);
  const text = searchedFor(view.query);
  return (
    <form class="search" role="search" method="get" action={linkTo(view, path).split("?")[0]}>
      {[...action.searchParams, ...Object.entries(others)].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <label class="visually-hidden" for="q">
        Search by {by}
      </label>
      <input
        id="q"
        name="q"
        type="search"
        class="input"
        placeholder={`Search by ${by}`}
        value={text}
        autocomplete="off"
        spellcheck={false}
      />
      <button class="act quiet">Search</button>
      {text !== undefined && <a href={linkTo(view, path, others)}>Clear</a>}
    </form>
  );
}

export function CutNote({ count, what }: { readonly count: number; readonly what: string }) {
  return (
    <p class="soft" role="status">
      Looked at {count.toLocaleString("en").replaceAll(",", "\u202f")} {what}. <b>Older</b> looks further back.
    </p>
  );
}

interface HintProps {
  readonly children?: Child;
  /** What the command does. */
  readonly of: string;
  readonly line: string;
}

/** In the place of an empty list: what it would show, and a command that makes a first entry. */
export function Hint({ children, of, line }: HintProps) {
  return (
    <div class="hint">
      <p class="soft">{children}</p>
      <CommandLine line={line} of={of} />
    </div>
  );
}
