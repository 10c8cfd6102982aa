import { Document, isCollection, visit } from "yaml";
import { defaultProfile } from "../../domain/profile/parse-profile.js";
import { AMOUNT_XOF, familyOf, refundedAfter, type Step } from "../wire/events.js";
import { newCharge, spell } from "../application/orders.js";
import type { StateOptions } from "./state-session.js";
import {
  type Delivery,
  describeSchedule,
  isRefundedTwice,
  type OrderName,
  realHistoryOf,
  type Schedule,
} from "../application/schedule.js";

export interface ScheduleScenario extends Pick<StateOptions, "receiver" | "topic" | "order"> {
  /** The name of the signature's header. */
  readonly header: string;
  /** Deliveries that the receiver refused at first, and that the service makes once more. */
  readonly redelivered: Schedule;
  /** How the state differs from what it should be, one line for each place. */
  readonly difference: readonly string[];
}

/**
 * A schedule as a scenario file: a sandbox makes the charges and transfers, and delivers their events in exactly this order. A rule drops each delivery, and
 * the scenario sends it again when it is due.
 */
export function renderScheduleScenario(schedule: Schedule, options: ScheduleScenario): string | undefined {
  // A rule can make the sandbox sign wrongly, but not omit the signature.
  if (schedule.some(({ forged }) => forged === "unsigned")) return undefined;
  const deliveries = describeSchedule(schedule);
  const isUnknown = schedule.every(({ order }) => order === "unknown");
  const isForged = schedule.some(({ forged }) => forged !== undefined);
  const profile = { webhooks: { signatureHeader: options.header } };
  const given = {
    ...(options.header === defaultProfile().webhooks.signatureHeader ? {} : { profile }),
    ...(isUnknown
      ? {}
      : { webhooks: subscriptionsOf(schedule, options), rules: [isForged ? SIGN_WRONGLY : HOLD_BACK] }),
  };
  const scenario = {
    name: `Deliveries: ${deliveries.join("; ")}`,
    description: `Found by the audit. What should not be: ${options.difference.join("; ")}.`,
    tags: ["audit"],
    ...(Object.keys(given).length === 0 ? {} : { given }),
    steps: [...(isUnknown ? unknownSteps(schedule, options) : knownSteps(schedule, options, isForged))],
  };
  const howTo = options.order === undefined || isUnknown ? HOW_TO : HOW_TO_WITH_ORDERS;
  return `# yaml-language-server: $schema=${SCHEMA}\n${howTo}${renderYaml(scenario)}`;
}

/** Short collections are on one line. */
function renderYaml(scenario: object): string {
  const document = new Document(scenario, { aliasDuplicateObjects: false });
  visit(document, (_, node, path) => {
    if (!isCollection(node) || path.length < 2) return;
    node.flow = JSON.stringify(node.toJS(document)).length <= ONE_LINE_MAX;
  });
  return document.toString({ lineWidth: 0 });
}

const ONE_LINE_MAX = 100;

const SCHEMA = "node_modules/business-payments-sandbox/schema/scenario.schema.json";
const KEY = "${env.SANDBOX_SECRET_KEY}";
const HOW_TO = `# It delivers the events, and checks that the receiver acknowledges genuine ones and refuses forged ones. Read the application's state afterwards.
# The receiver must be running, and SANDBOX_SECRET_KEY hold the secret key that it verifies with:
#   npx business-payments-sandbox replay FILE
# An application that asks the API about each event needs these charges in the sandbox that it uses:
#   npx business-payments-sandbox start --scenario FILE
`;
const HOW_TO_WITH_ORDERS = `# It only drives: read the state of the application yourself afterwards.
# The application makes the orders of this scenario. Let it use this sandbox, without subscriptions of its own, and make them; SANDBOX_SECRET_KEY must hold
# the secret key that it verifies with:
#   npx business-payments-sandbox start --scenario FILE
`;
const SIGN_WRONGLY = { name: "as if someone else sent it", on: "delivery", then: { corruptSignature: true } };
const HOLD_BACK = { name: "nothing is sent by itself", on: "delivery", then: { drop: true } };

function subscriptionsOf(schedule: Schedule, { topic, receiver }: ScheduleScenario) {
  const isForged = schedule.some(({ forged }) => forged !== undefined);
  const events = isForged ? schedule : realHistoryUpTo(schedule);
  const topics = new Set(
    subscriptionNumbersOf(schedule).flatMap((subscription) =>
      events.map(({ step }) => spell({ step, subscription }, topic)),
    ),
  );
  const webhooks = [...topics].map((spelt) => ({ topic: spelt, url: receiver }));
  return Array.from({ length: copiesIn(schedule) }, () => webhooks).flat();
}

