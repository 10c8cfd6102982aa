import { Effort } from "../../kernel/effort.js";
import { stackOf } from "../../kernel/log.js";
import { expireWhenDue } from "../../domain/charges/drop-charge.js";
import { settlePayment } from "../../domain/charges/pay-charge.js";
import { settleTransfer } from "../../domain/transfers/settle-transfer.js";
import { type DueKind, type EnqueuedDelivery, Work, type World } from "../../domain/model/work.js";
import type { StoreEntry } from "../../adapters/store/store.js";
import { renderPayload } from "../../contract/webhooks.js";
import { type DrawPerson, checkCustomer } from "../../domain/accounts/customers.js";
import type { CustomerCheck } from "../../domain/model/customer.js";
import { createDrawPerson } from "../state/load-faker.js";
import type { Profile } from "../../domain/profile/profile.js";
import { trackProfile } from "../../domain/profile/track-profile.js";
import { Clock, notBefore } from "../../kernel/time/clock.js";
import type { DueItem } from "../../kernel/records/due-work.js";
import { type IdSource, createIdSource } from "../../kernel/records/ids.js";
import type { Instant } from "../../kernel/time/instant.js";
import type { EventEmitter } from "../../kernel/events.js";
import type { Move } from "../../kernel/records/lifecycle.js";
import type { Change } from "../../kernel/records/unit-of-work.js";
import { attemptDelivery } from "./attempt-delivery.js";
import type { CompanyRecord } from "../state/company-record.js";
import { Dispatcher } from "./dispatcher.js";
import type { Row, Table } from "../../kernel/records/table.js";
import { type ReleaseGate, releaseImmediately } from "./release-gate.js";
import type { CompanyDeps, CompanyEvents, CompanyWatcher } from "./company-deps.js";
import { commitEntry, headEntry } from "../state/store-format.js";
import { cancelDeliveryTimers } from "../../domain/rules/holds.js";
import { HELD_MAX, WEBHOOKS_OF_WORK_MAX, enqueueDeliveries } from "../../domain/deliveries/enqueue-deliveries.js";
import { type Delivery, WEBHOOK_BYTES_OF_WORK_MAX } from "../../domain/model/delivery.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";

/** An operation of the domain: one synchronous function over a unit of work. */
export type Operation<Input, Output> = (work: Work, input: Input) => Output;

/** The most due items that one turn of the event loop handles, and the longest time that it spends on them, ms. */
const DUE_SLICE = 50;
const DUE_SLICE_MS = 20;
/** The effort of rules over all items that fall due while a request is being handled, as a multiple of that of one item. */
const STEP_EFFORTS = 10;
/** The longest time that these items take, ms: each may have a webhook that a thousand rules count. */
const STEP_MS = 500;

/** The longest timer, ms. A timer notices neither that the machine slept nor that its clock was set, so what is due is checked at least this often. */
const TIMER_MS = 10_000;

/**
 * One company: its records, its clock, its due work and its deliveries. Every change goes through `run`, one synchronous step from reading to
 * committing; that makes a payment atomic without a lock.
 */
export class Company {
  readonly deps: CompanyDeps;
  readonly record: CompanyRecord;
  readonly clock: Clock;
  readonly dispatcher: Dispatcher;
  readonly watcher: CompanyWatcher;
  /** Records which of its settings are read (`SettingReads`). */
  profile: Profile;
  /** The time at which the company was opened or reset in this process, before the first record of its fixtures. */
  readonly openedAt: Instant;
  /** Whether an advance is firing due items. Timers fire none meanwhile. */
  isAdvancing = false;
  /** Whether an advance is waiting for receivers to answer. */
  isAdvanceWaiting = false;
  /** Draws a person for a number that is not listed; undefined until the names are loaded. */
  #drawPerson: DrawPerson | undefined;
  readonly #ids: IdSource;
  readonly #forgetEvents: (work: Work) => void;
  readonly #forgetDeliveries: (work: Work) => void;
  readonly #closing = new AbortController();
  #clockTasks: Promise<unknown> = Promise.resolve();
  #draining: Promise<void> | undefined;
  #turns: Promise<void> = Promise.resolve();
  #armedFor: Instant | undefined;
  #disarm: () => void = () => undefined;

