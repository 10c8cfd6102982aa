import { defaultProfile } from "../../src/domain/profile/parse-profile.js";
import { createWorld } from "../../src/domain/model/work.js";
import { fromXof } from "../../src/domain/values/money.js";
import type { Charge } from "../../src/domain/model/charge.js";
import type { Attempt, Delivery } from "../../src/domain/model/delivery.js";
import type { Transfer } from "../../src/domain/model/transfer.js";
import type { Exchange } from "../../src/sandbox/company/exchange.js";
import type { Detection, Scene, Verdict } from "../../src/sandbox/findings/detector.js";
import type { JournalEntry } from "../../src/sandbox/observation/journal.js";

/** Creates input for tests of detectors, with defaults for what a test does not set. */

let seq = 0;

const answered = {
  at: 0,
  method: "GET",
  path: "/v1/balance",
  operation: "getBalance",
  headers: {},
  body: undefined,
  status: 200,
  answer: undefined,
  answerHeaders: {},
  durationMs: 0,
  problem: undefined,
  rule: undefined,
  fault: undefined,
  made: { from: 0, to: 0 },
  settings: [],
  rawBody: undefined,
} as const;

/** A request answered with 200, as the API reports it. */
export function exchange(change: Partial<Exchange> = {}): Exchange {
  return {
    turn: 0,
    company: undefined,
    connection: undefined,
    receivedAt: 0,
    ...answered,
    onLost: () => undefined,
    ...change,
  };
}

/** A request answered with 200, later than the previous one. */
export function sighting(change: Partial<JournalEntry> = {}): JournalEntry {
  seq++;
  return {
    id: `req_${seq}`,
    seq,
    receivedAt: seq * 10_000,
    ...answered,
    fate: "written",
    enqueued: [],
    created: [],
    bytes: 0,
    ...change,
  };
}

/** A payout of 10 000 XOF answered with 201. */
export function payout(
  reference: string,
  change: Partial<JournalEntry> & { readonly order?: object } = {},
): JournalEntry {
  const { order = {}, ...entry } = change;
  const body = { type: "transfer", amount: 10_000, msisdn: "+2250700000001", reference, ...order };
  return sighting({
    method: "POST",
    path: "/v1/transactions",
    operation: "createTransaction",
    body,
    status: 201,
    ...entry,
  });
}

/** The detections that no later verdict withdraws. */
export function detectionsOf(verdicts: readonly Verdict[] = []): readonly Detection[] {
  const found = new Map<string, Detection>();
  for (const verdict of verdicts) {
    if ("withdraws" in verdict) found.delete(verdict.withdraws);
    else found.set(verdict.key, verdict);
  }
  return [...found.values()];
}

/** An empty world. */
export function scene(change: Partial<Scene> = {}): Scene {
  return {
    world: createWorld(),
    profile: defaultProfile(),
    now: 0,
    secrets: [],
    connection: undefined,
    connectionAgeMs: 0,
    causeOf: () => undefined,
    isAudited: () => false,
    ...change,
  };
}

/** A charge of 8000 XOF, stored. */
export function storeCharge({ world }: Scene, change: Partial<Charge> = {}): Charge {
  const charge: Charge = {
    id: "charge-1",
    seq: world.charges.size + 1,
    createdAt: 0,
    externalId: "order-1",
    description: "Shoes",
    amount: fromXof(8000),
    feeRate: 0.01,
    fee: fromXof(80),
    status: "due",
    droppedReason: null,
    paid: 0,
    refunded: 0,
    attempts: 0,
    metadata: {},
    paymentUrl: "http://127.0.0.1/checkout/charge-1",
    onCompletedRedirectionUrl: "https://shop.test/yes",
    onCanceledRedirectionUrl: "https://shop.test/no",
    entries: [],
    expiresAt: 3_600_000,
    silent: false,
    ...change,
  };
  world.charges.set(charge);
  return charge;
}

/** A transfer, stored. */
export function storeTransfer({ world }: Scene, change: Pick<Transfer, "reference" | "status">): void {
  const id = `transfer-${world.transfers.size + 1}`;
  world.transfers.set({
    id,
    seq: world.transfers.size + 1,
    amount: fromXof(10_000),
    fee: fromXof(100),
    msisdn: "+2250700000001",
    description: undefined,
    batchId: null,
    failureReason: null,
    createdAt: 0,
    updatedAt: 0,
    plan: { outcome: "completed" },
    lateMs: 0,
    settleAfterMs: null,
    pollsLeft: null,
    debited: true,
    silent: false,
    ...change,
  });
}

/** An attempt that was acknowledged immediately. */
export function attempt(change: Partial<Attempt> = {}): Attempt {
  return { at: 0, status: 200, latencyMs: 3, error: null, requestHeaders: {}, response: null, ...change };
}

/** A webhook of a transfer, with its attempts. */
export function delivery(change: Partial<Delivery> = {}): Delivery {
  return {
    id: "del_1",
    seq: 7,
    createdAt: 0,
    eventId: "evt_1",
    subscriptionId: "sub_1",
    topic: "transactions/started",
    url: "https://shop.test/hooks",
    resource: "transfer-1",
    resourceKind: "transaction",
    body: "{}",
    status: "succeeded",
    nextAttemptAt: null,
    copy: 0,
    turn: 0,
    effect: null,
    attempts: [attempt()],
    ...change,
  };
}
