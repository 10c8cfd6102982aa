import * as z from "zod";
import { type DueItem, DueQueue } from "../../kernel/records/due-work.js";
import { Table } from "../../kernel/records/table.js";
import { Effort } from "../../kernel/effort.js";
import type { Account, LedgerEntry } from "./account.js";
import type { Charge, PendingPayment } from "./charge.js";
import type { Customer } from "./customer.js";
import type { Delivery, Hold } from "./delivery.js";
import type { DomainEvent, NewEvent } from "./events.js";
import type { Rule } from "./rule.js";
import type { Subscription } from "./subscription.js";
import type { Batch, Transfer } from "./transfer.js";
import { anyText, count, id, keptTimer, object, storedTimer, word } from "../../kernel/fields.js";
import { plainId, transactionId } from "../values/ids.js";
import { type IdSource, createUnusedIds } from "../../kernel/records/ids.js";
import type { Instant } from "../../kernel/time/instant.js";
import type { Move, MoveLog } from "../../kernel/records/lifecycle.js";
import { UnitOfWork } from "../../kernel/records/unit-of-work.js";
import type { Profile } from "../profile/profile.js";

const dueKinds = ["charge.expire", "transfer.settle", "payment.settle", "delivery.attempt"] as const;
export type DueKind = (typeof dueKinds)[number];

/** A timer's id follows from its fields, so it is not stored. */
export const dueRow: z.ZodType<DueItem<DueKind>> = z.codec(
  object({ seq: count, dueAt: storedTimer, kind: word(dueKinds), subject: id }),
  object({ id: anyText(), seq: count, dueAt: keptTimer, kind: word(dueKinds), subject: id }).refine(
    (item) => item.id === dueId(item.kind, item.subject),
    { error: "must have the id of its kind and subject" },
  ),
  {
    decode: ({ seq, dueAt, kind, subject: shown }) => {
      const subject = kind === "transfer.settle" ? plainId(shown) : shown;
      return { id: dueId(kind, subject), seq, dueAt, kind, subject };
    },
    encode: ({ seq, dueAt, kind, subject }) => ({ seq, dueAt, kind, subject: shownSubject({ kind, subject }) }),
  },
);

/** The id that the API shows. */
export function shownSubject({ kind, subject }: Pick<DueItem<DueKind>, "kind" | "subject">): string {
  return kind === "transfer.settle" ? transactionId(subject) : subject;
}

/** A first attempt that is to be made. */
export interface EnqueuedDelivery {
  readonly delivery: Delivery;
  /** Whether the API's answer waits until the first attempt has ended. */
  readonly beforeAnswer: boolean;
}

export interface WorkContext {
  readonly world: World;
  readonly profile: Profile;
  readonly ids: IdSource;
  /** The company's now, the same for everything that this work does. */
  readonly at: Instant;
  /** The next place in the order of the company's records. */
  readonly nextSeq: () => number;
  readonly effort?: Effort | undefined;
}

/**
 * What an operation gets: the company's records to read, its profile, its now, and the only ways to change anything. When the operation throws, no
 * change is kept.
 */
export class Work extends UnitOfWork implements MoveLog {
  readonly world: World;
  readonly profile: Profile;
  readonly ids: IdSource;
  readonly at: Instant;
  readonly nextSeq: () => number;
  /** What happened in this work so far, oldest first. */
  readonly events: DomainEvent[] = [];
  /** First attempts to make, in the order in which they are sent. */
  readonly enqueued: EnqueuedDelivery[] = [];
  /** Transitions of lifecycles, oldest first. */
  readonly moves: Move[] = [];
  /** The effort that matching rules may take in this work, all rules together. */
  readonly effort: Effort;

  constructor({ world, profile, ids, at, nextSeq, effort = new Effort() }: WorkContext) {
    super();
    this.world = world;
    this.profile = profile;
    const tables = Object.values(world);
    this.ids = createUnusedIds(ids, (id) => tables.some((table) => table.get(id) !== undefined));
    this.at = at;
    this.nextSeq = nextSeq;
    this.effort = effort;
  }

  emit(event: NewEvent): void {
    const recorded: DomainEvent = { id: this.ids.short("evt"), seq: this.nextSeq(), at: this.at, ...event };
    this.events.push(this.put(this.world.events, recorded));
  }

  /** A subject has at most one timer of each kind. */
  schedule(kind: DueKind, subject: string, dueAt: Instant, seq: number = this.nextSeq()): void {
    this.put(this.world.due, { id: dueId(kind, subject), seq, dueAt, kind, subject });
  }

  unschedule(kind: DueKind, subject: string): void {
    this.remove(this.world.due, dueId(kind, subject));
  }

  /** Plans the first attempt. It is made after the commit: once the answer has been sent, or while the answer waits for it. */
  enqueue(delivery: Delivery, beforeAnswer = false): void {
    this.enqueued.push({ delivery, beforeAnswer });
  }

  recordMove(move: Move): void {
    this.moves.push(move);
  }
}

export function dueId(kind: DueKind, subject: string): string {
  return `${kind}:${subject}`;
}

/** Everything one company has stored. */
export type World = ReturnType<typeof createWorld>;

export function createWorld() {
  return {
    accounts: new Table<Account>("accounts"),
    ledger: new Table<LedgerEntry>("ledger"),
    customers: new Table<Customer>("customers"),
    charges: new Table<Charge, "externalId">("charges", { externalId: (charge) => charge.externalId }),
    transfers: new Table<Transfer, "reference">("transfers", { reference: (transfer) => transfer.reference }),
    batches: new Table<Batch>("batches"),
    subscriptions: new Table<Subscription>("subscriptions"),
    deliveries: new Table<Delivery>("deliveries"),
    events: new Table<DomainEvent>("events"),
    rules: new Table<Rule>("rules"),
    /** Payments whose result comes later. */
    payments: new Table<PendingPayment>("payments"),
    /** Deliveries that a rule holds back. */
    holds: new Table<Hold>("holds"),
    due: new DueQueue<DueKind>(),
  };
}