  constructor(deps: CompanyDeps, record: CompanyRecord, profile: Profile, openedAt?: Instant) {
    this.deps = deps;
    this.record = record;
    this.profile = this.#effective(profile);
    this.watcher = deps.watcherOf(record.identity.id);
    this.watcher.adopt(record.overrides);
    this.clock = new Clock(deps.system, record.clock);
    this.openedAt = openedAt ?? this.clock.now();
    this.#ids = createIdSource(deps.seed, record.identity.id, record.idPosition);
    const { events, deliveries } = record.world;
    const { limits } = deps;
    this.#forgetEvents = createForgetter(events, limits.events);
    this.#forgetDeliveries = createForgetter(
      deliveries,
      limits.deliveries,
      ({ status }) => status !== "pending",
      limits.pendingDeliveries,
      (work, rows) => this.#cancelOldest(work, rows),
    );
    this.dispatcher = new Dispatcher({
      events: deps.events,
      system: deps.system,
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
   * Runs an operation as a whole or not at all, at one instant of the company's time. Its deliveries start when `gate` opens. Items that are due by that
   * instant are fired first, so that no charge is paid in the millisecond of its expiry. If they take too long, the instant is that of the next one.
   */
  run<Input, Output>(
    operation: Operation<Input, Output>,
    input: Input,
    gate: ReleaseGate = releaseImmediately,
  ): Output {
    const { system } = this.deps;
    const at = this.now();
    if (this.#nextDue(at) !== undefined) {
      // All of it happens in one turn of the event loop.
      const effort = new Effort(undefined, STEP_EFFORTS);
      const end = system.monotonic() + STEP_MS;
      while (!this.#fireSlice(at, effort) && system.monotonic() < end);
    }
    return this.#runAt(this.#nextDue(at)?.dueAt ?? at, operation, input, gate);
  }

  /** Like `run`, but does not fire due items first: for the outcome of something that began earlier. */
  runAhead<Input, Output>(operation: Operation<Input, Output>, input: Input): Output {
    return this.#runAt(this.now(), operation, input, releaseImmediately);
  }

  /** Loads the names of people if the profile generates the customers of unlisted numbers. */
  async loadPeople(): Promise<void> {
    if (this.profile.customers.unlisted === "generated")
      this.#drawPerson ??= await createDrawPerson(this.deps.seed ?? 0);
  }

  checkCustomer(msisdn: string): CustomerCheck {
    return checkCustomer(this, msisdn, this.#drawPerson);
  }

  /** The next place in the order of the company's records. */
  readonly nextSeq = (): number => ++this.record.seq;

  /** Fires everything that is due by the company's now, before a request is handled. Undefined when there is nothing to wait for. */
  ready(): Promise<void> | undefined {
    if (this.#draining !== undefined || this.#fireSlice()) return this.#draining;
    this.#draining = this.#drain().finally(() => {
      this.#draining = undefined;
    });
    return this.#draining;
  }

  /** Resolves in another turn of the event loop for each call: hundreds of requests may have waited for the same items. */
  nextTurn(): Promise<void> {
    return (this.#turns = this.#turns.then(() => this.deps.system.yieldToEventLoop()));
  }

  wake(): void {
    if (this.closed || this.isAdvancing) return;
    const next = this.world.due.peek();
    if (next === undefined || (this.#armedFor !== undefined && this.#armedFor <= next.dueAt)) return;
    const delay = next.dueAt <= this.now() ? 0 : this.clock.realDelayUntil(next.dueAt);
    if (delay === undefined) return;
    this.#disarm();
    this.#armedFor = next.dueAt;
    this.#disarm = this.deps.system.after(Math.min(delay, TIMER_MS), () => {
      void this.#takeTurn()
        .then(() => {
          this.#armedFor = undefined;
          return this.ready();
        })
        .finally(() => this.wake());
    });
  }

  /** Stores the clock after a change of it, and sets the timer for the next due item again. */
  rearm(): void {
    this.#disarm();
    this.#armedFor = undefined;
    this.record.clock = this.clock.save();
    this.note(headEntry(this.id, { clock: this.record.clock }));
    this.emitChanged();
    this.wake();
  }

  exclusively<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#clockTasks.then(task);
    this.#clockTasks = result.catch(() => undefined);
    return result;
  }

  /** Applies other settings from the next request on. `profile` is the defaults with `overrides`. */
  adopt(profile: Profile, overrides: ProfileOverrides): void {
    this.profile = this.#effective(profile);
    this.record.overrides = overrides;
    this.watcher.adopt(overrides);
    this.note(headEntry(this.id, { overrides }));
    this.emitChanged();
  }

  /** With tenancy a receiver must be permitted by the company's own setting and by the operator's. */
  #effective(profile: Profile): Profile {
    const { operator, reads } = this.deps;
    if (operator === undefined) return trackProfile(profile, reads);
    const { webhooks } = profile;
    const allow = { kind: "tenant", own: webhooks.allow, operator } as const;
    return trackProfile({ ...profile, webhooks: { ...webhooks, allow } }, reads);
  }

  /** Records a change in the store. A closed company, which may have been replaced, records nothing. */
  note(entry: StoreEntry): void {
    if (!this.closed) this.deps.store.note(entry);
  }

  /** Handles one due item at its own instant. A bug in it is logged and affects only that item. */
  fire(item: DueItem<DueKind>, effort?: Effort): void {
    try {
      const { enqueued } = this.#commit(fireDueItem, item, item.dueAt, effort);
      if (enqueued.length > 0) this.#send(enqueued, releaseImmediately);
      const delivery = item.kind === "delivery.attempt" ? this.world.deliveries.get(item.subject) : undefined;
      if (delivery !== undefined) this.dispatcher.holdRetries([delivery])();
    } catch (error) {
      this.world.due.delete(item.id);
      this.note(commitEntry(this.record, [{ store: this.world.due, before: item, after: undefined }], item.dueAt));
      this.#logBug({ due: item.kind, id: item.subject }, error);
    }
    this.events.emit("fired", { company: this, item });
  }

  /** Between due items: lets other work of the process run, and waits for the store, which keeps in memory what it has not written yet. */
  async giveWay(): Promise<void> {
    await this.#takeTurn();
    await this.deps.store.durable()?.catch(() => undefined);
  }

  /** In each turn of the event loop one company handles due items: those of a thousand may be due at the same instant. */
  #takeTurn(): Promise<void> {
    return this.deps.longWork.takeTurn(this.id);
  }

  /**
   * Sends webhooks once `gate` has opened and the change that they report is stored. If another process took over the store, it lacks the change: none is
   * sent.
   */
  releaseKept(gate: ReleaseGate, send: () => void): void {
    const { store } = this.deps;
    const release = (): void => {
      if (!store.lost.aborted) send();
    };
    gate.after(() => {
      const kept = store.durable();
      if (kept === undefined) release();
      else void kept.then(release, release);
    });
  }

  close(): void {
    this.#disarm();
    this.#closing.abort();
    this.dispatcher.close();
    this.emitChanged();
  }

  #runAt<Input, Output>(at: Instant, operation: Operation<Input, Output>, input: Input, gate: ReleaseGate): Output {
    const { output, enqueued } = this.#commit(operation, input, at);
    if (enqueued.length > 0) this.#send(enqueued, gate);
    this.wake();
    return output;
  }

