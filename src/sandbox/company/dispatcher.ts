import { type Delivery, receiverOf } from "../../domain/model/delivery.js";
import type { EventEmitter } from "../../kernel/events.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";

/** Attempts of one company in flight to one receiver at a time; more wait their turn. */
export const CONCURRENT_ATTEMPTS_PER_RECEIVER = 64;

/** Attempts of one company in flight to all receivers; more wait their turn. Each takes a connection, and a process can have only so many. */
export const CONCURRENT_ATTEMPTS = 1_000;

/** When more attempts than this wait for a receiver, those whose delivery is no longer pending are removed. */
export const WAITING_UNSWEPT = 10_000;

/** How long one turn of the event loop may start attempts, ms: an event may have thousands of receivers, and a large body to sign for each. */
const START_SLICE_MS = 10;

/** About the most bytes of bodies that one company has in flight; more attempts wait. Thousands of receivers that hang must not fill the memory. */
export const IN_FLIGHT_BYTES_MAX = 64 * 1024 * 1024;

export interface DispatcherEvents {
  /** An attempt of this dispatcher is over, or the dispatcher was closed. */
  readonly attemptEnded: Dispatcher;
}

export interface DispatcherDeps {
  readonly events: EventEmitter<DispatcherEvents>;
  readonly system: SystemClock;
  /**
   * Begins one attempt; resolves when it is recorded. Undefined when there is nothing to attempt any more. `turn` is the place of the retry that the
   * attempt may lead to in the order in which due work was scheduled.
   */
  attempt(deliveryId: string, turn: number): Promise<{ readonly succeeded: boolean }> | undefined;
  /** Whether the delivery is still to be sent: it may have been cancelled or forgotten while it waited. */
  isPending(deliveryId: string): boolean;
  readonly nextSeq: () => number;
  /** Called when an attempt could not be recorded, which is a bug. */
  onBug(deliveryId: string, error: unknown): void;
}

export interface DispatchCounts {
  readonly attempted: number;
  readonly succeeded: number;
  readonly failed: number;
}

interface Job {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly copy: number;
  readonly bytes: number;
  readonly receiver: Receiver;
  readonly turn: number;
  /** The lane of a first attempt; undefined for a later attempt, which holds up no other. */
  readonly lane: Lane | undefined;
  /** Whether the answer that it waited for has been written. */
  released: boolean;
  started: boolean;
}

export interface Held {
  readonly release: () => void;
  /** Starts these deliveries now, after the ones before them in their lanes. Resolves when they have no open attempt, or after `maxMs` of real time. */
  readonly sendNow: (deliveries: readonly Delivery[], maxMs: number) => Promise<unknown>;
}

/** The open first attempts of one resource's events to one receiver, in the order of the events. */
interface Lane {
  readonly resource: string;
  readonly jobs: Job[];
}

interface Receiver {
  readonly origin: string;
  /** Lanes by resource. */
  readonly lanes: Map<string, Lane>;
  open: number;
  active: number;
  /** In the order in which they start. */
  readonly waiting: Set<Job>;
  sweepAt: number;
}

