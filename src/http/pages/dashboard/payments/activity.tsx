import type { Child } from "hono/jsx";
import { operationIds } from "../../../../contract/operations.js";
import { type Delivery, isFailing } from "../../../../domain/model/delivery.js";
import type { DomainEvent } from "../../../../domain/model/events.js";
import { shownTopic } from "../../../../domain/model/subscription.js";
import type { FindingKind } from "../../../../sandbox/findings/finding.js";
import { showMs } from "../../shared/show.js";
import { CommandLine, Field } from "../parts/action.js";
import { toneOfRequest } from "../parts/detail.js";
import { chargeLink, requestLine, transferLink, batchLink } from "../parts/links.js";
import { CutNote, KeptQuery, NewRows, renderFilter, renderPager, searchedFor } from "../parts/list.js";
import { Amount, Code, Pill, Status, Time, describeDistance, Empty, Lines } from "../parts/show.js";
import { apiCurl } from "../view/curl.js";
import { batchId, plainId, transactionId } from "../../../../domain/values/ids.js";
import { isMsisdn, msisdnKey } from "../../../../domain/values/msisdn.js";
import { redactAndTruncate, type DashboardPage, type View, formUrl, linkTo } from "../view/view.js";
import {
  type Change,
  type Changes,
  type TimelineItem,
  type TimelinePage,
  answerClasses,
  readTimeline,
  wantedItems,
} from "./timeline.js";
import { correlationIdOf } from "../../../../sandbox/activity-log.js";

const ITEMS_SHOWN = 40;

export const activityPage: DashboardPage = {
  path: "",
  title: "Activity",
  lead: "What has happened, newest first: each request with what it made, and the webhooks that followed.",
  render: (view) => {
    const { company, sandbox, query } = view;
    const { entries } = sandbox.observationOf(company.id).journal;
    const { before } = query;
    const isWanted = wantedItems(query, company.world);
    const timeline = readTimeline(company, entries, { limit: ITEMS_SHOWN, before, isWanted });
    const isNew = timeline.items.length === 0 && isWanted === undefined && before === undefined;
    return isNew ? renderNothing(view) : renderTimeline(view, timeline);
  },
};

function renderTimeline(view: View, timeline: TimelinePage) {
  const { items, older, isCut, read } = timeline;
  return (
    <>
      {renderFound(view)}
      <div class="tools">
        {renderFilter(view, "", "only", "Show", ["failing"])}
        {renderFilters(view)}
        <div class="actions">
          <button type="button" class="button quiet scripted-only" data-zone>
            UTC
          </button>
          <button type="button" class="button quiet scripted-only" data-pause aria-pressed="false">
            Pause
          </button>
          <a class="button quiet" href={formUrl(view, "/requests.har")} download>
            Download HAR
          </a>
        </div>
      </div>
      <NewRows />
      {items.length === 0 ? <Empty>Nothing was found.</Empty> : renderItems(view, items)}
      {isCut && <CutNote count={read} what="requests and changes" />}
      {renderPager(view, "", older)}
    </>
  );
}

/** Shows what has exactly the searched id, however old it is. */
function renderFound(view: View) {
  const { q: _, before: __, ...others } = view.query;
  const text = searchedFor(view.query);
  if (text === undefined) return undefined;
  const found = findById(view, text);
  return (
    <div class="panel found">
      <p>
        Searched for <b>{text}</b> <a href={linkTo(view, "", others)}>Clear</a>
      </p>
      <Lines
        of={found.map(({ what, path, query }) => (
          <a href={linkTo(view, path, query)}>{what}</a>
        ))}
      />
    </div>
  );
}