/** How many equal subscriptions are needed. One delivery cannot be sent several times at once, but each subscription has a delivery of its own. */
function copiesIn(schedule: Schedule): number {
  return Math.max(...schedule.map(({ copies = 1 }) => copies));
}

interface CallParts {
  /** The status of the answer. Default: 200. */
  readonly status?: number;
  readonly save?: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

/** A request that must succeed. */
function call(request: string, { status = 200, save, ...more }: CallParts = {}) {
  return { request, ...more, expect: { status }, ...(save === undefined ? {} : { save }) };
}

/** The steps about orders of the sandbox's company. */
function* knownSteps(schedule: Schedule, options: ScheduleScenario, isForged: boolean): Generator<object> {
  yield {
    name: "webhooks are signed with the key that the receiver verifies with",
    ...call("POST /_sandbox/companies/${companyId}/rotate", { body: { secretKey: KEY } }),
  };
  const orders = [...new Set(schedule.map(({ order }) => order))];
  for (const order of orders) yield createStep(order, schedule, options);
  if (isForged) {
    for (const { order, step } of schedule) yield* eventSteps(step, order);
    yield { settle: true };
    for (const order of orders) yield acknowledged(order, 0);
    return;
  }
  // A snapshot from before the payment, in which the charge can be dropped.
  const dropped = schedule.find((delivery) => isDroppedAfterAll(delivery, schedule));
  if (dropped !== undefined) yield call("POST /_sandbox/snapshots/due", { status: 201 });
  for (const order of orders) yield* historySteps(order, schedule);
  const names = describeSchedule(schedule);
  for (const [index, delivery] of schedule.entries()) {
    if (isDroppedAfterAll(delivery, schedule)) yield* dropSteps(delivery.order);
    yield* redeliverSteps(delivery, names[index]);
  }
  for (const delivery of options.redelivered)
    yield* redeliverSteps(delivery, `${describeSchedule([delivery])[0]}, once more, since it was refused`);
  // Restoring the snapshot removes the deliveries that were made before.
  const known = schedule.slice(
    Math.max(
      0,
      schedule.findIndex((delivery) => isDroppedAfterAll(delivery, schedule)),
    ),
  );
  for (const order of new Set(known.map((delivery) => delivery.order))) {
    const own = known.filter((delivery) => delivery.order === order);
    yield acknowledged(order, new Set(own.flatMap(variablesOf)).size);
  }
}

function* redeliverSteps(delivery: Delivery, name: string | undefined): Generator<object> {
  const [first, ...others] = variablesOf(delivery).map((variable) =>
    call(`POST /_sandbox/deliveries/\${${variable}}/redeliver`),
  );
  yield { name, ...(others.length === 0 ? first : { parallel: [first, ...others] }) };
  yield { settle: true };
}

function createStep(order: OrderName, schedule: Schedule, options: ScheduleScenario): object {
  const isCharge = schedule.some((delivery) => delivery.order === order && familyOf(delivery.step) === "charge");
  const name = order === "second" ? "another order" : "an order";
  if (!isCharge || options.order === undefined) return { name, ...create(isCharge, order) };
  return {
    name: `${name}, which the application makes`,
    when: { event: { type: "charge.created" } },
    ...call("GET /_sandbox/charges", { query: { limit: 1 }, save: { [order]: "body.data[0].id" } }),
  };
}

function create(isCharge: boolean, order: OrderName, more: CallParts = {}) {
  const reference = `audit-${order}-\${uuid}`;
  const transfer = { type: "transfer", amount: AMOUNT_XOF, msisdn: "${testNumbers.pending}", reference };
  const body = isCharge ? { ...newCharge, externalId: reference } : transfer;
  const path = isCharge ? "/v1/charges" : "/v1/transactions";
  return call(`POST ${path}`, { body, ...more, status: 201, save: { [order]: "body.id" } });
}

/** The whole history of an order; saves the ids of its deliveries. */
function* historySteps(order: OrderName, schedule: Schedule): Generator<object> {
  const history = realHistoryUpTo(schedule.filter((delivery) => delivery.order === order));
  const refunded = isRefundedTwice(history) ? refundedAfter("refunded in part", AMOUNT_XOF) : 0;
  for (const { step } of history) yield* eventSteps(step, order, {}, refunded);
  // With two subscriptions each event has two deliveries, one after the other.
  const each = subscriptionNumbersOf(schedule).length * copiesIn(schedule);
  const wanted = schedule.filter((delivery) => delivery.order === order && !isDroppedAfterAll(delivery, schedule));
  if (wanted.length === 0) return;
  const places = wanted.flatMap((delivery) => {
    const event = history.findIndex(({ step }) => step === delivery.step);
    const first = event * each + delivery.subscription - 1;
    return variablesOf(delivery).map((variable, copy) => [variable, `body.data[${first + copy}].id`] as const);
  });
  yield saveDeliveries(order, Object.fromEntries(places));
}

function saveDeliveries(order: OrderName, save: NonNullable<CallParts["save"]>) {
  return call("GET /_sandbox/deliveries", { query: { resource: `\${${order}}`, limit: 1000 }, save });
}

function acknowledged(order: OrderName, count: number): object {
  return {
    name: count === 0 ? "the receiver refuses the event" : "the receiver acknowledges each event",
    request: "GET /_sandbox/deliveries",
    query: { resource: `\${${order}}`, status: "succeeded", limit: 1000 },
    expect: { status: 200, body: { count } },
  };
}

/** The steps that make an event happen to an order, of which `refunded` was refunded before. A transfer starts when it is created. */
function eventSteps(step: Step, order: OrderName, more: CallParts = {}, refunded = 0): object[] {
  const id = `\${${order}}`;
  const refund = `POST /v1/charges/${id}/refund`;
  const requests: Partial<Record<Step, readonly [request: string, body?: object]>> = {
    paid: [`POST /_sandbox/charges/${id}/pay`],
    refunded: [refund],
    "refunded in part": [refund, { amount: refundedAfter("refunded in part", AMOUNT_XOF) }],
    "refunded further": [refund, { amount: refundedAfter("refunded further", AMOUNT_XOF) - refunded }],
    dropped: [`POST /_sandbox/charges/${id}/drop`],
    completed: [`POST /_sandbox/transactions/${id}/complete`],
    failed: [`POST /_sandbox/transactions/${id}/fail`],
  };
  const [request, body] = requests[step] ?? [];
  return request === undefined ? [] : [call(request, { ...(body === undefined ? {} : { body }), ...more })];
}

/** Whether a delivery is the dropped event of a charge that was paid. */
function isDroppedAfterAll({ step, order }: Delivery, schedule: Schedule): boolean {
  return step === "dropped" && realHistoryOf(schedule).every((real) => real.order !== order || real.step !== "dropped");
}

function* dropSteps(order: OrderName): Generator<object> {
  yield { name: "back to before the payment", ...call("PUT /_sandbox/snapshots/due") };
  yield* eventSteps("dropped", order);
  yield saveDeliveries(order, { [`${order}_dropped_1`]: "body.data[0].id" });
}

/** The steps about an order of another company with the same key: the API answers 404 to the application. */
function* unknownSteps(schedule: Schedule, { topic, receiver }: ScheduleScenario): Generator<object> {
  const [delivery] = schedule;
  if (delivery === undefined) return;
  const { step } = delivery;
  const stranger = { token: "${strangerToken}", headers: { "X-Company-Id": "${stranger}" } };
  const company = { query: { company: "${stranger}" } };
  yield {
    name: "a company that the application does not know, with the same key",
    ...call("POST /_sandbox/companies", {
      body: { companyId: "stranger-${uuid}", accessToken: "at_stranger_${uuid}", secretKey: KEY },
      status: 201,
      save: { stranger: "body.companyId", strangerToken: "body.accessToken" },
    }),
  };
  yield create(familyOf(step) === "charge", "unknown", stranger);
  if (step === "refunded") yield* eventSteps("paid", "unknown", company);
  const body = { topic: spell({ step, subscription: 1 }, topic), url: receiver };
  yield call("POST /v1/webhooks", { ...stranger, body, status: 201 });
  const name = describeSchedule(schedule)[0];
  for (const last of eventSteps(step, "unknown", step === "refunded" ? stranger : company)) yield { name, ...last };
  yield call("POST /_sandbox/settle", company);
  yield call("DELETE /_sandbox/companies/${stranger}", { status: 204 });
}

/** The real history with all steps that it requires: a refund needs a payment before it, whether or not the event of the payment is delivered. */
function realHistoryUpTo(schedule: Schedule): Schedule {
  const earlier = schedule.flatMap((delivery): Delivery[] => {
    return (stepsBefore[delivery.step] ?? []).map((step) => ({ ...delivery, step }));
  });
  return realHistoryOf([...earlier, ...schedule]);
}

const stepsBefore: Partial<Record<Step, readonly Step[]>> = {
  "refunded in part": ["paid"],
  "refunded further": ["paid"],
  refunded: ["paid"],
  completed: ["started"],
  failed: ["started"],
};

function subscriptionNumbersOf(schedule: Schedule): readonly (1 | 2)[] {
  return schedule.some(({ subscription }) => subscription === 2) ? [1, 2] : [1];
}

/** The names of the variables that hold the ids of a delivery, one for each copy. */
function variablesOf({ order, step, subscription, copies = 1 }: Delivery): string[] {
  const name = `${order}_${step.replaceAll(" ", "_")}_${subscription}`;
  return Array.from({ length: copies }, (_, copy) => (copy === 0 ? name : `${name}_${copy + 1}`));
}