/**
 * Decides when each attempt of a company starts:
 * - a resource's next event is sent to the same receiver only after the first attempts of its previous event are over, even when the answers that they
 *   wait for are written in another order;
 * - retries hold up nothing, and different resources are sent concurrently, bounded per receiver.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #receivers = new Map<string, Receiver>();
  /** Open jobs of each delivery: a retry may be enqueued before the attempt before it is over. */
  readonly #outstanding = new Map<string, number>();
  /** Receivers whose waiting attempts may start. */
  readonly #startable = new Set<Receiver>();
  /** When this turn of the event loop stops starting attempts, monotonic ms; undefined until it has started one. */
  #startUntil: number | undefined;
  #isCutShort = false;
  readonly #inFlight = new Set<Job>();
  #inFlightBytes = 0;
  #counts = { attempted: 0, succeeded: 0, failed: 0 };
  #closed = false;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
  }

  /** Deliveries with an attempt that is not over: held until an answer is written, waiting, or in flight. */
  get outstanding(): readonly string[] {
    return [...this.#outstanding.keys()];
  }

  /** Deliveries with an attempt in flight. */
  get inFlight(): readonly string[] {
    return [...this.#inFlight].map(({ deliveryId }) => deliveryId);
  }

  get quiet(): boolean {
    return this.#outstanding.size === 0;
  }

  isOutstanding(deliveryId: string): boolean {
    return this.#outstanding.has(deliveryId);
  }

  /** Counts the attempts that begin from now on, and their outcomes. Ends the count before. */
  startCount(): DispatchCounts {
    this.#counts = { attempted: 0, succeeded: 0, failed: 0 };
    return this.#counts;
  }

  /** Puts first attempts into their lanes, in the order of their events. From now on they are outstanding and keep their places. */
  hold(deliveries: readonly Delivery[]): Held {
    // Each URL is read once: a batch may have thousands of webhooks to a few long URLs.
    const urls = new Set(deliveries.map(({ url }) => url));
    const origins = new Map([...urls].map((url) => [url, receiverOf(url)]));
    const jobs = deliveries.map((delivery) => this.#enterLane(delivery, origins.get(delivery.url)));
    return {
      release: () => this.#release(jobs),
      sendNow: (urgent, maxMs) => {
        const ids = urgent.map(({ id }) => id);
        const urgentIds = new Set(ids);
        const lastUrgent = new Map(
          jobs.map(({ deliveryId, lane }, at) => [urgentIds.has(deliveryId) ? lane : undefined, at]),
        );
        this.#release(jobs.filter(({ lane }, at) => at <= (lastUrgent.get(lane) ?? -1)));
        return this.endedWithin(ids, maxMs);
      },
    };
  }

  /** Makes attempts after the first outstanding, outside the lanes. They start when the returned function is called. */
  holdRetries(deliveries: readonly Delivery[]): () => void {
    const jobs = deliveries.map((delivery) => this.#open(delivery, this.#receiverOf(delivery), undefined));
    return () => {
      for (const job of jobs) this.#enqueue(job);
    };
  }

  /** Resolves to true as soon as nothing is outstanding, and to false after `maxMs` of real time. */
  quietWithin(maxMs: number): Promise<boolean> {
    return this.#waitUntil(() => this.quiet, maxMs);
  }

  /** Like `quietWithin`, for these deliveries alone. */
  endedWithin(ids: readonly string[], maxMs: number): Promise<boolean> {
    // Most end in the order of `ids`, so a search from the end is short.
    return this.#waitUntil(() => ids.findLast((id) => this.isOutstanding(id)) === undefined, maxMs);
  }

  /** Starts nothing more. The company's signal aborts what is in flight. */
  close(): void {
    this.#closed = true;
    this.#outstanding.clear();
    this.#receivers.clear();
    this.#deps.events.emit("attemptEnded", this);
  }

  async #waitUntil(holds: () => boolean, maxMs: number): Promise<boolean> {
    if (holds()) return true;
    if (maxMs <= 0) return false;
    const { events, system } = this.#deps;
    const isHeld = await events.waitFor("attemptEnded", (ended) => ended === this && holds(), { system, maxMs });
    return isHeld || holds();
  }

  #release(jobs: readonly Job[]): void {
    for (const job of jobs) job.released = true;
    // Each lane once: it may hold thousands of these jobs, one for each subscription.
    for (const lane of new Set(jobs.map((job) => job.lane))) if (lane !== undefined) this.#startHead(lane);
  }

  #open({ id, eventId, copy, body }: Delivery, receiver: Receiver, lane: Lane | undefined): Job {
    if (!this.#closed) this.#outstanding.set(id, (this.#outstanding.get(id) ?? 0) + 1);
    receiver.open++;
    const turn = this.#deps.nextSeq();
    const bytes = body.length;
    return { deliveryId: id, eventId, copy, bytes, receiver, turn, lane, released: false, started: false };
  }

  #enterLane(delivery: Delivery, origin: string | undefined): Job {
    const receiver = this.#receiverOf(delivery, origin);
    const lane = receiver.lanes.get(delivery.resource) ?? { resource: delivery.resource, jobs: [] };
    receiver.lanes.set(delivery.resource, lane);
    const job = this.#open(delivery, receiver, lane);
    lane.jobs.push(job);
    return job;
  }

  #receiverOf({ url }: Delivery, origin = receiverOf(url)): Receiver {
    const found = this.#receivers.get(origin);
    if (found !== undefined) return found;
    const waiting = new Set<Job>();
    const receiver = { origin, lanes: new Map(), open: 0, active: 0, waiting, sweepAt: WAITING_UNSWEPT };
    this.#receivers.set(origin, receiver);
    return receiver;
  }

  /** Starts the attempts of the lane's oldest event, for all subscriptions at that receiver. Copies that a rule sends have a turn of their own. */
  #startHead({ jobs }: Lane): void {
    const [head] = jobs;
    const starting: Job[] = [];
    for (const job of jobs) {
      if (head === undefined || !areTogether(job, head)) break;
      if (!job.released || job.started) continue;
      job.started = true;
      starting.push(job);
    }
    // Afterwards, because a sweep may remove jobs from the lane.
    for (const job of starting) this.#enqueue(job);
  }

  #leaveLane(lane: Lane, job: Job): void {
    lane.jobs.splice(lane.jobs.indexOf(job), 1);
    const [head] = lane.jobs;
    if (head === undefined) job.receiver.lanes.delete(lane.resource);
    else if (!areTogether(head, job)) this.#startHead(lane);
  }

  #enqueue(job: Job): void {
    const { receiver } = job;
    receiver.waiting.add(job);
    if (receiver.waiting.size > receiver.sweepAt) this.#sweep(receiver);
    this.#pump(receiver);
  }

  #pump(receiver: Receiver): void {
    this.#startable.add(receiver);
    this.#startWaiting();
  }

  /** Starts waiting attempts for as long as this turn of the event loop may, and the rest in the next turn. */
  #startWaiting(): void {
    const { system } = this.#deps;
    const until = (this.#startUntil ??= this.#startSlice());
    this.#isCutShort = false;
    for (const receiver of this.#startable) {
      for (const job of receiver.waiting) {
        if (this.#closed || receiver.active === CONCURRENT_ATTEMPTS_PER_RECEIVER) break;
        // The end of any attempt makes room, and starts the next ones.
        const isFull =
          this.#inFlight.size === CONCURRENT_ATTEMPTS || this.#inFlightBytes + job.bytes > IN_FLIGHT_BYTES_MAX;
        if (this.#inFlight.size > 0 && isFull) return;
        this.#isCutShort = system.monotonic() >= until;
        if (this.#isCutShort) return;
        receiver.waiting.delete(job);
        receiver.active++;
        this.#inFlight.add(job);
        this.#inFlightBytes += job.bytes;
        void this.#perform(job);
      }
      this.#startable.delete(receiver);
    }
  }

  #startSlice(): number {
    const { system } = this.#deps;
    void system.yieldToEventLoop().then(() => {
      this.#startUntil = undefined;
      if (this.#isCutShort) this.#startWaiting();
    });
    return system.monotonic() + START_SLICE_MS;
  }

  async #perform(job: Job): Promise<void> {
    const { receiver } = job;
    const counts = this.#counts;
    try {
      const attempt = this.#deps.attempt(job.deliveryId, job.turn);
      if (attempt !== undefined) counts.attempted++;
      const outcome = await attempt;
      if (outcome !== undefined) counts[outcome.succeeded ? "succeeded" : "failed"]++;
    } catch (error) {
      this.#deps.onBug(job.deliveryId, error);
    }
    if (this.#closed) return;
    receiver.active--;
    this.#inFlight.delete(job);
    this.#inFlightBytes -= job.bytes;
    this.#end(job);
    this.#pump(receiver);
  }

  /** Removes waiting attempts whose delivery is no longer pending. Behind a receiver that hangs they would stay for ever. */
  #sweep(receiver: Receiver): void {
    const idle = [...receiver.waiting].filter(({ deliveryId }) => !this.#deps.isPending(deliveryId));
    for (const job of idle) receiver.waiting.delete(job);
    receiver.sweepAt = Math.max(WAITING_UNSWEPT, 2 * receiver.waiting.size);
    for (const job of idle) this.#end(job);
  }

  #end(job: Job): void {
    const { deliveryId, lane, receiver } = job;
    const left = (this.#outstanding.get(deliveryId) ?? 1) - 1;
    if (left === 0) this.#outstanding.delete(deliveryId);
    else this.#outstanding.set(deliveryId, left);
    if (lane !== undefined) this.#leaveLane(lane, job);
    if (--receiver.open === 0) this.#receivers.delete(receiver.origin);
    this.#deps.events.emit("attemptEnded", this);
  }
}

/** Whether these attempts of one lane run at the same time. */
function areTogether(one: Job, other: Job): boolean {
  return one.eventId === other.eventId && one.copy === other.copy;
}
