import { said } from "../view/said.js";
import { effectOnBalance } from "../../../../domain/accounts/ledger.js";
import type { JournalEntry } from "../../../../sandbox/observation/journal.js";
import { showMoney } from "../../show.js";
import type { Some } from "../view/related.js";
import { type View, linkTo } from "../view/view.js";
import { ResourceLink } from "./links.js";
import { RequestLine } from "./request-line.js";
import { Code, Pill, Status, Time } from "./show.js";
import { type Column, DataTable, Empty } from "./table.js";
import type { LedgerEntry } from "../../../../domain/model/account.js";
import type { Money } from "../../../../domain/values/money.js";
import type { Delivery } from "../../../../domain/model/delivery.js";

interface Props<T> {
  readonly view: View;
  readonly some: Some<T>;
}

/** Requests about one resource, newest first. */
export function RequestsAbout({ view, some: { rows, older } }: Props<JournalEntry>) {
  return (
    <section class="stack">
      <h2>Requests</h2>
      {rows.length === 0 ? (
        <Empty>No request of the API was about it, or the journal has forgotten them.</Empty>
      ) : (
        <ol class="story">
          {rows.map((entry) => (
            <li id={entry.id} class={toneOfRequest(entry)}>
              <RequestLine view={view} entry={entry} />
            </li>
          ))}
        </ol>
      )}
      {older > 0 && <p class="soft">Older ones are not shown here.</p>}
    </section>
  );
}

/** The colour of a request's mark. */
export function toneOfRequest({ status, fate, fault }: JournalEntry): string {
  if (fate === "lost" || fault !== undefined || status >= 500) return "bad";
  return status >= 400 ? "warn" : "good";
}

/** Money that one resource moved, newest first. */
export function EntriesOf({ view, some: { rows, older } }: Props<LedgerEntry>) {
  return (
    <section class="stack">
      <h2>Ledger entries</h2>
      <DataTable
        caption="Ledger entries"
        rows={rows}
        idOf={({ id }) => id}
        empty="It has moved no money so far."
        columns={entryColumns(view).filter(({ title }) => title !== "Of")}
      />
      {older > 0 && <p class="soft">And {older} older.</p>}
    </section>
  );
}

export function entryColumns(view: View): readonly Column<LedgerEntry>[] {
  return [
    { title: "At", cell: ({ at }) => <Time at={at} /> },
    { title: "Entry", cell: ({ type }) => <Pill>{type.replaceAll(".", " ")}</Pill> },
    { title: "Of", cell: ({ resource }) => <ResourceLink view={view} id={resource} /> },
    { title: "Postings", kind: "wide", cell: ({ postings }) => <Postings of={postings} /> },
    { title: "Change", kind: "number", cell: (entry) => <Signed money={effectOnBalance(entry)} /> },
    { title: "Balance", kind: "number", cell: ({ balance }) => <span class="amount">{showMoney(balance)}</span> },
  ];
}

/** Every posting of an entry: together they make nothing. */
function Postings({ of }: { readonly of: LedgerEntry["postings"] }) {
  return (
    <span class="postings">
      {of.map(({ account, amount }) => (
        <>
          <span>{account}</span>
          <Signed money={amount} />
        </>
      ))}
    </span>
  );
}

/** With its sign: `+10 000 F CFA`, `−50,5 F CFA`. */
export function Signed({ money }: { readonly money: Money }) {
  const sign = money > 0 ? "+" : money < 0 ? "\u2212" : "";
  const kind = money > 0 ? "plus" : money < 0 ? "minus" : "";
  return <span class={`amount number ${kind}`}>{sign + showMoney(Math.abs(money))}</span>;
}

/** Webhooks about one resource, newest first. */
export function DeliveriesOf({ view, some: { rows, older } }: Props<Delivery>) {
  return (
    <section class="stack">
      <h2>Deliveries</h2>
      <DataTable
        caption="Deliveries"
        rows={rows}
        idOf={({ id }) => id}
        empty="No webhook of it was owed to anybody: there was no event yet, or nobody had subscribed to its topic."
        columns={deliveryColumns(view).filter(({ title }) => title !== "Of")}
      />
      {older > 0 && <p class="soft">And {older} older.</p>}
    </section>
  );
}

export function deliveryColumns(view: View): readonly Column<Delivery>[] {
  return [
    { title: "Owed at", cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: "Delivery",
      cell: ({ id, topic }) => (
        <a href={linkTo(view, `/deliveries/${id}`)} title={id}>
          {topic}
        </a>
      ),
    },
    { title: "Of", cell: ({ resource }) => <ResourceLink view={view} id={resource} /> },
    { title: "To", kind: "wide", cell: ({ url }) => <Code>{said(view, url)}</Code> },
    { title: "Status", cell: (delivery) => <Status of={delivery.status} /> },
    {
      title: "Answered",
      cell: ({ attempts }) => {
        const last = attempts.at(-1);
        if (last === undefined) return <span class="soft">—</span>;
        return (
          <>
            {last.status === null ? <Pill tone="bad">none</Pill> : <Status of={last.status} />}
            {attempts.length > 1 && <span class="soft"> {attempts.length} times</span>}
          </>
        );
      },
    },
  ];
}
