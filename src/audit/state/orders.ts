import * as z from "zod";
import { findTopic, singularOf } from "../../domain/values/topic.js";
import type { IdSource } from "../../kernel/records/ids.js";
import { UsageError } from "../../kernel/messages/problem.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import {
  createResource,
  type Family,
  familyOf,
  renderStep,
  type Resource,
  type Step,
  stepOf,
  topicOf,
} from "../wire/events.js";
import type { Delivery, OrderName } from "./schedule.js";
import { readState, type StateSource } from "./state-reader.js";

/** One order of a schedule: a charge or a transfer of which no earlier schedule has delivered events. */
export interface Order {
  /** All texts by which the application may identify it. */
  readonly names: readonly string[];
  /** The body of an event of it. */
  readonly bodyOf: (delivery: Delivery) => string;
}

export interface Orders {
  /** Whether the application knows these orders, so that another one is unknown. */
  readonly areKnown: boolean;
  /** A new order; `steps`: what really happens to it. */
  open(name: OrderName, family: Family, steps: readonly Step[]): Promise<Order>;
}

export interface OrderOptions {
  readonly ids: IdSource;
  readonly system: SystemClock;
  /** The topic that the user has named. */
  readonly topic: string | undefined;
  /** Makes an order in the application and prints its charge: JSON with `id`, `externalId`, `amount` and so on, or the id alone. */
  readonly order: StateSource | undefined;
  readonly timeoutMs: number;
}

/** Orders that are made up, or that the application makes. They are in no sandbox. */
export function createOrders(options: OrderOptions): Orders {
  return {
    areKnown: options.order !== undefined,
    open: async (name, family) => renderedOrder(options, await openResource(options, name, family)),
  };
}

/** An order whose events the audit renders. */
export function renderedOrder({ topic }: Pick<OrderOptions, "topic">, { resource, printed }: OpenedResource): Order {
  return {
    names: resource.names,
    bodyOf: (delivery) => withPrinted(renderStep(resource, delivery.step, topicFor(delivery, topic)), printed),
  };
}

/** What an order's events are about. */
export interface OpenedResource {
  readonly resource: Resource;
  /** Members of the charge that the application has printed. */
  readonly printed?: PrintedCharge;
}

/** The application's charge when it makes one, else a made-up resource. */
export async function openResource(options: OrderOptions, name: OrderName, family: Family): Promise<OpenedResource> {
  const fresh = createResource(family, options.ids, options.system.now());
  if (options.order === undefined || family !== "charge" || name === "unknown") return { resource: fresh };
  const { system, timeoutMs } = options;
  const state = await readState(options.order, { name: "--order", method: "POST", system, timeoutMs });
  const parsed = printedCharge.safeParse(typeof state === "object" ? state : { id: state });
  if (!parsed.success) {
    const got = JSON.stringify(state).slice(0, 100);
    throw new UsageError(
      "cannot-run",
      `Failed to make an order with --order: it must print the order's charge, such as {"id": "…", "externalId": "…"}, got ${got}.`,
    );
  }
  const { id, externalId = fresh.reference, ...printed } = parsed.data;
  const names = [id, externalId, ...fresh.names.slice(1, 2)];
  return { resource: { ...fresh, id, reference: externalId, names }, printed };
}

const name = z.union([z.string().min(1), z.number()]).transform(String);
const printedCharge = z.object({
  id: name,
  externalId: name.optional(),
  amount: z.number().optional(),
  description: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
type PrintedCharge = Omit<z.infer<typeof printedCharge>, "id" | "externalId">;

/** In each amount of a made-up event. */
const MADE_UP_AMOUNT = 10_000;

/** An application may compare the event with its order. */
function withPrinted(body: string, { amount = MADE_UP_AMOUNT, ...members }: PrintedCharge = {}): string {
  const { topic, data } = JSON.parse(body, (_, value: unknown) => (value === MADE_UP_AMOUNT ? amount : value));
  return JSON.stringify({ topic, data: { ...data, ...members } });
}

/** The topic of a delivery, unless the user has named one that is not in the contract: that has one spelling. */
export function topicFor(delivery: Pick<Delivery, "step" | "subscription">, named: string | undefined): string {
  return named === undefined || findTopic(named) !== undefined ? spell(delivery, named) : named;
}

/** The first subscription has the spelling of the named topic, the second the other one. */
export function spell({ step, subscription }: Pick<Delivery, "step" | "subscription">, named = ""): string {
  const known = findTopic(named);
  const isSingular = known !== undefined && singularOf(known) === named;
  return isSingular === (subscription === 1) ? singularOf(topicOf(step)) : topicOf(step);
}

/** The families of events that are delivered: that of the named topic, or all. */
export function familiesOf(topic: string | undefined): readonly Family[] {
  return topic === undefined ? ["charge", "transfer"] : [familyOf(stepOf(topic))];
}
