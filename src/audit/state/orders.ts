import * as z from "zod";
import { AUDIT_RULE } from "../../domain/model/rule.js";
import { findTopic, singularOf } from "../../domain/values/topic.js";
import { UsageError } from "../../kernel/messages/problem.js";
import type { IdSource } from "../../kernel/records/ids.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import {
  AMOUNT_XOF,
  createResource,
  type Family,
  familyOf,
  renderStep,
  type Resource,
  type Step,
  stepOf,
  topicOf,
} from "../wire/events.js";
import type { SandboxDoor } from "./sandbox-door.js";
import type { Delivery, OrderName } from "./schedule.js";
import { readState, type StateSource } from "./state-reader.js";

/** One order of a schedule: a charge or a transfer of which no earlier schedule has delivered events. */
export interface Order {
  /** All texts by which the application may identify it. */
  readonly names: readonly string[];
  /** The body of an event of it. */
  readonly bodyOf: (delivery: Delivery) => string;
}

export interface OrderOptions {
  readonly ids: IdSource;
  readonly system: SystemClock;
  /** The topic that the user has named. */
  readonly topic: string | undefined;
  /** Makes an order in the application and prints its charge: JSON with `id`, `externalId`, `amount` and so on, or the id alone. */
  readonly order: StateSource | undefined;
  /** The sandbox that the application uses, if any. */
  readonly sandbox: SandboxDoor | undefined;
  readonly timeoutMs: number;
}

/** The sandbox refused to make an order. */
export class OrderRefused extends UsageError {
  constructor(message: string) {
    super("cannot-run", message);
  }
}

/**
 * A new order; `steps`: what really happens to it. Beside a sandbox its charge or transfer is there, so that an application that calls the API finds what
 * the events say. Otherwise, and when it is to be unknown, its events are about a resource that exists nowhere.
 */
export async function openOrder(
  options: OrderOptions,
  name: OrderName,
  family: Family,
  steps: readonly Step[],
): Promise<Order> {
  const { ids, system, topic, order, sandbox } = options;
  const fresh = createResource(ids, system.now());
  const isPrinted = order !== undefined && family === "charge" && name !== "unknown";
  const printed: Partial<PrintedCharge> = isPrinted ? await printCharge(order, options) : {};
  const { id = fresh.id, externalId: reference = fresh.reference, ...members } = printed;
  const resource = { ...fresh, id, reference };
  if (sandbox === undefined || name === "unknown") return renderedOrder(resource, topic, members);
  if (family === "transfer") return openTransfer(sandbox, topic, resource, steps);
  return openCharge(sandbox, topic, isPrinted ? { id } : { externalId: reference }, steps);
}

/** An order whose events the audit renders. An application may compare them with the charge that it has printed. */
function renderedOrder(
  resource: Resource,
  topic: string | undefined,
  { amount = AMOUNT_XOF, ...members }: Omit<PrintedCharge, "id"> = {},
): Order {
  return {
    names: [resource.id, resource.entry, resource.reference],
    bodyOf: (delivery) => {
      const text = renderStep(resource, delivery.step, topicFor(delivery, topic));
      const event = JSON.parse(text, (_, value: unknown) => (value === AMOUNT_XOF ? amount : value));
      return JSON.stringify({ topic: event.topic, data: { ...event.data, ...members } });
    },
  };
}

