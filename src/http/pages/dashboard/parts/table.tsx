import type { Child } from "hono/jsx";

export interface Column<Row> {
  /** Empty over buttons. */
  readonly title: string;
  readonly cell: (row: Row) => Child;
  /** `number` stands at the right; `wide` takes what the others leave. */
  readonly kind?: "number" | "wide";
}

export interface DataTableProps<Row> {
  /** What it lists, for those who do not see it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Said when there is no row. */
  readonly empty: Child;
  /** By which a row is recognized when the page is brought up to date. */
  readonly idOf?: (row: Row) => string;
}

/** Rows under their headings; on a narrow screen each row is a block of its own. The roles stay those of a table however it is laid out. */
export function DataTable<Row>({ caption, columns, rows, empty, idOf }: DataTableProps<Row>) {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={caption}>
      <table class="data" role="table">
        <caption class="visually-hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, kind }) => (
              <th scope="col" role="columnheader" class={kind}>
                {title === "" ? <span class="visually-hidden">Actions</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr id={idOf?.(row)} role="row">
              {columns.map(({ title, cell, kind }) => (
                <td class={kind} role="cell" data-title={title}>
                  <div class="cell">{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Empty({ children }: { readonly children?: Child }) {
  return <p class="empty">{children}</p>;
}

/** A part of a page under a heading of its own. */
export function Panel({ title, children }: { readonly title: string; readonly children?: Child }) {
  return (
    <section class="panel">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Names and values, one pair a line. */
export function Facts({ of }: { readonly of: readonly (readonly [name: string, value: Child])[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
