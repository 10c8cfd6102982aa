import type { Child } from "hono/jsx";
import type { FindingKind } from "../../../../sandbox/observation/finding.js";
import { type View, linkTo } from "../view/view.js";
import type { Change, Changes, TimelineItem } from "./timeline.js";
import { ChargeLink, RequestLine, TransferLink, batchUrl } from "../parts/links.js";
import { toneOfRequest } from "../parts/detail.js";
import { Amount, Code, Pill, Status, Time, describeDistance } from "../parts/show.js";
import type { Delivery } from "../../../../domain/model/delivery.js";
import type { DomainEvent, EventType } from "../../../../domain/model/events.js";
import { shownTopic } from "../../../../domain/model/subscription.js";
import { redactAndTruncate } from "../view/text.js";

export function TimelineItems({ view, items }: { readonly view: View; readonly items: readonly TimelineItem[] }) {
  const found = findingsByRequest(view);
  return (
    <ol class="story" aria-label="What has happened, newest first">
      {items.map((item) =>
        item.kind === "request" ? (
          <li id={item.entry.id} class={toneOfRequest(item.entry)}>
            <RequestLine view={view} entry={item.entry} finding={found.get(item.entry.id)} />
            {item.changes.length > 0 && renderChanges(view, item)}
          </li>
        ) : (
          <li id={item.change.event.id} class="quiet">
            {renderChange(view, item.change, true)}
          </li>
        ),
      )}
    </ol>
  );
}

/** The newest finding that names it. */
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

/** `isAlone`: no request made it. */
function renderChange(view: View, { event, deliveries, isCut }: Change, isAlone = false) {
  return (
    <>
      <div class="line">
        {isAlone && [<span class="visually-hidden">Without a request: </span>, <Time at={event.at} />]}
        <span class="word">{words[event.type]}</span>
        {subjectOf(view, event)}
        {event.silent === true && <Pill>silent number: no webhook</Pill>}
      </div>
      {deliveries.length > 0 && (
        <ul class="hooks">
          {deliveries.map((delivery) => (
            <li id={`hook-${delivery.id}`}>{renderDelivery(view, delivery)}</li>
          ))}
          {isCut && <li class="soft">and more</li>}
        </ul>
      )}
    </>
  );
}

const words: Readonly<Record<EventType, string>> = {
  "charge.created": "charge created",
  "charge.paid": "charge paid",
  "charge.payment_failed": "payment failed",
  "charge.payment_lost": "payment came too late",
  "charge.payment_cancelled": "customer cancelled",
  "charge.dropped": "charge dropped",
  "charge.refunded": "charge refunded",
  "charge.refunded_partially": "charge refunded in part",
  "transaction.started": "transfer started",
  "transaction.completed": "transfer completed",
  "transaction.failed": "transfer failed",
  "batch.created": "batch created",
  "batch.completed": "batch finished",
  "subscription.created": "subscription made",
  "subscription.deleted": "subscription deleted",
  "balance.adjusted": "balance set",
};

/** The resource right after the change. */
function subjectOf(view: View, { type, subject }: DomainEvent): Child {
  const soft = (text: string | null | undefined): Child =>
    text != null && <span class="soft">{redactAndTruncate(view, text)}</span>;
  switch (subject.kind) {
    case "charge": {
      const { charge } = subject;
      const { amount, refunded, entries, droppedReason } = charge;
      return [
        <ChargeLink view={view} charge={charge} />,
        <Amount money={type.startsWith("charge.refunded") ? refunded : amount} />,
        soft(type === "charge.payment_failed" ? entries[0]?.error : droppedReason),
      ];
    }
    case "transaction": {
      const { amount, msisdn, failureReason } = subject.transaction;
      return [
        <TransferLink view={view} transfer={subject.transaction} />,
        <Amount money={amount} />,
        <Code>{msisdn}</Code>,
        soft(failureReason),
      ];
    }
    case "batch":
      return <a href={batchUrl(view, subject.batch)}>of {subject.batch.transactionIds.length}</a>;
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
      <Status of={status} />
      {last !== undefined && (
        <span class="soft">
          {last.error ?? `answered ${last.status}`}
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
