import type { Child } from "hono/jsx";
import type { DomainEvent } from "../../../../domain/model/events.js";
import type { Instant } from "../../../../kernel/time/instant.js";
import { type Lifecycle, listTransitions } from "../../../../kernel/records/lifecycle.js";
import { Code, Pill, Status, Time } from "./show.js";
import { type Column, DataTable, Empty, type Fact, Facts, Panel, Section } from "./table.js";
import { effectOnBalance } from "../../../../domain/accounts/ledger.js";
import type { LedgerEntry } from "../../../../domain/model/account.js";
import type { Delivery } from "../../../../domain/model/delivery.js";
import type { Money } from "../../../../domain/values/money.js";
import type { Row } from "../../../../kernel/records/table.js";
import type { JournalEntry } from "../../../../sandbox/observation/journal.js";
import { showMoney } from "../../shared/show.js";
import { redactAndTruncate } from "../view/text.js";
import { type DashboardPage, type View, linkTo } from "../view/view.js";
import { RequestLine, ResourceLink } from "./links.js";
import { plainId } from "../../../../domain/values/ids.js";
import { idInPath } from "../../../../sandbox/observation/detector.js";

/** Rows of each kind on the page of the resource that they are about. */
export const RELATED_SHOWN = 25;

type Resource = Row & { readonly createdAt: Instant; readonly updatedAt?: Instant; readonly status: string };

interface DetailSpec<T extends Resource> {
  readonly path: string;
  readonly what: string;
  readonly get: (view: View) => T;
  readonly title: (view: View, resource: T) => string;
  readonly terms: (view: View, resource: T) => readonly Fact[];
  readonly metadata?: (view: View, resource: T) => Child;
  readonly steering?: (view: View, resource: T) => Child;
  readonly parts?: (view: View, resource: T) => Child;
  /** Its first status is that of a new resource. */
  readonly lifecycle: Lifecycle<string, string>;
  /** The status after an event of the resource; undefined if the event did not change it. */
  readonly statusIn: (event: DomainEvent) => string | undefined;
  /** Whether it has deliveries and ledger entries of its own. */
  readonly movesMoney: boolean;
}

/** The page of one charge, transfer or batch. */
export function createDetailPage<T extends Resource>(spec: DetailSpec<T>): DashboardPage {
  const { path, what, get, title, terms, metadata, steering, parts, lifecycle, statusIn, movesMoney } = spec;
  return {
    path,
    title: (view) => title(view, get(view)),
    render: (view) => {
      const resource = get(view);
      const { createdAt, updatedAt = null, status } = resource;
      const { events, ledger, deliveries } = view.company.world;
      const first = { status: Object.keys(lifecycle)[0] ?? status, at: createdAt };
      const visits = visitsOf(rowsAbout(events, resource), statusIn, first, { status, at: updatedAt });
      return (
        <>
          <div class="panels">
            <Panel title="Terms">
              <Facts of={terms(view, resource)} />
              {metadata?.(view, resource)}
            </Panel>
            {steering && <Panel title="Do">{steering(view, resource)}</Panel>}
          </div>
          {renderLifecycle(lifecycle, visits, what)}
          {parts?.(view, resource)}
          {renderRequests(view, resource)}
          {movesMoney && (
            <>
              {renderRows("Deliveries", rowsAbout(deliveries, resource), deliveryColumns(view), NO_DELIVERY)}
              {renderRows("Ledger entries", rowsAbout(ledger, resource), entryColumns(view), NO_ENTRY)}
            </>
          )}
        </>
      );
    },
  };
}

/** Oldest first. */
function rowsAbout<T extends { readonly resource: string | null }>(
  table: { values(): readonly T[] },
  { id }: Row,
): readonly T[] {
  return table.values().filter(({ resource }) => resource === id);
}

const NO_DELIVERY =
  "No webhook of it was owed to anybody: there was no event yet, or nobody had subscribed to its topic.";
const NO_ENTRY = "It has moved no money so far.";

