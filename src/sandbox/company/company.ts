import { expireWhenDue } from "../../domain/charges/drop-charge.js";
import { settlePayment } from "../../domain/charges/pay-charge.js";
import { settleTransfer } from "../../domain/transfers/settle-transfer.js";
import { type DueKind, type Owed, Work, type World } from "../../domain/model/work.js";
import type { StoreEntry } from "../../adapters/store/store.js";
import { renderPayload } from "../../contract/webhooks.js";
import type { Profile } from "../../domain/profile/profile.js";
import { trackProfile } from "../../domain/profile/track-profile.js";
import { Clock } from "../../kernel/clock.js";
import type { DueItem } from "../../kernel/due-work.js";
import { type IdSource, createIdSource } from "../../kernel/ids.js";
import type { Instant } from "../../kernel/instant.js";
import type { EventEmitter } from "../../kernel/events.js";
import type { Move } from "../../kernel/lifecycle.js";
import type { Change } from "../../kernel/unit-of-work.js";
import { attemptDelivery } from "./attempt-delivery.js";
import type { CompanyRecord } from "../state/company-record.js";
import { Dispatcher } from "./dispatcher.js";
import { createForgetter } from "./forget-oldest.js";
import { type ReleaseGate, atOnce } from "./release-gate.js";
import type { CompanyDeps, CompanyEvents, CompanyWatcher } from "./company-deps.js";
import { commitEntry, headEntry } from "../state/store-format.js";
import { giveUpDeliveries } from "../../domain/rules/holds.js";
import { oweDeliveries } from "../../domain/deliveries/enqueue-deliveries.js";
import type { Delivery } from "../../domain/model/delivery.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";

/** An operation of the domain: one synchronous function over a unit of work. */
export type Operation<Input, Output> = (work: Work, input: Input) => Output;

/** Due items handled before requests and answers get their turn. */
const DUE_SLICE = 50;

/**
 * One company, one world: its records, its clock, and what is due in it. Every change goes through `run`, one synchronous step from
 * reading to committing; that makes a payment atomic without a lock.
 */
export class Company {
  readonly deps: CompanyDeps;
  readonly record: CompanyRecord;
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  readonly watcher: CompanyWatcher;
  /** It notes which of its settings are read (`collectSettings`). */
  profile: Profile;
  /** Whether an advance goes on to fire what is due: a timer beside it would fire as much again in each turn of the event loop, faster than it can be sent. */
  isWalked = false;
  readonly #ids: IdSource;
  readonly #forgetEvents: (work: Work) => void;
  readonly #forgetDeliveries: (work: Work) => void;
  readonly #closing = new AbortController();
  #clockTasks: Promise<unknown> = Promise.resolve();
  #draining: Promise<void> | undefined;
  #armedFor: Instant | undefined;
  #disarm: () => void = () => undefined;

