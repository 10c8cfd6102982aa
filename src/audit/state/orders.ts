import * as z from "zod";
import { findTopic, singularOf } from "../../domain/values/topic.js";
import type { IdSource } from "../../kernel/ids.js";
import { UsageError } from "../../kernel/problem.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import { createResource, renderStep, type Resource, type Step, topicOf, type TopicSpelling } from "../wire/events.js";
import type { Delivery, Family, OrderName } from "./schedule.js";
import { readState, type StateSource } from "./state-reader.js";

/** One order of a schedule: a charge or a transfer that no schedule before it was about. */
export interface Order {
  /** Whatever the application may know it by. */
  readonly names: readonly string[];
  /** The body of an event of it. */
  readonly bodyOf: (delivery: Delivery) => string;
}

/** Where orders come from. */
export interface Orders {
  /** Whether an order can be known, so that another one is unknown. */
  readonly areKnown: boolean;
  /** A fresh one; `steps`: what really happens to it. */
  open(name: OrderName, family: Family, steps: readonly Step[]): Promise<Order>;
}

export interface OrderOptions {
  readonly ids: IdSource;
  readonly system: SystemClock;
  /** In the place of the topic's own spelling. */
  readonly topic: string | undefined;
  /** Makes an order in the application and prints its charge: JSON with `id`, `externalId`, `amount` and so on, or the id alone. */
  readonly order: StateSource | undefined;
  readonly timeoutMs: number;
}

/** Orders that are made up, or that the application makes when it is asked to. No sandbox knows of them. */
export function createOrders(options: OrderOptions): Orders {
  return {
    areKnown: options.order !== undefined,
    open: async (name, family) => madeUp(options, await openResource(options, name, family)),
  };
}

/** An order of which events are rendered, whatever a sandbox knows of it. */
export function madeUp({ topic }: Pick<OrderOptions, "topic">, { resource, told = {} }: OpenedResource): Order {
  return {
    names: resource.names,
    bodyOf: ({ step, subscription }) =>
      withTold(renderStep(resource, step, spellingOf(topic, subscription), customTopic(topic)), told),
  };
}

/** What an order's events are about. */
export interface OpenedResource {
  readonly resource: Resource;
  /** What the application says of its charge. */
  readonly told?: ToldCharge;
}

/** The resource of an order: that of the application's charge where it makes one, else made up. */
export async function openResource(options: OrderOptions, name: OrderName, family: Family): Promise<OpenedResource> {
  const fresh = createResource(family, options.ids, options.system.now());
  if (options.order === undefined || family !== "charge" || name === "unknown") return { resource: fresh };
  const { system, timeoutMs } = options;
  const printed = await readState(options.order, { name: "--order", method: "POST", system, timeoutMs });
  const parsed = toldCharge.safeParse(typeof printed === "object" ? printed : { id: printed });
  if (!parsed.success) {
    const got = JSON.stringify(printed).slice(0, 100);
    throw new UsageError(
      "cannot-run",
      `Failed to make an order with --order: it must print the order's charge, such as {"id": "…", "externalId": "…"}, got ${got}.`,
    );
  }
  const { id, externalId = fresh.reference, ...told } = parsed.data;
  const names = [id, externalId, ...fresh.names.slice(1, 2)];
  return { resource: { ...fresh, id, reference: externalId, names }, told };
}

const name = z.union([z.string().min(1), z.number()]).transform(String);
const toldCharge = z.object({
  id: name,
  externalId: name.optional(),
  amount: z.number().optional(),
  description: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
type ToldCharge = Omit<Partial<z.infer<typeof toldCharge>>, "id" | "externalId">;

/** An application may compare with its order what an event says of it. */
function withTold(body: string, { amount = MADE_UP_AMOUNT, ...members }: ToldCharge): string {
  const { topic, data } = JSON.parse(body, (_, value: unknown) => (value === MADE_UP_AMOUNT ? amount : value));
  return JSON.stringify({ topic, data: { ...data, ...members } });
}

/** Of every order that is made up, in each place of its events. */
const MADE_UP_AMOUNT = 10_000;

/** The first subscription is in the spelling of the topic that was named, the second in the other one. */
export function spellingOf(topic: string | undefined, subscription: 1 | 2): TopicSpelling {
  const known = topic === undefined ? undefined : findTopic(topic);
  const isSingular = known !== undefined && singularOf(known) === topic;
  return isSingular === (subscription === 1) ? "singular" : "plural";
}

/** A topic that the contract does not have. There is one spelling of it. */
export function customTopic(topic: string | undefined): string | undefined {
  return topic === undefined || findTopic(topic) !== undefined ? undefined : topic;
}

/** The topics that the application is told of: with a topic named, those of its kind. */
export function familiesOf(topic: string | undefined): readonly Family[] {
  if (topic === undefined) return ["charge", "transfer"];
  const known = findTopic(topic);
  return known === undefined || known === topicOf("paid") ? ["charge"] : ["transfer"];
}
