import { Document, isCollection, visit } from "yaml";
import { defaultProfile } from "../../domain/profile/parse-profile.js";
import { familyOf } from "../wire/events.js";
import { spell } from "./orders.js";
import { type Delivery, describeSchedule, type OrderName, realHistoryOf, type Schedule } from "./schedule.js";

export interface ScheduleScenario {
  readonly receiverUrl: string;
  /** The name of the signature's header. */
  readonly header: string;
  /** The topic that the user has named, if any. */
  readonly topic: string | undefined;
  /** Undefined unless the application makes its orders. */
  readonly order: unknown;
  /** The effect on the state. */
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
const HOW_TO = `# The receiver must be running, and SANDBOX_SECRET_KEY hold the secret key that it verifies with:
#   sandbox replay FILE
# An application that asks the API about what it is told needs these charges in the sandbox that it uses:
#   sandbox start --scenario FILE
`;
const HOW_TO_WITH_ORDERS = `# The application makes the orders of this story. Let it use this sandbox, without subscriptions of its own, and make them; SANDBOX_SECRET_KEY must hold
# the secret key that it verifies with:
#   sandbox start --scenario FILE
`;
const SIGN_WRONGLY = { name: "as if somebody else sent it", on: "delivery", then: { corruptSignature: true } };
const HOLD_BACK = { name: "nothing is sent by itself", on: "delivery", then: { drop: true } };

function subscriptionsOf(schedule: Schedule, { topic, receiverUrl }: ScheduleScenario) {
  const isForged = schedule.some(({ forged }) => forged !== undefined);
  const events = isForged ? schedule : realHistoryUpTo(schedule);
  const topics = new Set(
    subscriptionNumbersOf(schedule).flatMap((subscription) =>
      events.map(({ step }) => spell({ step, subscription }, topic)),
    ),
  );
  return [...topics].map((spelt) => ({ topic: spelt, url: receiverUrl }));
}

/** About orders of the sandbox's company. */
function* knownSteps(schedule: Schedule, options: ScheduleScenario, isForged: boolean): Generator<object> {
  yield {
    name: "webhooks are signed with the key that the receiver verifies with",
    request: "POST /_sandbox/companies/${companyId}/rotate",
    body: { secretKey: KEY },
    expect: { status: 200 },
  };
  const orders = [...new Set(schedule.map(({ order }) => order))];
  for (const order of orders) yield* createSteps(order, schedule, options);
  if (isForged) {
    for (const { order, step } of schedule) yield* happen(step, order);
    return yield { settle: true };
  }
  // A snapshot from before the payment, in which the charge can be dropped.
  const dropped = schedule.find(({ step }) => step === "dropped");
  if (dropped !== undefined) yield { request: "POST /_sandbox/snapshots/due", expect: { status: 201 } };
  for (const order of orders) yield* historySteps(order, schedule);
  const names = describeSchedule(schedule);
  for (const [index, delivery] of schedule.entries()) {
    if (delivery.step === "dropped") yield* dropSteps(delivery.order);
    yield {
      name: names[index],
      request: `POST /_sandbox/deliveries/\${${variableOf(delivery)}}/redeliver`,
      expect: { status: 200 },
    };
    yield { settle: true };
  }
}

function* createSteps(order: OrderName, schedule: Schedule, options: ScheduleScenario): Generator<object> {
  const own = schedule.find((delivery) => delivery.order === order);
  const isCharge = own === undefined || familyOf(own.step) === "charge";
  const name = { first: "an order", second: "another order", unknown: "an order" }[order];
  if (isCharge && options.order !== undefined) {
    yield {
      name: `${name}, which the application makes`,
      when: { event: { type: "charge.created" } },
      request: "GET /_sandbox/charges",
      query: { limit: 1 },
      expect: { status: 200 },
      save: { [order]: "body.data[0].id" },
    };
    return;
  }
  yield {
    name,
    ...(isCharge ? createCharge(order) : createTransfer(order)),
    expect: { status: 201 },
    save: { [order]: "body.id" },
  };
}

function createCharge(order: OrderName) {
  return {
    request: "POST /v1/charges",
    body: {
      amount: 10_000,
      externalId: `audit-${order}-\${uuid}`,
      description: "An order of the audit",
      onCanceledRedirectionUrl: "https://audit.test/canceled",
      onCompletedRedirectionUrl: "https://audit.test/completed",
    },
  };
}

function createTransfer(order: OrderName) {
  return {
    request: "POST /v1/transactions",
    body: { type: "transfer", amount: 10_000, msisdn: "${testNumbers.pending}", reference: `audit-${order}-\${uuid}` },
  };
}

/** The whole history of an order; saves the ids of its deliveries. */
function* historySteps(order: OrderName, schedule: Schedule): Generator<object> {
  const history = realHistoryUpTo(schedule.filter((delivery) => delivery.order === order));
  for (const { step } of history) yield* happen(step, order);
  // With two subscriptions each event has two deliveries, one after the other.
  const each = subscriptionNumbersOf(schedule).length;
  const wanted = schedule.filter((delivery) => delivery.order === order && delivery.step !== "dropped");
  if (wanted.length === 0) return;
  const places = wanted.map((delivery): [string, string] => {
    const event = history.findIndex(({ step }) => step === delivery.step);
    return [variableOf(delivery), `body.data[${event * each + delivery.subscription - 1}].id`];
  });
  yield {
    request: "GET /_sandbox/deliveries",
    query: { resource: `\${${order}}` },
    expect: { status: 200 },
    save: Object.fromEntries(places),
  };
}

function* happen(step: Delivery["step"], order: OrderName): Generator<object> {
  if (step === "paid") yield { request: `POST /_sandbox/charges/\${${order}}/pay`, expect: { status: 200 } };
  if (step === "refunded") yield { request: `POST /v1/charges/\${${order}}/refund`, expect: { status: 200 } };
  if (step === "completed")
    yield { request: `POST /_sandbox/transactions/\${${order}}/complete`, expect: { status: 200 } };
}

function* dropSteps(order: OrderName): Generator<object> {
  yield { name: "back to where nothing was paid", request: "PUT /_sandbox/snapshots/due", expect: { status: 200 } };
  yield { request: `POST /_sandbox/charges/\${${order}}/drop`, expect: { status: 200 } };
  yield {
    request: "GET /_sandbox/deliveries",
    query: { resource: `\${${order}}` },
    expect: { status: 200 },
    save: { [variableOf({ order, step: "dropped", subscription: 1 })]: "body.data[0].id" },
  };
}

/** About an order of another company with the same key: the API answers 404 to the application. */
function* unknownSteps(schedule: Schedule, { topic, receiverUrl }: ScheduleScenario): Generator<object> {
  const [delivery] = schedule;
  if (delivery === undefined) return;
  const { step } = delivery;
  const isCharge = familyOf(step) === "charge";
  const stranger = { token: "${strangerToken}", headers: { "X-Company-Id": "${stranger}" } };
  const company = { query: { company: "${stranger}" } };
  yield {
    name: "a company that the application knows nothing of, with the same key",
    request: "POST /_sandbox/companies",
    body: { companyId: "stranger-${uuid}", accessToken: "at_stranger_${uuid}", secretKey: KEY },
    expect: { status: 201 },
    save: { stranger: "body.companyId", strangerToken: "body.accessToken" },
  };
  const created = isCharge ? createCharge("unknown") : createTransfer("unknown");
  yield { ...created, ...stranger, expect: { status: 201 }, save: { unknown: "body.id" } };
  if (step === "refunded") yield { ...[...happen("paid", "unknown")][0], ...company };
  yield {
    request: "POST /v1/webhooks",
    ...stranger,
    body: { topic: spell({ step, subscription: 1 }, topic), url: receiverUrl },
    expect: { status: 201 },
  };
  const name = describeSchedule(schedule)[0];
  if (step === "dropped")
    yield { name, request: "POST /_sandbox/charges/${unknown}/drop", ...company, expect: { status: 200 } };
  else if (step === "refunded")
    yield { name, request: "POST /v1/charges/${unknown}/refund", ...stranger, expect: { status: 200 } };
  else yield { name, ...[...happen(step, "unknown")][0], ...company };
  yield { request: "POST /_sandbox/settle", ...company, expect: { status: 200 } };
  yield { request: "DELETE /_sandbox/companies/${stranger}", expect: { status: 204 } };
}

/** A refund needs a payment before it, whether its event is delivered or not. */
function realHistoryUpTo(schedule: Schedule): Schedule {
  const earlier = schedule.flatMap((delivery): Delivery[] => {
    if (delivery.step === "refunded") return [{ ...delivery, step: "paid" }];
    return delivery.step === "completed" ? [{ ...delivery, step: "started" }] : [];
  });
  return realHistoryOf([...earlier, ...schedule]);
}

function subscriptionNumbersOf(schedule: Schedule): readonly (1 | 2)[] {
  return schedule.some(({ subscription }) => subscription === 2) ? [1, 2] : [1];
}

function variableOf({ order, step, subscription }: Delivery): string {
  return `${order}_${step}_${subscription}`;
}
