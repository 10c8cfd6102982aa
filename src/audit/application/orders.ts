import * as z from "zod";
import { AUDIT_RULE } from "../../domain/model/rule.js";
import { findTopic, singularOf } from "../../domain/values/topic.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { shorten } from "../../kernel/messages/text.js";
import type { IdSource } from "../../kernel/records/ids.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import {
  AMOUNT_XOF,
  createResource,
  type Family,
  familyOf,
  refundedAfter,
  renderStep,
  type Resource,
  type Step,
  stepOf,
  topicOf,
} from "../wire/events.js";
import { type PrintedOrder, parsePrintedOrder } from "./printed-order.js";
import type { SandboxDoor } from "./sandbox-door.js";
import { type Delivery, historicSteps, type OrderName } from "./schedule.js";
import { readState, type StateSource } from "./state-reader.js";

/** One order of a schedule: a charge or a transfer about which no earlier schedule has delivered events. */
export interface Order {
  /** All texts by which the application may identify it. */
  readonly names: readonly string[];
  readonly amountXof: number;
  /** The profile of the sandbox in which the charge exists. */
  readonly profile?: SandboxProfile;
  /** Renders the body of an event. With a sandbox, it first makes the event happen there, unless it has happened already or never really happens. */
  readonly bodyOf: (delivery: Pick<Delivery, "step" | "subscription">) => Promise<string>;
}

