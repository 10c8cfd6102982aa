import type { Child } from "hono/jsx";
import type { Row, Table } from "../../../../kernel/records/table.js";
import type { Company } from "../../../../sandbox/company/company.js";
import { ROWS_READ_MAX, createMatcher, readList } from "../view/read-list.js";
import { type DashboardPage, type View, linkTo } from "../view/view.js";
import { type Column, DataTable, Empty } from "./show.js";
import { Make, type MakeSpec } from "./action.js";
import { showNumber } from "../../shared/show.js";
import type { Query } from "../../../../contract/queries.js";

interface ListSpec<T extends Row> {
  readonly path: string;
  readonly title: string;
  readonly lead?: string;
  readonly isAdmin?: true;
  readonly names: readonly [one: string, many: string];
  readonly table: (view: View) => Pick<Table<T>, "page" | "size">;
  readonly columns: (view: View) => readonly Column<T>[];
  /** The id by which a row is recognized when the page is updated. Default: the row's id. */
  readonly idOf?: (row: T) => string;
  readonly statuses?: readonly string[];
  readonly statusesOf?: (row: T) => readonly string[];
  readonly make?: (view: View) => MakeSpec;
  /** The fields that the search compares, as text: `id, externalId, phone number`. */
  readonly searchedBy: string;
  readonly textsOf: (row: T, company: Company) => readonly string[];
  /** Shown above the list, even above an empty one. */
  readonly above?: (view: View) => Child;
  readonly hint: string;
}

export function createListPage<T extends Row>(spec: ListSpec<T>): DashboardPage {
  return {
    ...spec,
    render: (view) => {
      const isEmpty = spec.table(view).size === 0;
      return (
        <>
          {spec.make && <Make view={view} isFirst={isEmpty} {...spec.make(view)} />}
          {spec.above?.(view)}
          {isEmpty ? <Empty>{spec.hint}</Empty> : renderList(view, spec)}
        </>
      );
    },
  };
}

/** How much of each text is searched: a description may have a megabyte, and a search reads thousands of rows. */
const SEARCHED_CHARACTERS_MAX = 1_000;

/** Renders the part of a list that the address asks for with `?q=`, `?before=` and `?status=`. Unknown values are ignored. */
function renderList<T extends Row>(view: View, spec: ListSpec<T>) {
  const { path, title, names, statuses = [], statusesOf } = spec;
  const { company, query } = view;
  const status = statuses.find((one) => one === query["status"]);
  const text = searchedFor(query);
  const matches = text === undefined ? undefined : createMatcher(text);
  const isWanted = (row: T): boolean =>
    (status === undefined || statusesOf?.(row).includes(status) === true) &&
    (matches?.(spec.textsOf(row, company).map((of) => of.slice(0, SEARCHED_CHARACTERS_MAX))) ?? true);
  const isAll = status === undefined && text === undefined;
  const { rows, older, isCut } = readList(spec.table(view), query["before"], isAll ? undefined : isWanted);
  return (
    <>
      <div class="tools">
        {statuses.length > 0 && renderFilter(view, path, "status", "Status", statuses)}
        {renderSearch(view, path, spec.searchedBy, text)}
      </div>
      <NewRows />
      <DataTable
        caption={title}
        isFeed
        rows={rows}
        idOf={spec.idOf ?? (({ id }) => id)}
        empty={`No ${names[0]} was found.`}
        columns={spec.columns(view)}
      />
      {isCut && <CutNote count={ROWS_READ_MAX} what={names[1]} />}
      {renderPager(view, path, older)}
    </>
  );
}

export function searchedFor(query: Query): string | undefined {
  const text = query["q"]?.trim() ?? "";
  return text === "" ? undefined : text;
}

/** Shown above a list that grows while it is read: the script shows how many new rows wait. */
export function NewRows() {
  return (
    <div class="newer">
      <button type="button" class="button" data-newer hidden />
    </div>
  );
}

/** Links to the first page and to the next, which begins at `older`. Renders nothing when there is only one page. */
export function renderPager(view: View, path: string, older: string | number | undefined) {
  const { before, ...others } = view.query;
  if (before === undefined && older === undefined) return undefined;
  const link = (label: string, query: Query | undefined) =>
    query === undefined ? <span class="soft">{label}</span> : <a href={linkTo(view, path, query)}>{label}</a>;
  return (
    <nav class="pager" aria-label="Pages of the list">
      {link("← Newest", before === undefined ? undefined : others)}
      {link("Older →", older === undefined ? undefined : { ...others, before: String(older) })}
    </nav>
  );
}

/** Links that narrow a list to one value of a parameter; the first link shows all. */
export function renderFilter(view: View, path: string, name: string, label: string, values: readonly string[]) {
  const { before: _, ...others } = view.query;
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

/** `path` is the page that shows the results; its filters are kept. `text` is the last search. */
export function renderSearch(view: View, path: string, by: string, text?: string, id = "q") {
  const { q: _, before: __, ...kept } = id === "q" ? view.query : {};
  return (
    <form class="search" role="search" aria-label={by} method="get" action={linkTo(view, path).split("?")[0]}>
      <KeptQuery view={view} query={kept} />
      <label class="visually-hidden" for={id}>
        Search by {by}
      </label>
      <input
        id={id}
        name="q"
        type="search"
        class="field"
        placeholder={`Search by ${by}`}
        value={text}
        autocomplete="off"
        spellcheck={false}
      />
      <button class="button quiet">Search</button>
      {text !== undefined && <a href={linkTo(view, path, kept)}>Clear</a>}
    </form>
  );
}

/** Hidden fields for the company and the parameters that a form with GET keeps. */
export function KeptQuery({ view, query }: { readonly view: View; readonly query: Query }) {
  const { searchParams } = new URL(linkTo(view, "", query), view.here);
  return (
    <>
      {[...searchParams].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

export function CutNote({ count, what }: { readonly count: number; readonly what: string }) {
  return (
    <p class="soft" role="status">
      Searched {showNumber(count)} {what}. <b>Older</b> searches further back.
    </p>
  );
}