  #commit<Input, Output>(operation: Operation<Input, Output>, input: Input, at: Instant, effort = new Effort()) {
    return this.watcher.watch(() => {
      const { world, profile, nextSeq } = this;
      const work = new Work({ world, profile, ids: this.#ids, at, nextSeq, effort });
      const { givenUp } = effort;
      let committed = false;
      try {
        const output = operation(work, input);
        const { areLeftOut, areUnheld } = enqueueDeliveries(work, (topic, event) =>
          renderPayload(this.profile, topic, event),
        );
        this.#forgetEvents(work);
        this.#forgetDeliveries(work);
        const changes = work.commit();
        committed = true;
        this.record.idPosition = this.#ids.position;
        // The clock as the store's journal has it: the whole record may be written before the advance that moved the clock ends.
        this.record.clock = notBefore(this.record.clock, at, this.deps.system);
        if (changes.length > 0) this.note(commitEntry(this.record, changes, at));
        if (effort.givenUp > givenUp) this.#warnOfEffort();
        if (areLeftOut) this.#warnOfLeftOut();
        if (areUnheld) this.#warnOfUnheld();
        this.emitChanged(changes, work.moves);
        return { output, enqueued: work.enqueued };
      } finally {
        if (!committed) work.rollback();
      }
    });
  }

  /**
   * The answer waits for webhooks that a rule sends before it, for at most `webhooks.timeout`. Each webhook waits until its change is stored, even one that
   * comes before the answer or whose client has left: a receiver must not learn of a change that a kill could still undo.
   */
  #send(enqueued: readonly EnqueuedDelivery[], gate: ReleaseGate): void {
    const held = this.dispatcher.hold(enqueued.map(({ delivery }) => delivery));
    const urgent = enqueued.filter(({ beforeAnswer }) => beforeAnswer).map(({ delivery }) => delivery);
    const { store } = this.deps;
    if (urgent.length > 0) {
      // Thousands of answers may wait, and a reset ends all waits at once: each continues in a turn of its own.
      const sendNow = (): Promise<unknown> =>
        held.sendNow(urgent, this.profile.webhooks.timeout).then(() => this.nextTurn());
      const kept = store.durable();
      gate.before(kept === undefined ? sendNow() : kept.then(sendNow, () => undefined));
    }
    this.releaseKept(gate, held.release);
  }

