import * as z from "zod";
import { type Delivery, deliveryLifecycle, isFailing, shownDeliveryResource } from "../../domain/model/delivery.js";
import { formatDuration } from "../../kernel/time/duration.js";
import { duration, object, word } from "../../kernel/fields.js";
import { statusesOf } from "../../kernel/records/lifecycle.js";
import { Bug, UsageError } from "../../kernel/messages/problem.js";
import { quote } from "../../kernel/messages/text.js";
import type { Company } from "../../sandbox/company/company.js";
import { reachCompany } from "../shared/caller.js";
import { makeReady } from "../shared/company.js";
import { CompanyLimit } from "../shared/company-limit.js";
import { type CompanyCall, type ControlRoute, listQuery, listRoute, noBody, route } from "./control-route.js";
import { renderDelivery, renderEvent } from "./render-control.js";
import { createCharge } from "../../domain/charges/create-charge.js";
import { payCharge } from "../../domain/charges/pay-charge.js";
import type { DomainEvent } from "../../domain/model/events.js";
import type { Work } from "../../domain/model/work.js";
import { afterStart, assertAcceptable, planOrder, startTransfer } from "../../domain/transfers/create-transfer.js";
import { completeByHand, failByHand } from "../../domain/transfers/decide-transfer.js";
import { fromXof } from "../../domain/values/money.js";
import { type Topic, findTopic, topicSpellings } from "../../domain/values/topic.js";
import { redeliverNow } from "../../sandbox/company/redeliver.js";
import { releaseImmediately } from "../../sandbox/company/release-gate.js";
import { plainId } from "../../domain/values/ids.js";
import { isChangeOf } from "../../kernel/records/unit-of-work.js";
import type { CompanyChange } from "../../sandbox/company/company-deps.js";

const resourceError = "must be the id of a charge or a transaction";

const filters = {
  /** Either spelling matches both. */
  topic: word(topicSpellings, { suggest: true }).optional(),
  /** A charge's or a transaction's id, with or without its prefix. */
  resource: z.string().min(1, { error: resourceError }).optional(),
  status: word(statusesOf(deliveryLifecycle), { suggest: true }).optional(),
};
const deliveryFilter = z.object(filters);
type DeliveryFilter = z.infer<typeof deliveryFilter>;

const TIMEOUT_MS = 5_000;
const TIMEOUT_MS_MAX = 600_000;
const waitQuery = z.object({ ...filters, timeout: duration(0, TIMEOUT_MS_MAX).default(TIMEOUT_MS) });

const eventOrder = object({ topic: word(topicSpellings, { suggest: true }) });

/** The most calls of a company that may wait for a delivery at the same time: each checks every change. */
export const WAITS_MAX = 100;

/** After more changes than this, each waiting call searches all deliveries: deleting a subscription may cancel 100 000. */
const CHANGES_MAX = 20_000;

/** Pending and past webhooks, with every attempt of each. */
export function deliveriesRoutes(): readonly ControlRoute[] {
  const full = `${WAITS_MAX} calls wait for deliveries already, which is the most. Wait for fewer at a time.`;
  const waits = new CompanyLimit(WAITS_MAX, full);
  return [
    listRoute("/deliveries", listQuery(filters), ({ company, query }) => ({
      rows: company.world.deliveries,
      where: matchesFilter(query),
      render: renderDelivery,
    })),
    route("GET /deliveries/wait", { query: waitQuery }, (call) => {
      const release = waits.begin(call.company.id);
      return waitForDelivery(call).finally(release);
    }),
    route("POST /deliveries/redeliver", { body: noBody }, redeliverFailing),
    route("GET /deliveries/:id", {}, ({ company, id }) => renderDelivery(getDelivery(company, id))),
    route("POST /deliveries/:id/redeliver", { body: noBody }, ({ company, id, gate }) =>
      renderDelivery(redeliverNow(company, getDelivery(company, id), gate)),
    ),
    route("POST /events", { body: eventOrder, success: 201 }, ({ sandbox, company, body, run }) => {
      const url = sandbox.publicUrl;
      return renderEvent(run(makeEvent, { topic: findTopic(body.topic), url }), company.profile);
    }),
  ];
}

/** How many deliveries are planned again in one turn of the event loop: there may be thousands. */
const REDELIVERIES_OF_TURN = 50;

async function redeliverFailing({ company, gate }: CompanyCall): Promise<unknown> {
  const { deliveries } = company.world;
  // One listener of the answer for all deliveries: removing thousands of listeners takes seconds.
  const releases: (() => void)[] = [];
  const together = { ...releaseImmediately, after: (release: () => void) => void releases.push(release) };
  for (const { id } of deliveries.values().filter(isFailing)) {
    await makeReady(company);
    const delivery = deliveries.get(id);
    const isIdle = delivery !== undefined && isFailing(delivery) && !company.dispatcher.isOutstanding(id);
    if (!isIdle || company.closed) continue;
    try {
      redeliverNow(company, delivery, together);
    } catch (error) {
      // The time of its own retry came after the check.
      if (!(error instanceof UsageError)) throw error;
    }
    if (releases.length % REDELIVERIES_OF_TURN === 0) await company.giveWay();
  }
  gate.after(() => {
    for (const release of releases) release();
  });
  return { redelivered: releases.length };
}