/** The newest of the rows, which are oldest first. */
function renderRows<T extends Row>(title: string, rows: readonly T[], columns: readonly Column<T>[], empty: string) {
  return (
    <Section title={title}>
      <DataTable
        caption={title}
        rows={rows.slice(-RELATED_SHOWN).toReversed()}
        idOf={({ id }) => id}
        empty={empty}
        columns={columns.filter((column) => column.title !== "Of")}
      />
      {rows.length > RELATED_SHOWN && <p class="soft">And {rows.length - RELATED_SHOWN} older.</p>}
    </Section>
  );
}

/** Requests that created the resource or name it in their path. */
function renderRequests(view: View, { id, seq }: Row) {
  const { entries } = view.sandbox.observationOf(view.company.id).journal;
  const where = (entry: JournalEntry): boolean => {
    const { created, operation, made } = entry;
    if (created.includes(id) || (operation === "createBatch" && made.from < seq && seq <= made.to)) return true;
    return plainId(idInPath(entry) ?? "") === id;
  };
  const { rows, more } = entries.page({ limit: RELATED_SHOWN, newestFirst: true, where });
  return (
    <Section title="Requests">
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
      {more && <p class="soft">Older ones are not shown here.</p>}
    </Section>
  );
}

export function toneOfRequest({ status, fate, fault }: JournalEntry): string {
  if (fate === "lost" || fault !== undefined || status >= 500) return "bad";
  return status >= 400 ? "warn" : "good";
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

/** The postings of an entry add up to nothing. */
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
function Signed({ money }: { readonly money: Money }) {
  const [sign, kind] = money > 0 ? ["+", "plus"] : money < 0 ? ["\u2212", "minus"] : ["", ""];
  return <span class={`amount number ${kind}`}>{sign + showMoney(Math.abs(money))}</span>;
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
    { title: "To", kind: "wide", cell: ({ url }) => <Code>{redactAndTruncate(view, url)}</Code> },
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

/** The time at which something entered a status; null: unknown. */
interface Visit {
  readonly status: string;
  readonly at: Instant | null;
}

/**
 * The statuses that something had, in order, from its events. Old events are deleted, and fixtures have none, but how it began (`first`) and its present
 * status (`last`) are always known.
 */
function visitsOf(
  events: readonly DomainEvent[],
  statusOf: (event: DomainEvent) => string | undefined,
  first: Visit,
  last: Visit,
): readonly Visit[] {
  const reported = events.flatMap((event): Visit[] => {
    const status = statusOf(event);
    return status === undefined ? [] : [{ status, at: event.at }];
  });
  const begun = reported[0]?.status === first.status && reported[0].at === first.at ? reported : [first, ...reported];
  return begun.at(-1)?.status === last.status ? begun : [...begun, last];
}

/** Every status with the moves that lead on from it, those that were made marked; and the statuses so far. */
function renderLifecycle(lifecycle: Lifecycle<string, string>, visits: readonly Visit[], what: string) {
  const transitions = listTransitions(lifecycle);
  const now = visits.at(-1)?.status;
  const placeOf = (status: string): string => {
    if (status === now) return "now";
    return visits.some((visit) => visit.status === status) ? "passed" : "never";
  };
  return (
    <Panel title="Lifecycle">
      <ol class="lifecycle" aria-label={`The lifecycle of the ${what}`}>
        {Object.keys(lifecycle).map((from) => (
          <li class={`state ${placeOf(from)}`} aria-current={from === now ? "step" : undefined}>
            <b>{from.replaceAll("_", " ")}</b>
            <ul>
              {Object.keys(lifecycle).map((to) => {
                const actions = transitions.filter((move) => move.from === from && move.to === to);
                if (actions.length === 0) return undefined;
                const times = visits.filter(
                  ({ status }, at) => status === to && visits[at - 1]?.status === from,
                ).length;
                return (
                  <li class={times > 0 ? "move taken" : "move"}>
                    {actions.map(({ action }) => action).join(" · ")} → {to.replaceAll("_", " ")}
                    {times > 1 && ` × ${times}`}
                  </li>
                );
              })}
            </ul>
          </li>
        ))}
      </ol>
      <ol class="path" aria-label="The way so far">
        {visits.map(({ status, at }) => (
          <li>
            <Status of={status} />{" "}
            {at === null ? <span class="soft">at a time that was forgotten</span> : <Time at={at} />}
          </li>
        ))}
      </ol>
    </Panel>
  );
}
