import { balanceOf } from "../../domain/accounts/ledger.js";
import { checkCustomer } from "../../domain/accounts/customers.js";
import { signBody } from "../../domain/deliveries/sign-delivery.js";
import type { EventType } from "../../domain/model/events.js";
import type { ChargeEvent } from "../../domain/profile/setting-kinds.js";
import type { Topic } from "../../domain/values/topic.js";
import { listPage } from "../../kernel/records/page.js";
import { renderCharge } from "../charges.js";
import type { OperationId } from "../operations.js";
import { renderPayload } from "../webhooks.js";
import { renderBalance, renderCustomerCheck, renderPage } from "../queries.js";
import { renderSubscription } from "../subscriptions.js";
import { renderBatch, renderTransfer } from "../transfers.js";
import type { Examples } from "./document.js";
import type { SampleWorld } from "./sample-world.js";

/** What each operation answers when it succeeds. An operation without examples has no body. */
export type SampleAnswers = Readonly<Record<OperationId, Examples>>;

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

/** The secret key of the sandbox's first company. */
export const SAMPLE_SECRET_KEY = "secret_sandbox";

export type SampleDelivery = ReturnType<typeof renderSampleDeliveries>[number];

/** What is sent under a topic in this spelling: the exact text of each body, and its signature. */
export function renderSampleDeliveries(sample: SampleWorld, topic: Topic, spelling: string) {
  return eventsOf(sample, topic).map(({ name, summary, type, about }) => {
    const body = renderPayload(sample.stage.profile, spelling, sample.stage.eventOf(type, about.id));
    return { name, summary, body, signature: signBody(body, SAMPLE_SECRET_KEY) };
  });
}

interface SampleEvent {
  readonly name: string;
  readonly summary: string;
  readonly type: EventType;
  readonly about: { readonly id: string };
}

function eventsOf({ stage, transfers, settledInBatch, charges }: SampleWorld, topic: Topic): SampleEvent[] {
  const { pending, completed, failed } = transfers;
  switch (topic) {
    case "transactions/started":
      return [{ name: "started", summary: "Received and queued", type: "transaction.started", about: pending }];
    case "transactions/completed":
      return [
        { name: "completed", summary: "Executed", type: "transaction.completed", about: completed },
        {
          name: "inBatch",
          summary: "Executed, as part of a batch",
          type: "transaction.completed",
          about: settledInBatch,
        },
      ];
    case "transactions/failed":
      return [{ name: "failed", summary: "Could not be executed", type: "transaction.failed", about: failed }];
    case "charges/events":
      return stage.profile.webhooks.chargeEvents.flatMap((status) => {
        const [name, summary] = chargeEvents[status];
        // A charge of 1 XOF cannot be refunded in part, so a profile with such amounts has no example of that.
        return charges[name].status === status
          ? [{ name, summary, type: `charge.${status}` as const, about: charges[name] }]
          : [];
      });
  }
}

const chargeEvents = {
  paid: ["paid", "Paid"],
  dropped: ["dropped", "Nobody paid in time"],
  refunded: ["refunded", "Refunded in full"],
  refunded_partially: ["refundedPartially", "Refunded in part"],
} as const satisfies Record<ChargeEvent, readonly [name: keyof SampleWorld["charges"], summary: string]>;

function example(summary: string, value: unknown) {
  return { summary, value };
}