  constructor(deps: CompanyDeps, record: CompanyRecord, profile: Profile) {
    this.deps = deps;
    this.record = record;
    this.profile = trackProfile(profile);
    this.watcher = deps.watcherOf(record.identity.id);
    this.watcher.adopt(record.overrides);
    this.clock = new Clock(deps.system, record.clock);
    this.#ids = createIdSource(deps.seed, record.identity.id, record.idPosition);
    const { events, deliveries } = record.world;
    const { limits } = deps;
    this.#forgetEvents = createForgetter(events, limits.events);
    this.#forgetDeliveries = createForgetter(deliveries, limits.deliveries, {
      mayGo: ({ status }) => status !== "pending",
      most: Math.max(limits.deliveries, limits.pendingDeliveries),
      giveUp: (work, rows) => this.#giveUp(work, rows),
    });
    this.dispatcher = new Dispatcher({
      events: deps.events,
      attempt: (deliveryId, turn) => attemptDelivery(this, deliveryId, turn, this.#closing.signal),
      isPending: (deliveryId) => this.world.deliveries.get(deliveryId)?.status === "pending",
      nextSeq: this.nextSeq,
      onBug: (deliveryId, error) => this.#logBug({ delivery: deliveryId }, error),
    });
  }

  get id(): string {
    return this.record.identity.id;
  }

  get world(): World {
    return this.record.world;
  }

  get closed(): boolean {
    return this.#closing.signal.aborted;
  }

  get events(): EventEmitter<CompanyEvents> {
    return this.deps.events;
  }

  now(): Instant {
    return this.clock.now();
  }

  /** Reports that something other than the records has changed: the clock, the profile, the snapshots. */
  emitChanged(changes: readonly Change[] = [], moves: readonly Move[] = []): void {
    this.events.emit("changed", { company: this, changes, moves });
  }

  ids(): IdSource {
    return this.#ids;
  }

  /**
   * Everything of the operation or nothing, at one instant of the company's time; the deliveries it owes go out when `gate` says so. What is
   * due by that instant happens first, also what came due since `ready` looked: nothing is paid in the millisecond of its expiry.
   */
  run<Input, Output>(operation: Operation<Input, Output>, input: Input, gate: ReleaseGate = atOnce): Output {
    const at = this.now();
    while (!this.#fireSlice(at));
    return this.#runAt(at, operation, input, gate);
  }

  /** As `run`, but before what is due by now, which may be very much: for what came of something that began earlier. */
  runAhead<Input, Output>(operation: Operation<Input, Output>, input: Input): Output {
    return this.#runAt(this.now(), operation, input, atOnce);
  }

  /** Takes the next place in the order of the company's records. */
  readonly nextSeq = (): number => ++this.record.seq;

  /**
   * "Before any request is handled, everything due at or before the company's now has happened." Undefined when nothing has to be waited for,
   * which is nearly always.
   */
  ready(): Promise<void> | undefined {
    if (this.#draining !== undefined || this.#fireSlice()) return this.#draining;
    this.#draining = this.#drain().finally(() => {
      this.#draining = undefined;
    });
    return this.#draining;
  }

  /** Makes sure that what is due fires when its time comes, whether or not a request does. */
  wake(): void {
    if (this.closed || this.isWalked) return;
    const next = this.world.due.peek();
    if (next === undefined || (this.#armedFor !== undefined && this.#armedFor <= next.dueAt)) return;
    const delay = next.dueAt <= this.now() ? 0 : this.clock.realDelayUntil(next.dueAt);
    if (delay === undefined) return;
    this.#disarm();
    this.#armedFor = next.dueAt;
    this.#disarm = this.deps.system.after(delay, () => {
      this.#armedFor = undefined;
      void Promise.resolve(this.ready()).finally(() => this.wake());
    });
  }

  /** The clock was changed or pinned: what was planned in real time is planned anew. */
  rearm(): void {
    this.#disarm();
    this.#armedFor = undefined;
    this.record.clock = this.clock.save();
    this.note(() => headEntry(this.id, { clock: this.record.clock }));
    this.emitChanged();
    this.wake();
  }

  /** One advance or change of the clock at a time. */
  exclusively<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#clockTasks.then(task);
    this.#clockTasks = result.catch(() => undefined);
    return result;
  }

  /** Other settings, from the next request on. `profile` is what `overrides` make of the defaults. */
  adopt(profile: Profile, overrides: ProfileOverrides): void {
    this.profile = trackProfile(profile);
    this.record.overrides = overrides;
    this.watcher.adopt(overrides);
    this.note(() => headEntry(this.id, { overrides }));
    this.emitChanged();
  }

  /** Tells the store of a change, if it keeps any. Nobody stores what another company has taken the place of. */
  note(describe: () => StoreEntry): void {
    if (this.deps.store.keeps && !this.closed) this.deps.store.note(describe());
  }

  /** Does one due item at its own instant. A bug in it is logged, and costs that item alone. */
  fire(item: DueItem<DueKind>): void {
    try {
      const { owed } = this.#commit(fireDueItem, item, item.dueAt);
      if (owed.length > 0) this.#send(owed, atOnce);
      const delivery = item.kind === "delivery.attempt" ? this.world.deliveries.get(item.subject) : undefined;
      if (delivery !== undefined) this.dispatcher.holdRetries([delivery])();
    } catch (error) {
      this.world.due.delete(item.id);
      this.note(() =>
        commitEntry(this.record, [{ store: this.world.due, before: item, after: undefined }], item.dueAt),
      );
      this.#logBug({ due: item.kind, id: item.subject }, error);
    }
    this.events.emit("fired", { company: this, item });
  }

  /** Starts nothing more, gives up what is on the wire. */
  close(): void {
    this.#disarm();
    this.#closing.abort();
    this.dispatcher.close();
    this.emitChanged();
  }

  #runAt<Input, Output>(at: Instant, operation: Operation<Input, Output>, input: Input, gate: ReleaseGate): Output {
    const { output, owed } = this.#commit(operation, input, at);
    if (owed.length > 0) this.#send(owed, gate);
    this.wake();
    return output;
  }

  #commit<Input, Output>(operation: Operation<Input, Output>, input: Input, at: Instant) {
    return this.watcher.watch(() => this.#commitUnwatched(operation, input, at));
  }

  #commitUnwatched<Input, Output>(operation: Operation<Input, Output>, input: Input, at: Instant) {
    const work = new Work({ world: this.world, profile: this.profile, ids: this.#ids, at, nextSeq: this.nextSeq });
    let committed = false;
    try {
      const output = operation(work, input);
      oweDeliveries(work, (topic, event) => renderPayload(this.profile, topic, event));
      this.#forgetEvents(work);
      this.#forgetDeliveries(work);
      const changes = work.commit();
      committed = true;
      this.record.idPosition = this.#ids.position;
      if (changes.length > 0) this.note(() => commitEntry(this.record, changes, at));
      this.emitChanged(changes, work.moves);
      return { output, owed: work.owed };
    } finally {
      if (!committed) work.rollback();
    }
  }

  /** Those that a rule sends before the answer are bounded: "at most `webhooks.timeout`". */
  #send(owed: readonly Owed[], gate: ReleaseGate): void {
    const held = this.dispatcher.hold(owed.map(({ delivery }) => delivery));
    const urgent = owed.filter(({ beforeAnswer }) => beforeAnswer).map(({ delivery }) => delivery);
    if (urgent.length > 0) gate.before(held.sendNow(urgent, this.deps.system, this.profile.webhooks.timeout));
    const kept = gate === atOnce ? this.deps.store.durable(true) : undefined;
    // Nobody hears of what a kill could still undo; an answer waits for that by itself.
    if (kept === undefined) gate.after(held.release);
    else void kept.then(held.release, held.release);
  }

  #giveUp(work: Work, deliveries: readonly Delivery[]): void {
    giveUpDeliveries(work, deliveries);
    const message = `more than ${this.deps.limits.pendingDeliveries} deliveries are pending: the oldest are given up`;
    this.deps.log.write("warn", "deliveries-given-up", { company: this.id, count: deliveries.length, message });
  }

  #logBug(where: Readonly<Record<string, unknown>>, error: unknown): void {
    const stack = error instanceof Error ? error.stack : String(error);
    this.deps.log.write("error", "bug", { company: this.id, ...where, error: stack });
  }

  #nextDue(at: Instant): DueItem<DueKind> | undefined {
    const next = this.world.due.peek();
    return next !== undefined && next.dueAt <= at ? next : undefined;
  }

  /** Whether nothing is due by `at` any more after some of it was done. */
  #fireSlice(at: Instant = this.now()): boolean {
    for (let fired = 0; fired < DUE_SLICE; fired++) {
      const item = this.#nextDue(at);
      if (item === undefined || this.closed) return true;
      this.fire(item);
    }
    return this.#nextDue(at) === undefined;
  }

  async #drain(): Promise<void> {
    do await this.deps.system.yieldToEventLoop();
    while (!this.#fireSlice());
  }
}

function fireDueItem(work: Work, item: DueItem<DueKind>): void {
  work.remove(work.world.due, item.id);
  dueHandlers[item.kind](work, item.subject);
}

/** What happens when the time of each kind of due work has come. An attempt changes nothing by itself: the dispatcher makes it. */
export const dueHandlers: Readonly<Record<DueKind, (work: Work, subject: string) => void>> = {
  "charge.expire": expireWhenDue,
  "transfer.settle": settleTransfer,
  "payment.settle": settlePayment,
  "delivery.attempt": () => undefined,
};