/** Something with the searched id, and the page that shows it. */
interface Found {
  readonly what: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** What has exactly this id, reference, phone number or correlation id, however old it is. For an event also what it is about (`isSubject`). */
function findById(view: View, text: string, isSubject = false): readonly Found[] {
  const { sandbox, company } = view;
  const { charges, transfers, batches, deliveries, subscriptions, customers, ledger, rules, events } = company.world;
  const { entries } = sandbox.observationOf(company.id).journal;
  const id = plainId(text);
  const charge =
    charges.get(text) ??
    charges.findBy("externalId", text) ??
    charges.values().find((one) => one.entries.some((entry) => entry.id === text));
  const transfer = transfers.get(id) ?? transfers.findBy("reference", text);
  const batch = batches.get(id);
  const delivery = deliveries.get(text) ?? deliveries.values().find(({ eventId }) => eventId === text);
  const customer = isMsisdn(text) ? customers.get(msisdnKey(text)) : undefined;
  const request =
    entries.get(text) ??
    (/^[\da-f]{32}$/.test(text) ? entries.values().find(({ answer }) => correlationIdOf(answer) === text) : undefined);
  const found: readonly (Found | undefined)[] = [
    charge && pageOf("Charge", "/charges", charge.id),
    transfer && pageOf("Transfer", "/transfers", transactionId(transfer.id)),
    batch && pageOf("Batch", "/batches", batchId(batch.id)),
    delivery && pageOf("Delivery", "/deliveries", delivery.id),
    subscriptions.get(text) && rowOf("Subscription", "/subscriptions", text),
    ledger.get(text) && rowOf("Ledger entry", "/ledger", text),
    rules.get(text) && { what: `Rule ${text}`, path: "/rules" },
    customer && rowOf("Customer", "/customers", customer.msisdn),
    request && pageOf("Request", "/requests", request.id),
  ];
  // In a state that somebody wrote, this id may be that of another event.
  const subject = isSubject ? text : (events.get(text)?.resource ?? text);
  return [...found.filter((one) => one !== undefined), ...(subject === text ? [] : findById(view, subject, true))];
}

const pageOf = (what: string, path: string, id: string): Found => ({ what: `${what} ${id}`, path: `${path}/${id}` });
const rowOf = (what: string, path: string, q: string): Found => ({ what: `${what} ${q}`, path, query: { q } });

function renderFilters(view: View) {
  const { operation = "", status = "", resource = "", before: _, ...others } = view.query;
  return (
    <form class="narrow" method="get" action={linkTo(view, "").split("?")[0]}>
      <KeptQuery view={view} query={others} />
      <Field name="operation" label="Operation" choices={choicesOf(operationIds)} value={operation} />
      <Field name="status" label="Answer" choices={choicesOf(answerClasses)} value={status} />
      <Field name="resource" label="Resource" value={resource} placeholder="id or reference" />
      <button class="button quiet">Filter</button>
    </form>
  );
}

function choicesOf(values: readonly string[]) {
  return [["", "all"], ...values.map((value) => [value, value] as const)] as const;
}

function renderNothing(view: View) {
  return (
    <div class="empty">
      <p>No request so far. Send one with your application, or with this command:</p>
      <CommandLine line={apiCurl(view, "GET", "/v1/balance")} of="Ask for the balance" />
    </div>
  );
}

function renderItems(view: View, items: readonly TimelineItem[]) {
  const found = findingsByRequest(view);
  return (
    <ol class="feed" id="feed" data-feed aria-label="What has happened, newest first">
      {items.map(({ entry, ...made }) =>
        entry === undefined ? (
          made.changes.map((change) => (
            <li id={change.event.id} class="quiet">
              {renderChange(view, change, true)}
            </li>
          ))
        ) : (
          <li id={entry.id} class={toneOfRequest(entry)}>
            {requestLine(view, entry, found.get(entry.id))}
            {made.changes.length > 0 && renderChanges(view, made)}
          </li>
        ),
      )}
    </ol>
  );
}

/** The newest finding about each request. */
function findingsByRequest({ sandbox, company }: View): ReadonlyMap<string, FindingKind> {
  const findings = sandbox.observationOf(company.id).findings.list();
  return new Map(findings.flatMap(({ kind, requests }) => requests.map(({ id }) => [id, kind] as const)));
}

export function renderChanges(view: View, { changes, isCut }: Changes) {
  return (
    <ul class="changes">
      {changes.map((change) => (
        <li id={`made-${change.event.id}`}>{renderChange(view, change)}</li>
      ))}
      {isCut && <li class="soft">and more</li>}
    </ul>
  );
}

/** `isAlone` means that no request made the change. */
function renderChange(view: View, { event, deliveries }: Change, isAlone = false) {
  return (
    <>
      <div class="line">
        {isAlone && [<span class="visually-hidden">Without a request: </span>, <Time at={event.at} exact />]}
        <span>{event.type.replaceAll(/[._]/g, " ")}</span>
        {subjectOf(view, event)}
        {event.silent === true && <Pill>silent number: no webhook</Pill>}
      </div>
      {deliveries.length > 0 && (
        <ul class="hooks">
          {deliveries.map((delivery) => (
            <li id={`hook-${delivery.id}`}>{renderDelivery(view, delivery)}</li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Shows the resource right after the change. */
function subjectOf(view: View, { type, subject }: DomainEvent): Child {
  const soft = (text: string | null | undefined): Child =>
    text != null && <span class="soft">{redactAndTruncate(view, text)}</span>;
  switch (subject.kind) {
    case "charge": {
      const { charge } = subject;
      const { amount, refunded, entries, droppedReason } = charge;
      return [
        chargeLink(view, charge),
        <Amount money={type.startsWith("charge.refunded") ? refunded : amount} />,
        soft(type === "charge.payment_failed" ? entries[0]?.error : droppedReason),
      ];
    }
    case "transaction": {
      const { amount, msisdn, failureReason } = subject.transaction;
      return [
        transferLink(view, subject.transaction),
        <Amount money={amount} />,
        <Code>{msisdn}</Code>,
        soft(failureReason),
      ];
    }
    case "batch":
      return [batchLink(view, subject.batch), soft(`of ${subject.batch.transactionIds.length}`)];
    case "subscription":
      return [
        <Code>{shownTopic(view.company.profile, subject.subscription)}</Code>,
        <Code>{redactAndTruncate(view, subject.subscription.url)}</Code>,
      ];
    case "account":
      return <Amount money={subject.balance} />;
  }
}

function renderDelivery(view: View, delivery: Delivery) {
  const { id, topic, url, status, attempts, nextAttemptAt, effect, copy } = delivery;
  const last = attempts.at(-1);
  return (
    <div class="line">
      <a href={linkTo(view, `/deliveries/${id}`)}>webhook {topic}</a>
      <Code>{redactAndTruncate(view, url)}</Code>
      {isFailing(delivery) ? <Pill tone="bad">failing</Pill> : <Status of={status} />}
      {last !== undefined && (
        <span class="soft">
          {last.error === null ? `answered ${last.status}` : redactAndTruncate(view, last.error)} in{" "}
          {showMs(last.latencyMs)}
          {attempts.length > 1 ? `, ${attempts.length} attempts` : ""}
        </span>
      )}
      {status === "pending" && attempts.length > 0 && nextAttemptAt !== null && (
        <span class="soft">again {describeDistance(nextAttemptAt, view.company.now())}</span>
      )}
      {effect !== null && <Pill tone="warn">changed by a rule</Pill>}
      {copy > 0 && <Pill tone="warn">sent again by a rule</Pill>}
      {status === "failed" && <Pill tone="warn">dropped by a rule</Pill>}
    </div>
  );
}
