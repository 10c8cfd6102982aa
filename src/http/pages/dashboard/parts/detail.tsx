import type { Child } from "hono/jsx";
import {
  AttemptStatus,
  soft,
  Code,
  DeliveryStatus,
  Pill,
  Time,
  describeDistance,
  type Column,
  Empty,
  type Fact,
  Facts,
  Panel,
  TablePanel,
} from "./show.js";
import { effectOnBalance } from "../../../../domain/accounts/ledger.js";
import type { LedgerEntry } from "../../../../domain/model/account.js";
import type { Delivery } from "../../../../domain/model/delivery.js";
import type { Money } from "../../../../domain/values/money.js";
import type { Row } from "../../../../kernel/records/table.js";
import type { JournalEntry } from "../../../../sandbox/observation/journal.js";
import { showXof } from "../../shared/show.js";
import { redactAndTruncate, type DashboardPage, type View, linkTo } from "../view/view.js";
import { requestLine, resourceLink } from "./links.js";
import { plainId } from "../../../../domain/values/ids.js";
import { idInPath } from "../../../../sandbox/findings/detector.js";

/** How many related rows of each kind the page of a resource shows. */
export const RELATED_SHOWN = 25;

interface DetailSpec<T extends Row> {
  readonly path: string;
  readonly get: (view: View) => T;
  readonly title: (view: View, resource: T) => string;
  readonly terms: (view: View, resource: T) => readonly Fact[];
  readonly steering?: (view: View, resource: T) => Child;
  readonly parts?: (view: View, resource: T) => Child;
  /** A batch has neither deliveries nor ledger entries of its own. */
  readonly isBatch?: true;
}

export function createDetailPage<T extends Row>(spec: DetailSpec<T>): DashboardPage {
  const { path, get, title, terms, steering, parts, isBatch } = spec;
  return {
    path,
    title: (view) => title(view, get(view)),
    render: (view) => {
      const resource = get(view);
      const { ledger, deliveries } = view.company.world;
      return (
        <>
          <div class="panels">
            <Panel title="Details">
              <Facts of={terms(view, resource)} />
            </Panel>
            {steering && <Panel title="Actions">{steering(view, resource)}</Panel>}
          </div>
          {parts?.(view, resource)}
          {renderRequests(view, resource)}
          {isBatch !== true && (
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

/** The rows about a resource, oldest first. */
function rowsAbout<T extends { readonly resource: string | null }>(
  table: { values(): readonly T[] },
  { id }: Row,
): readonly T[] {
  return table.values().filter(({ resource }) => resource === id);
}

const NO_DELIVERY = "No webhook: no event so far, or no subscription to its topic.";
const NO_ENTRY = "No money has moved so far.";

/** Shows the newest of the rows, which are given oldest first. */
function renderRows<T extends Row>(caption: string, rows: readonly T[], columns: readonly Column<T>[], empty: string) {
  return (
    <TablePanel
      caption={caption}
      rows={rows.toReversed()}
      most={RELATED_SHOWN}
      idOf={({ id }) => id}
      empty={empty}
      columns={columns.filter((column) => column.title !== "Resource")}
    />
  );
}

/** Shows the requests that created the resource or name it in their path. */
function renderRequests(view: View, { id, seq }: Row) {
  const { entries } = view.sandbox.observationOf(view.company.id).journal;
  const where = (entry: JournalEntry): boolean => {
    const { created, operation, made } = entry;
    if (created.includes(id) || (operation === "createBatch" && made.from < seq && seq <= made.to)) return true;
    return plainId(idInPath(entry) ?? "") === id;
  };
  const { rows, more } = entries.page({ limit: RELATED_SHOWN, newestFirst: true, where });
  return (
    <Panel title="Requests">
      {rows.length === 0 ? (
        <Empty>No request was about it, or the journal no longer has it.</Empty>
      ) : (
        <ol class="feed">
          {rows.map((entry) => (
            <li id={entry.id} class={toneOfRequest(entry)}>
              {requestLine(view, entry)}
            </li>
          ))}
        </ol>
      )}
      {more && <p class="soft">Older ones are not shown here.</p>}
    </Panel>
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
    { title: "Resource", cell: ({ resource }) => resourceLink(view, resource) },
    {
      title: "Postings",
      kind: "wide",
      cell: ({ postings }) => postings.map(({ account, amount }) => `${account} ${showSigned(amount)}`).join(", "),
    },
    { title: "Change", kind: "number", cell: (entry) => showSigned(effectOnBalance(entry)) },
    { title: "Balance", kind: "number", cell: ({ balance }) => showXof(balance) },
  ];
}

/** An amount with its sign: `+10 000 XOF`, `−50,5 XOF`. */
function showSigned(money: Money): string {
  return (money > 0 ? "+" : "") + showXof(money);
}

export function deliveryColumns(view: View): readonly Column<Delivery>[] {
  return [
    { title: "Created", kind: "extra", cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: "Delivery",
      cell: ({ id, topic }) => (
        <a href={linkTo(view, `/deliveries/${id}`)} title={id}>
          {topic}
        </a>
      ),
    },
    { title: "Resource", cell: ({ resource }) => resourceLink(view, resource) },
    { title: "To", kind: "wide", cell: ({ url }) => <Code>{redactAndTruncate(view, url)}</Code> },
    {
      title: "Status",
      cell: (delivery) => (
        <>
          <DeliveryStatus of={delivery} />{" "}
          {delivery.status === "pending" &&
            delivery.nextAttemptAt !== null &&
            soft(`next ${describeDistance(delivery.nextAttemptAt, view.company.now())}`)}
        </>
      ),
    },
    {
      title: "Answered",
      cell: ({ attempts }) => {
        const last = attempts.at(-1);
        if (last === undefined) return <span class="soft">—</span>;
        // A failure status needs no further explanation.
        const why = last.status === null || last.status < 400 ? (last.error ?? "") : "";
        return (
          <span class="value">
            <AttemptStatus of={last} /> {attempts.length > 1 && <span class="soft">attempt {attempts.length}</span>}
            {redactAndTruncate(view, why)}
          </span>
        );
      },
    },
  ];
}