/** Makes an event of a topic, about a charge or a transfer that is made for it, so that a receiver finds that resource in the API. */
function makeEvent(
  work: Work,
  { topic, url }: { readonly topic: Topic | undefined; readonly url: string },
): DomainEvent {
  const { testNumbers, charges, transfers } = work.profile;
  const name = `test-${work.ids.hex32().slice(0, 8)}`;
  if (topic === "charges/events") {
    const { id } = createCharge(work, {
      amount: fromXof(Math.max(charges.min, 100)),
      externalId: name,
      description: "Test event",
      metadata: {},
      onCanceledRedirectionUrl: `${url}/_sandbox`,
      onCompletedRedirectionUrl: `${url}/_sandbox`,
      checkoutUrl: `${url}/checkout/`,
    });
    payCharge(work, { chargeId: id, msisdn: testNumbers.success });
  } else {
    const order = { amount: fromXof(transfers.min), msisdn: testNumbers.success, description: "Test event" };
    const planned = planOrder(work, { ...order, reference: name });
    assertAcceptable(work, [planned]);
    // Under `transfers.settlement: immediate` it would be final before it is completed or failed.
    const transfer = startTransfer(work, planned, null);
    if (topic === "transactions/completed") completeByHand(work, transfer.id);
    else if (topic === "transactions/failed") failByHand(work, { id: transfer.id, reason: undefined });
    else afterStart(work, transfer);
  }
  const event = topic === "transactions/started" ? work.events[0] : work.events.at(-1);
  if (event === undefined) throw new Bug(`Failed to make an event of ${topic}`);
  return event;
}

function getDelivery({ world: { deliveries }, deps }: Company, id: string): Delivery {
  const found = deliveries.get(id) ?? deliveries.get(`del_${id}`);
  if (found !== undefined) return found;
  throw new UsageError(
    "not-found",
    `No delivery has the id ${quote(id)}. The last ${deps.limits.deliveries} are kept.`,
  );
}

function matchesFilter({ topic, resource, status }: DeliveryFilter): (delivery: Delivery) => boolean {
  const spellings =
    topic === undefined ? undefined : topicSpellings.filter((other) => findTopic(other) === findTopic(topic));
  const ids = resource === undefined ? undefined : [resource, plainId(resource)];
  return (delivery) =>
    (spellings === undefined || spellings.includes(delivery.topic)) &&
    (ids === undefined || ids.includes(delivery.resource)) &&
    (status === undefined || status === delivery.status);
}

type WaitCall = CompanyCall<z.infer<typeof waitQuery>, undefined>;

/**
 * A long poll for tests in any language: 200 with the delivery, or 404 with the deliveries that did come. It finds the oldest delivery that is there
 * already or comes within `timeout` of real time. Without a `status` a delivery counts once its first attempt has ended or it is final.
 */
async function waitForDelivery(call: WaitCall): Promise<unknown> {
  const { sandbox, query } = call;
  const isWanted = matchesFilter(query);
  const isMatch = (one: Delivery): boolean =>
    isWanted(one) && (query.status !== undefined || one.status !== "pending" || one.attempts.length > 0);
  const abort = call.ended();
  const end = sandbox.system.monotonic() + query.timeout;
  /** The delivery that a change brought. */
  let arrived: Delivery | undefined;
  for (let { company } = call; ; company = sandbox.findCompany(company.id) ?? company) {
    await makeReady(company);
    // Throws when the tenant's token was replaced meanwhile.
    if (call.caller.tenant !== undefined) reachCompany(sandbox, call.caller, company.id);
    const { deliveries } = company.world;
    // A company that was reset continues under its id. One that was removed, or whose sandbox closes, does not.
    const isOver = sandbox.findCompany(company.id)?.closed ?? true;
    const found = arrived ?? (isOver ? undefined : deliveries.values().find(isMatch));
    if (found !== undefined) return renderDelivery(found);
    const left = end - sandbox.system.monotonic();
    if (left <= 0 || isOver || abort.aborted) return answerMissing(call, company);
    if (company.closed) continue;
    const isRelevant = ({ company: changed, changes }: CompanyChange): boolean => {
      if (changed !== company) return false;
      if (company.closed || changes.length > CHANGES_MAX) return true;
      for (const change of changes) {
        const after = isChangeOf(deliveries, change) ? change.after : undefined;
        // A delivery that the same work changed again, or removed, is not there as it was.
        if (after === undefined || !isMatch(after) || deliveries.get(after.id) !== after) continue;
        arrived = after;
        return true;
      }
      return false;
    };
    await sandbox.events.waitFor("changed", isRelevant, { system: sandbox.system, maxMs: left, abort });
    // Calls that end together must not all search, or write the same large body, in one turn.
    if (!company.closed) await company.nextTurn();
  }
}

function renderBriefly(delivery: Delivery) {
  const { id, topic, status } = delivery;
  return { id, topic, resource: shownDeliveryResource(delivery), status };
}

/** A 404 names at most this many of the deliveries that did come, the latest. */
const NAMED_MAX = 100;

function answerMissing({ query, refuse }: WaitCall, company: Company): Response {
  const came = company.world.deliveries.values();
  const { timeout, ...given } = query;
  const wanted = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  const what = wanted.length === 0 ? "No delivery" : `No delivery with ${wanted.join(", ")}`;
  const instead = came.length === 0 ? "none came at all" : `${came.length} came that are not it`;
  return refuse({
    status: 404,
    messages: [`${what} came within ${formatDuration(timeout)}; ${instead}`],
    more: { deliveries: came.slice(-NAMED_MAX).map(renderBriefly) },
  });
}