export interface OrderOptions {
  readonly ids: IdSource;
  readonly system: SystemClock;
  /** The topic that the user has named. */
  readonly topic: string | undefined;
  /** Makes an order in the application and prints JSON with its charge or transfer, or the id alone. */
  readonly order: StateSource | undefined;
  /** The family of the order that `order` has printed. It makes either charges or transfers, so it is not run for the other family. */
  readonly prints: { family?: Family };
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
 * Opens a new order; `steps` are the events that really happen to it. With a sandbox, its charge or transfer exists there, so that an application that calls
 * the API finds what the events say. Without one, and for the unknown order, the events are about a resource that exists nowhere.
 */
export async function openOrder(
  options: OrderOptions,
  name: OrderName,
  family: Family,
  steps: readonly Step[],
): Promise<Order> {
  const { ids, system, topic, sandbox } = options;
  const fresh = createResource(ids, system.now());
  const asked = name === "unknown" ? undefined : await printOrder(options, family);
  const printed = asked?.family === family ? asked : undefined;
  const { id = fresh.id, reference = fresh.reference, amount: amountXof = fresh.amountXof } = printed ?? {};
  const resource = { ...fresh, id: family === "transfer" ? id.replace(/^txn_/, "") : id, reference, amountXof };
  const open = (): Promise<Order> | Order => {
    if (sandbox === undefined || name === "unknown") return renderedOrder(resource, topic, printed?.members);
    if (family === "charge") {
      return openCharge(sandbox, topic, printed === undefined ? { externalId: reference } : { id }, steps);
    }
    return openTransfer(sandbox, topic, resource, steps, printed);
  };
  const order = await open();
  return { ...order, names: [...new Set([...order.names, ...(printed?.names ?? [])])] };
}

/** Runs the user's command. Undefined when there is none, or it makes orders of the other family. */
async function printOrder(options: OrderOptions, family: Family): Promise<PrintedOrder | undefined> {
  const { order, system, timeoutMs, topic, prints } = options;
  if (order === undefined || (prints.family ?? family) !== family) return undefined;
  const state = await readState(order, { name: "--order", method: "POST", system, timeoutMs });
  const printed = parsePrintedOrder(state, topic === undefined ? undefined : family);
  if (printed !== undefined) {
    prints.family = printed.family;
    return printed;
  }
  throw new UsageError(
    "cannot-run",
    'Failed to make an order with --order: it must print JSON that contains the order\'s charge or transfer, such as {"id": "…", "externalId": "…"}, ' +
      `or the id alone, got ${shorten(JSON.stringify(state) ?? "nothing", 100)}.`,
  );
}

/** An order whose events the audit renders. They repeat `members` of the printed charge, because the application may compare the two. */
function renderedOrder(resource: Resource, topic: string | undefined, members: object = {}): Order {
  return {
    names: [resource.id, resource.entry, resource.reference],
    amountXof: resource.amountXof,
    bodyOf: async (delivery) => {
      const event = JSON.parse(renderStep(resource, delivery.step, topicFor(delivery, topic)));
      return JSON.stringify({ topic: event.topic, data: { ...event.data, ...members } });
    },
  };
}

/** `made` is the id of a charge that the application has created, or the externalId of one to create. Events contain what GET answers, as the sandbox's do. */
async function openCharge(
  door: SandboxDoor,
  topic: string | undefined,
  made: { readonly id: string } | { readonly externalId: string },
  steps: readonly Step[],
): Promise<Order> {
  const { id, externalId } =
    "id" in made
      ? await ask(charge, door, "GET", `/v1/charges/${encodeURIComponent(made.id)}`)
      : await ask(charge, door, "POST", "/v1/charges", { ...newCharge, ...made });
  const path = encodeURIComponent(id);
  const { paymentUrl: _, ...before } = await ask(charge, door, "GET", `/v1/charges/${path}`);
  const amount = before.amount;
  const part = refundedAfter("refunded in part", amount);
  const settings = await ask(profile, door, "GET", "/_sandbox/profile");
  const refund = (by: number): Record<string, number> => ({ [settings.refunds.amountField]: by });
  const further = refundedAfter("refunded further", amount) - (steps.includes("refunded in part") ? part : 0);
  const calls: Partial<Record<Step, readonly [path: string, body?: object]>> = {
    paid: [`/_sandbox/charges/${path}/pay`],
    "refunded in part": [`/v1/charges/${path}/refund`, refund(part)],
    "refunded further": [`/v1/charges/${path}/refund`, refund(further)],
    refunded: [`/v1/charges/${path}/refund`],
    dropped: [`/_sandbox/charges/${path}/drop`],
  };
  // The bodies of events before they happen, for schedules in which they never do.
  const data = new Map<Step, ChargeBody>([
    ["dropped", { ...before, status: "dropped", droppedReason: "expired" }],
    ["paid", { ...before, status: "paid", due: 0, paid: amount }],
  ]);
  const left = needed(steps, "charge");
  const makeHappen = async (step: Step): Promise<void> => {
    const due = left.splice(0, left.indexOf(step) + 1);
    if (due.length === 0) return;
    await withoutDeliveries(door, { id }, async () => {
      for (const each of due) {
        const [to, body] = calls[each] ?? [];
        if (to !== undefined) await ask(identified, door, "POST", to, body);
        const read = await ask(charge, door, "GET", `/v1/charges/${path}`);
        const isPartial = each === "refunded in part" || each === "refunded further";
        // GET may show another status for a partial refund (charges.partialStatusOnRead), but webhooks do not.
        data.set(each, isPartial ? { ...read, status: "refunded_partially" } : read);
      }
    });
  };
  return {
    names: [id, externalId],
    amountXof: amount,
    profile: settings,
    bodyOf: async (delivery) => {
      await makeHappen(delivery.step);
      return JSON.stringify({ topic: topicFor(delivery, topic), data: data.get(delivery.step) });
    },
  };
}

/** These steps and those that they require, in the order in which they happen: a refund requires a payment. */
function needed(steps: readonly Step[], family: Family): Step[] {
  const all = new Set(steps);
  if (["refunded", "refunded in part", "refunded further"].some((step) => steps.some((each) => each === step)))
    all.add("paid");
  return historicSteps.filter((step) => familyOf(step) === family && all.has(step));
}

/** A transfer to this number stays pending until the audit completes or fails it. */
const PENDING_NUMBER = "+2250700000003";

async function openTransfer(
  door: SandboxDoor,
  topic: string | undefined,
  resource: Resource,
  steps: readonly Step[],
  printed: PrintedOrder | undefined,
): Promise<Order> {
  const { reference } = resource;
  const request = { type: "transfer", amount: AMOUNT_XOF, msisdn: PENDING_NUMBER, reference };
  const { id } =
    printed === undefined
      ? await withoutDeliveries(door, { reference }, () => ask(identified, door, "POST", "/v1/transactions", request))
      : await ask(identified, door, "GET", `/v1/transactions/${encodeURIComponent(printed.id)}`);
  const { transfers } = await ask(profile, door, "GET", "/_sandbox/profile");
  const plainId = id.replace(/^txn_/, "");
  const sent = { ...resource, id: transfers.webhookId === "prefixed" ? id : plainId };
  const order = renderedOrder(sent, topic, printed?.members);
  const left = needed(steps, "transfer");
  return {
    ...order,
    names: [...order.names, plainId],
    bodyOf: async (delivery) => {
      for (const step of left.splice(0, left.indexOf(delivery.step) + 1)) {
        const verb = { completed: "complete", failed: "fail" }[step === "completed" ? step : "failed"];
        if (step === "started") continue;
        await withoutDeliveries(door, { reference }, () =>
          ask(identified, door, "POST", `/_sandbox/transactions/${encodeURIComponent(id)}/${verb}`),
        );
      }
      return order.bodyOf(delivery);
    },
  };
}

/**
 * Adds a rule that drops the sandbox's own deliveries about an order, so that the application gets only those of the schedule. A rule decides once for all
 * attempts of a delivery, so it can be deleted as soon as the events have happened.
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

/** The body of POST /v1/charges, without the externalId. */
export const newCharge = {
  amount: AMOUNT_XOF,
  description: "An order of the audit",
  onCanceledRedirectionUrl: "https://audit.test/canceled",
  onCompletedRedirectionUrl: "https://audit.test/completed",
};

const identified = z.looseObject({ id: z.string() });
const charge = z.looseObject({ id: z.string(), externalId: z.string(), amount: z.number() });
const profile = z.looseObject({
  transfers: z.looseObject({ webhookId: z.string() }),
  refunds: z.looseObject({ amountField: z.string(), further: z.string() }),
  webhooks: z.looseObject({ chargeEvents: z.array(z.string()).or(z.literal("none").transform((): string[] => [])) }),
});
/** The settings that an audit follows. */
export type SandboxProfile = z.infer<typeof profile>;
type ChargeBody = z.infer<typeof charge>;

async function ask<T>(schema: z.ZodType<T>, door: SandboxDoor, ...call: Parameters<SandboxDoor>): Promise<T> {
  const answer = await door(...call);
  const parsed = schema.safeParse(answer.body);
  if (answer.status < 300 && parsed.success) return parsed.data;
  const [method, path] = call;
  if (answer.status === 401 && path.startsWith("/_sandbox")) throw new UsageError("cannot-run", NO_ADMIN_TOKEN);
  const shown = shorten(JSON.stringify(answer.body ?? null), 300);
  const refused = `Failed to audit the state: ${method} ${path} of the sandbox answered ${answer.status} ${shown}.`;
  // Without this, payouts that end before the audit ends them would be left out, as with too low a balance.
  if (path.startsWith("/_sandbox")) throw new UsageError("cannot-run", refused);
  throw new OrderRefused(refused);
}

const NO_ADMIN_TOKEN =
  "Failed to audit the state beside the sandbox: it has an admin token. Give its admin token (SANDBOX_ADMIN_TOKEN), or audit without the sandbox (SANDBOX_URL).";

/** The topic of a delivery. A topic that the user has named and the contract does not know is used as it is: it has only one spelling. */
function topicFor(delivery: Pick<Delivery, "step" | "subscription">, named: string | undefined): string {
  return named === undefined || findTopic(named) !== undefined ? spell(delivery, named) : named;
}

/** The first subscription uses the spelling of the named topic, the second one the other spelling. */
export function spell({ step, subscription }: Pick<Delivery, "step" | "subscription">, named = ""): string {
  const known = findTopic(named);
  const isSingular = known !== undefined && singularOf(known) === named;
  return isSingular === (subscription === 1) ? singularOf(topicOf(step)) : topicOf(step);
}

/** The families of events that are delivered: that of the named topic, or all. */
export function familiesOf(topic: string | undefined): readonly Family[] {
  return topic === undefined ? ["charge", "transfer"] : [familyOf(stepOf(topic))];
}
