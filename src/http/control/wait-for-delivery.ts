import * as z from "zod";
import type { Delivery } from "../../domain/model/delivery.js";
import { formatDuration } from "../../kernel/duration.js";
import type { Company } from "../../sandbox/company/company.js";
import type { CompanyChange } from "../../sandbox/company/company-events.js";
import { duration } from "./control-fields.js";
import { makeReady } from "./control-endpoint.js";
import type { CompanyCall } from "./control-route.js";
import { type DeliveryFilter, deliveryFilters, deliveryParameters, wantedBy } from "./delivery-filter.js";
import { renderDelivery } from "./render-control.js";

const TIMEOUT_MS = 5_000;
const TIMEOUT_MS_MAX = 600_000;
/** Of the deliveries that did come, the answer names the latest. */
const CAME_MAX = 100;

export const waitRequest = z.object({ ...deliveryFilters, timeout: duration(TIMEOUT_MS_MAX).default(TIMEOUT_MS) });

/**
 * "long poll for tests in any language: 200 with the delivery, 404 with what did come". The first one, in the order in which they were owed, that is
 * there already or comes within `timeout` of real time. Without a `status` it counts once its first attempt has ended or it is final.
 */
export async function waitForDelivery(call: CompanyCall, request: z.infer<typeof waitRequest>): Promise<unknown> {
  const { sandbox, signal } = call;
  const { timeout, ...filter } = request;
  const isAwaited = awaitedBy(filter);
  const end = sandbox.system.monotonic() + timeout;
  for (let { company } = call; ; company = sandbox.findCompany(company.id) ?? company) {
    await makeReady(company);
    const found = company.world.deliveries.values().find(isAwaited);
    if (found !== undefined) return renderDelivery(found);
    const left = end - sandbox.system.monotonic();
    // A company that was reset goes on under its id; one that was removed, or whose sandbox closes, does not.
    const isOver = sandbox.findCompany(company.id)?.closed ?? true;
    if (left <= 0 || isOver || signal.aborted) return answerMissing(call, company, request);
    if (company.closed) continue;
    const { deliveries } = company.world;
    const isRelevant = ({ company: changed, changes }: CompanyChange): boolean =>
      changed === company && (company.closed || changes.some(({ store }) => store === deliveries));
    await sandbox.events.waitFor("changed", isRelevant, { system: sandbox.system, maxMs: left, abort: signal });
  }
}

function awaitedBy(filter: DeliveryFilter): (delivery: Delivery) => boolean {
  const isWanted = wantedBy(filter);
  const hasCome = ({ status, attempts }: Delivery): boolean => status !== "pending" || attempts.length > 0;
  return (delivery) => isWanted(delivery) && (filter.status !== undefined || hasCome(delivery));
}

function answerMissing(call: CompanyCall, company: Company, request: z.infer<typeof waitRequest>): Response {
  const came = company.world.deliveries.values();
  const wanted = deliveryParameters.flatMap((name) =>
    request[name] === undefined ? [] : [`${name} ${request[name]}`],
  );
  const what = wanted.length === 0 ? "No delivery" : `No delivery with ${wanted.join(", ")}`;
  const instead = came.length === 0 ? "none came at all" : `${came.length} came that are not it`;
  const message = `${what} came within ${formatDuration(request.timeout)}; ${instead}`;
  const deliveries = came.slice(-CAME_MAX).map(renderDelivery);
  return call.refuse({
    status: 404,
    messages: [message],
    more: { deliveries: deliveries.map(({ id, topic, resource, status }) => ({ id, topic, resource, status })) },
  });
}
