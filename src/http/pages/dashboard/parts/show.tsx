import type { Child } from "hono/jsx";
import type { Money } from "../../../../domain/values/money.js";
import { type Attempt, type Delivery, isFailing } from "../../../../domain/model/delivery.js";
import { formatDuration } from "../../../../kernel/time/duration.js";
import { type Instant, toIso } from "../../../../kernel/time/instant.js";
import { showInstant, showXof } from "../../shared/show.js";

/** An instant of the company's clock; with milliseconds and the zone if `exact`. */
export function Time({ at, exact = false }: { readonly at: Instant; readonly exact?: boolean }) {
  return (
    <time class="time" datetime={toIso(at)} title={toIso(at)} data-exact={exact ? "" : undefined}>
      {exact ? toIso(at).replace("T", " ") : showInstant(at)}
    </time>
  );
}

/** The distance from the company's now: `in 4m`, `2h ago`, `now`. Rounded to seconds, beyond an hour to minutes. */
export function describeDistance(at: Instant, now: Instant): string {
  const far = Math.abs(at - now);
  const unit = far < 3_600_000 ? 1_000 : 60_000;
  const rounded = Math.round(far / unit) * unit;
  if (rounded === 0) return "now";
  return at > now ? `in ${formatDuration(rounded)}` : `${formatDuration(rounded)} ago`;
}

export function Amount({ money }: { readonly money: Money }) {
  return <span class="amount">{showXof(money)}</span>;
}

export function soft(text: string): Child {
  return <span class="soft">{text}</span>;
}

/** An id, a path, or the name of a field. */
export function Code({ children }: { readonly children?: Child }) {
  return <code class="code">{children}</code>;
}

export function CodeLink({ href, text }: { readonly href: string; readonly text: string }) {
  return (
    <a href={href}>
      <Code>{text}</Code>
    </a>
  );
}

export type Tone = "good" | "bad" | "warn" | "info" | "plain";

/** A state as a small label. The colour only repeats the word. */
export function Pill({ tone = "plain", children }: { readonly tone?: Tone; readonly children?: Child }) {
  return <span class={`pill ${tone}`}>{children}</span>;
}

/** The pill of a resource's status or of an HTTP status; null and 0 mean that no answer came. */
export function Status({ of }: { readonly of: string | number | null }) {
  if (of === null || of === 0) return <Pill tone="bad">no answer</Pill>;
  return <Pill tone={toneOf(of)}>{String(of).replaceAll("_", " ")}</Pill>;
}

/** A delivery that its receiver has not accepted counts as failing, whether or not another attempt follows. */
export function DeliveryStatus({ of: delivery }: { readonly of: Pick<Delivery, "status" | "attempts"> }) {
  if (delivery.status === "pending" && isFailing(delivery)) return <Pill tone="bad">failing</Pill>;
  return <Status of={delivery.status} />;
}

/** Only 2xx is success: a redirect is a failure too. */
export function AttemptStatus({ of: { status, error } }: { readonly of: Pick<Attempt, "status" | "error"> }) {
  return <Pill tone={error === null ? "good" : "bad"}>{status ?? "no answer"}</Pill>;
}

function toneOf(status: string | number): Tone {
  if (typeof status === "string") return tones.find((tone) => statuses[tone].includes(status)) ?? "plain";
  if (status >= 500) return "bad";
  return status >= 400 ? "warn" : "good";
}

const tones = ["good", "bad", "warn", "info"] as const;

/** Clients may make up other states, for example of `kycStatus`. */
const statuses: Readonly<Record<(typeof tones)[number], readonly string[]>> = {
  good: ["paid", "completed", "succeeded", "complete", "pass", "running"],
  bad: ["failed", "fail", "exhausted", "error", "critical"],
  warn: ["dropped", "warn", "cancelled", "lost", "incomplete", "high", "skipped"],
  info: ["due", "created", "pending", "processing", "frozen"],
};

/** Preformatted text such as a body or headers. It can be scrolled with the keyboard. */
export function Text({ label, children }: { readonly label: string; readonly children?: Child }) {
  return (
    <pre class="text" tabindex={0} role="region" aria-label={label}>
      {children}
    </pre>
  );
}

/** A sentence that may have code between backticks. */
export function Sentence({ text }: { readonly text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 === 1 ? <Code>{part}</Code> : part))}</>;
}

export interface Column<Row> {
  /** Empty for a column of buttons. */
  readonly title: string;
  readonly cell: (row: Row) => Child;
  /** `number` is aligned right; `wide` takes the remaining width; `extra` is left out on narrow screens. */
  readonly kind?: "number" | "wide" | "extra";
}

interface DataTableProps<Row> {
  /** For screen readers. In a panel it is also the heading. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly empty: Child;
  /** The id by which a row is recognized when the page is updated. */
  readonly idOf?: (row: Row) => string;
  /** Whether new rows may come while the table is read. */
  readonly isFeed?: boolean;
}

/** A table. On a narrow screen each row becomes a block; the explicit roles keep it a table for screen readers. */
export function DataTable<Row>({ caption, columns, rows, empty, idOf, isFeed }: DataTableProps<Row>) {
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return (
    <div
      class="scroll"
      id={isFeed === true ? "feed" : undefined}
      data-feed={isFeed}
      tabindex={0}
      role="region"
      aria-label={caption}
    >
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

interface TablePanelProps<Row> extends DataTableProps<Row>, Omit<PanelProps, "title"> {
  /** How many rows are shown at most. The number of further ones is shown below them. */
  readonly most?: number;
}

/** A table in a panel of its own; `children` follow the table. */
export function TablePanel<Row>({ note, children, most = Infinity, rows, ...table }: TablePanelProps<Row>) {
  return (
    <Panel title={table.caption} note={note}>
      <DataTable {...table} rows={rows.slice(0, most)} />
      {rows.length > most && <p class="soft">And {rows.length - most} more.</p>}
      {children}
    </Panel>
  );
}

export function Empty({ children }: { readonly children?: Child }) {
  return <p class="empty">{children}</p>;
}

interface PanelProps {
  readonly title: string;
  readonly note?: Child;
  readonly children?: Child;
}

export function Panel({ title, note, children }: PanelProps) {
  return (
    <section class="panel">
      <div class="row">
        <h2>{title}</h2>
        {note}
      </div>
      {children}
    </section>
  );
}

/** A name and its value, which may have several parts. False renders nothing. */
export type Fact = readonly [name: Child, ...value: Child[]] | false;

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

/** A list with a line for each item; nothing without items. */
export function Lines({ of }: { readonly of: readonly Child[] }) {
  if (of.length === 0) return <></>;
  return (
    <ul class="lines">
      {of.map((line) => (
        <li>{line}</li>
      ))}
    </ul>
  );
}
