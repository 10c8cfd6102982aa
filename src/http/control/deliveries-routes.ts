import { object } from "../../kernel/fields.js";
import { parseRequest } from "../../contract/parse.js";
import type { Delivery } from "../../domain/model/delivery.js";
import { UsageError } from "../../kernel/problem.js";
import { quote } from "../../kernel/text.js";
import type { Company } from "../../sandbox/company/company.js";
import { redeliverNow } from "../../sandbox/company/redeliver.js";
import { optionalBody, pagingParameters } from "./control-fields.js";
import { listOf, listQuery } from "./control-lists.js";
import type { ControlRoute } from "./control-route.js";
import { deliveryFilters, deliveryParameters, wantedBy } from "./delivery-filter.js";
import { renderDelivery } from "./render-control.js";
import { waitRequest, waitForDelivery } from "./wait-for-delivery.js";

const deliveriesQuery = listQuery(deliveryFilters);
const nothing = optionalBody(object({}));

/** Webhooks on their way and past: every attempt of each. */
export const deliveriesRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/deliveries",
    company: "selected",
    query: [...pagingParameters, ...deliveryParameters],
    handle: ({ company, query }) => {
      const { limit, cursor, ...filter } = parseRequest(deliveriesQuery, query, "query");
      return listOf(company.world.deliveries, { limit, cursor }, { where: wantedBy(filter) }, renderDelivery);
    },
  },
  {
    method: "GET",
    path: "/deliveries/wait",
    company: "selected",
    query: [...deliveryParameters, "timeout"],
    handle: (call) => waitForDelivery(call, parseRequest(waitRequest, call.query, "query")),
  },
  {
    method: "GET",
    path: "/deliveries/:id",
    company: "selected",
    handle: ({ company, id }) => renderDelivery(getDelivery(company, id)),
  },
  {
    method: "POST",
    path: "/deliveries/:id/redeliver",
    company: "selected",
    takes: "json",
    handle: ({ company, id, body, gate }) => {
      const delivery = getDelivery(company, id);
      parseRequest(nothing, body);
      return renderDelivery(redeliverNow(company, delivery, gate));
    },
  },
];

function getDelivery({ world: { deliveries }, deps }: Company, id: string): Delivery {
  const found = deliveries.get(id) ?? deliveries.get(`del_${id}`);
  if (found !== undefined) return found;
  throw new UsageError(
    "not-found",
    `No delivery has the id ${quote(id)}. The last ${deps.limits.deliveries} are kept.`,
  );
}
