import type { Child } from "hono/jsx";

export interface Column<Row> {
  /** Empty over buttons. */
  readonly title: string;
  readonly cell: (row: Row) => Child;
  /** `number` is aligned right; `wide` takes the remaining width. */
  readonly kind?: "number" | "wide";
}

interface DataTableProps<Row> {
  /** For screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly empty: Child;
  /** By which a row is recognized when the page is updated. */
  readonly idOf?: (row: Row) => string;
}

/** A table; on a narrow screen each row becomes a block. The explicit roles keep it a table in any layout. */
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

interface PartProps {
  readonly title: string;
  readonly note?: Child;
  readonly children?: Child;
}

/** A part of a page in a box. */
export function Panel({ title, note, children }: PartProps) {
  return (
    <section class="panel">
      <h2>
        {title} {note !== undefined && <span class="soft">{note}</span>}
      </h2>
      {children}
    </section>
  );
}

/** A part of a page without a box. */
export function Section({ title, note, children }: PartProps) {
  return (
    <section class="stack">
      <div class="row">
        <h2>{title}</h2>
        {note}
      </div>
      {children}
    </section>
  );
}

/** A name and its value, which may have several parts. False: no line. */
export type Fact = readonly [name: string, ...value: Child[]] | false;

/** Names and values, one pair a line. */
export function Facts({ of }: { readonly of: readonly Fact[] }) {
  return (
    <dl class="facts">
      {of.map(
        (fact) =>
          fact !== false && (
            <div>
              <dt>{fact[0]}</dt>
              <dd>{fact.slice(1)}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
