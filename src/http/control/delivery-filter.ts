import * as z from "zod";
import { type Delivery, type DeliveryStatus, deliveryLifecycle } from "../../domain/model/delivery.js";
import { findTopic, topicSpellings } from "../../domain/values/topic.js";
import { statusesOf } from "../../kernel/lifecycle.js";
import { word } from "./control-fields.js";
import { plainId } from "../../domain/values/ids.js";

export interface DeliveryFilter {
  /** In either spelling; either matches both. */
  readonly topic?: string | undefined;
  /** A charge's or a transaction's id, with or without its prefix. */
  readonly resource?: string | undefined;
  readonly status?: DeliveryStatus | undefined;
}

export const deliveryParameters = ["topic", "resource", "status"] as const;

const resourceError = "must be the id of a charge or a transaction";

export const deliveryFilters = {
  topic: word(topicSpellings).optional(),
  resource: z.string().min(1, { error: resourceError }).optional(),
  status: word(statusesOf(deliveryLifecycle)).optional(),
};

/** Built once and asked of every delivery: there may be a hundred thousand. */
export function wantedBy({ topic, resource, status }: DeliveryFilter): (delivery: Delivery) => boolean {
  const spellings =
    topic === undefined ? undefined : topicSpellings.filter((other) => findTopic(other) === findTopic(topic));
  const ids = resource === undefined ? undefined : [resource, plainId(resource)];
  return (delivery) =>
    (spellings === undefined || spellings.includes(delivery.topic)) &&
    (ids === undefined || ids.includes(delivery.resource)) &&
    (status === undefined || status === delivery.status);
}