const name = z.union([z.string().min(1), z.number()]).transform(String);
const printedCharge = z.object({
  id: name,
  externalId: name.optional(),
  amount: z.number().optional(),
  description: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
type PrintedCharge = z.infer<typeof printedCharge>;

async function printCharge(order: StateSource, { system, timeoutMs }: OrderOptions): Promise<PrintedCharge> {
  const state = await readState(order, { name: "--order", method: "POST", system, timeoutMs });
  const parsed = printedCharge.safeParse(typeof state === "object" ? state : { id: state });
  if (parsed.success) return parsed.data;
  const got = JSON.stringify(state).slice(0, 100);
  throw new UsageError(
    "cannot-run",
    `Failed to make an order with --order: it must print the order's charge, such as {"id": "…", "externalId": "…"}, got ${got}.`,
  );
}

/** `made` identifies the charge: one that the application has made, or one to create. Its events contain what GET answers: that is what the sandbox sends. */
async function openCharge(
  door: SandboxDoor,
  topic: string | undefined,
  made: { readonly id: string } | { readonly externalId: string },
  steps: readonly Step[],
): Promise<Order> {
  return withoutDeliveries(door, made, async () => {
    const { id, externalId } =
      "id" in made
        ? await ask(charge, door, "GET", `/v1/charges/${encodeURIComponent(made.id)}`)
        : await ask(charge, door, "POST", "/v1/charges", { ...newCharge, ...made });
    const path = encodeURIComponent(id);
    const read = (): Promise<ChargeBody> => ask(charge, door, "GET", `/v1/charges/${path}`);
    const { paymentUrl: _, ...before } = await read();
    // Events that never happen to the charge.
    const data = new Map<Step, ChargeBody>([
      ["dropped", { ...before, status: "dropped", droppedReason: "expired" }],
      ["paid", { ...before, status: "paid", due: 0, paid: before["amount"] }],
    ]);
    if (steps.length > 0) {
      await ask(identified, door, "POST", `/_sandbox/charges/${path}/pay`);
      data.set("paid", await read());
    }
    if (steps.includes("refunded")) {
      await ask(identified, door, "POST", `/v1/charges/${path}/refund`);
      data.set("refunded", await read());
    }
    return {
      names: [id, externalId],
      bodyOf: (delivery) => JSON.stringify({ topic: topicFor(delivery, topic), data: data.get(delivery.step) }),
    };
  });
}

/** A transfer to it stays pending until the audit completes it. */
const PENDING_NUMBER = "+2250700000003";

async function openTransfer(
  door: SandboxDoor,
  topic: string | undefined,
  resource: Resource,
  steps: readonly Step[],
): Promise<Order> {
  const { reference } = resource;
  return withoutDeliveries(door, { reference }, async () => {
    const request = { type: "transfer", amount: AMOUNT_XOF, msisdn: PENDING_NUMBER, reference };
    const { id } = await ask(identified, door, "POST", "/v1/transactions", request);
    if (steps.includes("completed")) await ask(identified, door, "POST", `/_sandbox/transactions/${id}/complete`);
    // "a plain UUID in a webhook payload"
    return renderedOrder({ ...resource, id: id.replace(/^txn_/, "") }, topic);
  });
}

/**
 * A rule drops the sandbox's own deliveries about an order: the application gets only those of the schedule. The decision of a rule holds for all attempts
 * of a delivery: the rule can be deleted as soon as the events have happened.
 */
async function withoutDeliveries<T>(door: SandboxDoor, data: object, task: () => Promise<T>): Promise<T> {
  const rule = { name: AUDIT_RULE, on: "delivery", match: { data }, then: { drop: true } };
  const { id } = await ask(identified, door, "POST", "/_sandbox/rules", rule);
  try {
    return await task();
  } finally {
    await door("DELETE", `/_sandbox/rules/${encodeURIComponent(id)}`);
  }
}

/** The body of POST /v1/charges, without the caller's reference. */
export const newCharge = {
  amount: AMOUNT_XOF,
  description: "An order of the audit",
  onCanceledRedirectionUrl: "https://audit.test/canceled",
  onCompletedRedirectionUrl: "https://audit.test/completed",
};

const identified = z.looseObject({ id: z.string() });
const charge = z.looseObject({ id: z.string(), externalId: z.string() });
type ChargeBody = z.infer<typeof charge>;

async function ask<T>(schema: z.ZodType<T>, door: SandboxDoor, ...call: Parameters<SandboxDoor>): Promise<T> {
  const answer = await door(...call);
  const parsed = schema.safeParse(answer.body);
  if (answer.status < 300 && parsed.success) return parsed.data;
  const [method, path] = call;
  if (answer.status === 401 && path.startsWith("/_sandbox")) throw new UsageError("cannot-run", NO_ADMIN_TOKEN);
  const shown = JSON.stringify(answer.body ?? null).slice(0, 300);
  throw new OrderRefused(
    `Failed to audit the state: ${method} ${path} of the sandbox answered ${answer.status} ${shown}.`,
  );
}

const NO_ADMIN_TOKEN =
  "Failed to audit the state beside the sandbox: it is guarded. Give its admin token (SANDBOX_ADMIN_TOKEN), or audit without the sandbox (SANDBOX_URL).";

/** The topic of a delivery, unless the user has named one that is not in the contract: that has one spelling. */
function topicFor(delivery: Delivery, named: string | undefined): string {
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
