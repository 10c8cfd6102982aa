import { balanceOf } from "../../domain/accounts/ledger.js";
import type { Charge } from "../../domain/model/charge.js";
import { checkCustomer } from "../../domain/accounts/customers.js";
import { signBody } from "../../domain/deliveries/sign-delivery.js";
import type { DomainEvent } from "../../domain/model/events.js";
import type { ChargeEvent } from "../../domain/profile/setting-kinds.js";
import { type Topic, findTopic } from "../../domain/values/topic.js";
import { listPage } from "../../kernel/records/page.js";
import { renderCharge } from "../charges.js";
import type { OperationId } from "../operations.js";
import { renderPayload } from "../webhooks.js";
import { renderBalance, renderCustomerCheck, renderPage } from "../queries.js";
import { renderSubscription } from "../subscriptions.js";
import { renderBatch, renderTransfer } from "../transfers.js";
import type { Example, Examples } from "./document.js";
import type { SampleWorld } from "./sample-world.js";

/** What each operation answers when it succeeds; one without any example has no body. */
export type SampleAnswers = Readonly<Record<OperationId, Examples>>;

/** Every answer of success in the examples, as the renderers of the API make it. */
export function renderSampleAnswers(sample: SampleWorld): SampleAnswers {
  const { charges, transfers, batch, settledInBatch, subscription } = sample;
  const { profile, world } = sample.stage;
  const { testNumbers, customers, paging } = profile;
  const check = (msisdn: string): unknown => renderCustomerCheck(checkCustomer({ world, profile }, msisdn, undefined));
  const page = listPage(world.subscriptions, { limit: paging.limit });
  return {
    createTransaction: {
      pending: example("Received and queued", renderTransfer(transfers.pending, "created", profile)),
    },
    createBatch: { processing: example("Received and queued", renderBatch(batch, "created", profile)) },
    getTransaction: {
      completed: example("Executed", renderTransfer(transfers.completed, "read", profile)),
      failed: example("Could not be executed", renderTransfer(transfers.failed, "read", profile)),
      inBatch: example("Part of a batch", renderTransfer(settledInBatch, "read", profile)),
    },
    checkCustomer: {
      complete: example("A validated customer", check(testNumbers.success)),
      incomplete: example("A problem of identification", check(testNumbers.unverified)),
      ...(customers.unlisted === "unknown" ? { unknown: example("Not found", check("+2250700000099")) } : {}),
    },
    getBalance: { balance: example("The balance", renderBalance(balanceOf({ world }))) },
    createCharge: { created: example("Waits for its payment", renderCharge(charges.due, "created", profile)) },
    payCharge: {
      paid: example("Paid", renderCharge(charges.paid, "paid", profile)),
      declined: example("The attempt failed", renderCharge(charges.declined, "paid", profile)),
    },
    getCharge: {
      due: example("Waits for its payment", renderCharge(charges.due, "read", profile)),
      paid: example("Paid", renderCharge(charges.paid, "read", profile)),
      dropped: example("Nobody paid in time", renderCharge(charges.dropped, "read", profile)),
    },
    refundCharge: {
      full: example("Refunded in full", renderCharge(charges.refunded, "refunded", profile)),
      part: example("Refunded in part", renderCharge(charges.refundedPartially, "refunded", profile)),
    },
    createWebhook: { subscription: example("The subscription", renderSubscription(subscription, profile)) },
    getWebhook: { subscription: example("The subscription", renderSubscription(subscription, profile)) },
    listWebhooks: {
      page: example(
        "The only page",
        renderPage(page, (row) => renderSubscription(row, profile)),
      ),
    },
    deleteWebhook: {},
  };
}

/** The exact text of a delivery's body, and its signature. */
export interface SampleDelivery {
  readonly name: string;
  readonly summary: string;
  readonly body: string;
  readonly signature: string;
}

/** The secret key of the sandbox's first company. */
export const SAMPLE_SECRET_KEY = "secret_sandbox";

/** What is sent under a topic, in this spelling of it. */
export function renderSampleDeliveries(sample: SampleWorld, spelling: string): readonly SampleDelivery[] {
  const topic = findTopic(spelling);
  return topic === undefined
    ? []
    : eventsOf(sample, topic).map(({ name, summary, event }) => {
        const body = renderPayload(sample.stage.profile, spelling, event);
        return { name, summary, body, signature: signBody(body, SAMPLE_SECRET_KEY) };
      });
}

interface NamedEvent {
  readonly name: string;
  readonly summary: string;
  readonly event: DomainEvent;
}

function eventsOf({ stage, transfers, settledInBatch, charges }: SampleWorld, topic: Topic): NamedEvent[] {
  const about = (name: string, summary: string, type: DomainEvent["type"], { id }: { id: string }): NamedEvent => ({
    name,
    summary,
    event: stage.eventOf(type, id),
  });
  switch (topic) {
    case "transactions/started":
      return [about("started", "Received and queued", "transaction.started", transfers.pending)];
    case "transactions/completed":
      return [
        about("completed", "Executed", "transaction.completed", transfers.completed),
        about("inBatch", "Executed, as part of a batch", "transaction.completed", settledInBatch),
      ];
    case "transactions/failed":
      return [about("failed", "Could not be executed", "transaction.failed", transfers.failed)];
    case "charges/events":
      return stage.profile.webhooks.chargeEvents.flatMap((status) => {
        const { charge, name, summary } = chargeEvents[status](charges);
        // Of one XOF no part can be refunded: under such a profile there is no example of it.
        return charge.status === status ? [about(name, summary, `charge.${status}`, charge)] : [];
      });
  }
}

type NamedCharge = { readonly name: string; readonly summary: string; readonly charge: Charge };

const chargeEvents: Readonly<Record<ChargeEvent, (charges: SampleWorld["charges"]) => NamedCharge>> = {
  paid: ({ paid }) => ({ name: "paid", summary: "Paid", charge: paid }),
  dropped: ({ dropped }) => ({ name: "dropped", summary: "Nobody paid in time", charge: dropped }),
  refunded: ({ refunded }) => ({ name: "refunded", summary: "Refunded in full", charge: refunded }),
  refunded_partially: ({ refundedPartially }) => ({
    name: "refundedPartially",
    summary: "Refunded in part",
    charge: refundedPartially,
  }),
};

function example(summary: string, value: unknown): Example {
  return { summary, value };
}
