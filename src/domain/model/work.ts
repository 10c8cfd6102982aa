import * as z from "zod";
import { count, id, object, storedInstant, word } from "../../kernel/fields.js";
import { plainId, transactionId } from "../values/ids.js";
import type { DueItem, DueQueue } from "../../kernel/records/due-work.js";
import type { IdSource } from "../../kernel/records/ids.js";
import type { Instant } from "../../kernel/time/instant.js";
import type { Move, MoveLog } from "../../kernel/records/lifecycle.js";
import type { Row, RowStore, Table } from "../../kernel/records/table.js";
import { type Change, UnitOfWork } from "../../kernel/records/unit-of-work.js";
import type { Account, LedgerEntry } from "./account.js";
import type { Charge, PendingPayment } from "./charge.js";
import type { Customer } from "./customer.js";
import type { Delivery, Hold } from "./delivery.js";
import type { DomainEvent, NewEvent } from "./events.js";
import type { Profile } from "../profile/profile.js";
import type { Rule } from "./rule.js";
import type { Subscription } from "./subscription.js";
import type { Batch, Transfer } from "./transfer.js";

export const dueKinds = ["charge.expire", "transfer.settle", "payment.settle", "delivery.attempt"] as const;
export type DueKind = (typeof dueKinds)[number];

/** A timer's id follows from its fields, so it is not stored. */
export const dueRow: z.ZodType<DueItem<DueKind>> = z.codec(
  object({ seq: count, dueAt: storedInstant, kind: word(dueKinds), subject: id }),
  z.custom<DueItem<DueKind>>(),
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

/** Everything one company has stored. */
export interface World {
  readonly accounts: Table<Account>;
  readonly ledger: Table<LedgerEntry>;
  readonly customers: Table<Customer>;
  readonly charges: Table<Charge, "externalId">;
  readonly transfers: Table<Transfer, "reference">;
  readonly batches: Table<Batch>;
  readonly subscriptions: Table<Subscription>;
  readonly deliveries: Table<Delivery>;
  readonly events: Table<DomainEvent>;
  readonly rules: Table<Rule>;
  /** Payments whose result comes later, by a rule. */
  readonly payments: Table<PendingPayment>;
  /** Deliveries that a rule holds back until their resource's last event. */
  readonly holds: Table<Hold>;
  readonly due: DueQueue<DueKind>;
}

/** A first attempt to make. */
export interface EnqueuedDelivery {
  readonly delivery: Delivery;
  /** "the API's answer waits until the first attempt has ended". */
  readonly beforeAnswer: boolean;
}

export interface WorkContext {
  readonly world: World;
  readonly profile: Profile;
  readonly ids: IdSource;
  /** The company's now, the same for everything this work does. */
  readonly at: Instant;
  /** The next place in the order of the company's records. */
  readonly nextSeq: () => number;
}

/**
 * What an operation is given: the company's records to read, its profile, its now, and the only ways to change anything. When
 * the operation throws, none of it is kept.
 */
export class Work implements MoveLog {
  readonly world: World;
  readonly profile: Profile;
  readonly ids: IdSource;
  readonly at: Instant;
  readonly nextSeq: () => number;
  readonly #unit = new UnitOfWork();
  readonly #events: DomainEvent[] = [];
  readonly #enqueued: EnqueuedDelivery[] = [];
  readonly #moves: Move[] = [];

  constructor({ world, profile, ids, at, nextSeq }: WorkContext) {
    this.world = world;
    this.profile = profile;
    this.ids = ids;
    this.at = at;
    this.nextSeq = nextSeq;
  }

  put<T extends Row>(store: RowStore<T>, row: T): T {
    this.#unit.put(store, row);
    return row;
  }

  remove<T extends Row>(store: RowStore<T>, id: string): void {
    this.#unit.remove(store, id);
  }

  emit(event: NewEvent): void {
    const recorded: DomainEvent = { id: this.ids.short("evt"), seq: this.nextSeq(), at: this.at, ...event };
    this.put(this.world.events, recorded);
    this.#events.push(recorded);
  }

  /** `id` names the timer, so that it can be cancelled; one subject has at most one timer of a kind. */
  schedule(kind: DueKind, subject: string, dueAt: Instant, seq: number = this.nextSeq()): void {
    const item: DueItem<DueKind> = { id: dueId(kind, subject), seq, dueAt, kind, subject };
    this.put(this.world.due, item);
  }

  unschedule(kind: DueKind, subject: string): void {
    this.remove(this.world.due, dueId(kind, subject));
  }

  /** Plans the first attempt, made after the commit: once the answer has left, or while the answer waits for it. */
  enqueue(delivery: Delivery, beforeAnswer = false): void {
    this.#enqueued.push({ delivery, beforeAnswer });
  }

  /** First attempts to make, in the order in which they go out. */
  get enqueued(): readonly EnqueuedDelivery[] {
    return this.#enqueued;
  }

  /** What happened in this work so far, oldest first. */
  get events(): readonly DomainEvent[] {
    return this.#events;
  }

  /** Transitions of lifecycles, oldest first. */
  get moves(): readonly Move[] {
    return this.#moves;
  }

  recordMove(move: Move): void {
    this.#moves.push(move);
  }

  commit(): readonly Change[] {
    return this.#unit.commit();
  }

  rollback(): void {
    this.#unit.rollback();
  }
}

/** One subject has at most one timer of a kind, and this is its name. */
export function dueId(kind: DueKind, subject: string): string {
  return `${kind}:${subject}`;
}