  #cancelOldest(work: Work, deliveries: readonly Delivery[]): void {
    cancelDeliveryTimers(work, deliveries);
    const message = `more than ${this.deps.limits.pendingDeliveries} deliveries are pending: the oldest are given up`;
    this.deps.log.write("warn", "deliveries-given-up", { company: this.id, count: deliveries.length, message });
  }

  #warnOfLeftOut(): void {
    const bodies = `bodies of ${WEBHOOK_BYTES_OF_WORK_MAX / 1024 ** 2} MiB together`;
    const message = `one request or due item has at most ${WEBHOOKS_OF_WORK_MAX} webhooks, with ${bodies}: the others are not sent`;
    this.deps.log.write("warn", "deliveries-left-out", { company: this.id, message });
  }

  #warnOfUnheld(): void {
    const message = `rules hold back at most ${HELD_MAX} webhooks of a company: the others are sent`;
    this.deps.log.write("warn", "deliveries-not-held", { company: this.id, message });
  }

  #warnOfEffort(): void {
    const message = "a rule did not match: comparing it would take too long";
    this.deps.log.write("warn", "pattern-given-up", { company: this.id, message });
  }

  #logBug(where: Readonly<Record<string, unknown>>, error: unknown): void {
    this.deps.log.write("error", "bug", { company: this.id, ...where, error: stackOf(error) });
  }

  #nextDue(at: Instant): DueItem<DueKind> | undefined {
    const next = this.world.due.peek();
    return next !== undefined && next.dueAt <= at ? next : undefined;
  }

  /** Fires due items for one turn of the event loop; true when nothing more is due by `at`. */
  #fireSlice(at: Instant = this.now(), effort?: Effort): boolean {
    const { system } = this.deps;
    const start = system.monotonic();
    for (let fired = 0; fired < DUE_SLICE; fired++) {
      const item = this.#nextDue(at);
      if (item === undefined || this.closed) return true;
      this.fire(item, effort);
      if (system.monotonic() - start > DUE_SLICE_MS) break;
    }
    return this.#nextDue(at) === undefined;
  }

  async #drain(): Promise<void> {
    do await this.giveWay();
    while (!this.#fireSlice());
  }
}

function fireDueItem(work: Work, item: DueItem<DueKind>): void {
  work.remove(work.world.due, item.id);
  dueHandlers[item.kind](work, item.subject);
}

/** A due attempt changes no record: the dispatcher makes it afterwards. */
const dueHandlers: Readonly<Record<DueKind, (work: Work, subject: string) => void>> = {
  "charge.expire": expireWhenDue,
  "transfer.settle": settleTransfer,
  "payment.settle": settlePayment,
  "delivery.attempt": () => undefined,
};

/**
 * Keeps a growing table within about `limit` rows: its oldest rows are removed in batches of a sixteenth of the limit. Of the rows that `mayForget` refuses,
 * the newest `most` are kept; `onForced` is called with the ones that are removed.
 */
function createForgetter<T extends Row>(
  table: Table<T>,
  limit: number,
  mayForget: (row: T) => boolean = () => true,
  most = Number.POSITIVE_INFINITY,
  onForced?: (work: Work, rows: readonly T[]) => void,
): (work: Work) => void {
  const lowest = Math.min(limit, most);
  const slack = lowest >> 4;
  let bound = lowest + slack;
  return (work) => {
    if (table.size <= bound) return;
    if (table.size > limit) {
      const { rows } = table.page({ limit: table.size - limit, where: mayForget });
      for (const { id } of rows) work.remove(table, id);
    }
    if (table.size > most) {
      const kept = table.page({ limit: table.size, where: (row) => !mayForget(row) }).rows;
      const oldest = kept.slice(0, Math.max(0, kept.length - most));
      for (const { id } of oldest) work.remove(table, id);
      if (oldest.length > 0) onForced?.(work, oldest);
    }
    // A long table is searched again only after it has grown by a part of its length.
    bound = Math.max(lowest, table.size) + Math.max(slack, table.size >> 6);
  };
}
