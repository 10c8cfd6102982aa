import type { EventEmitter } from "../../kernel/events.js";
import { Fifo } from "../../kernel/fifo.js";
import { RecentMap } from "../../kernel/recent-map.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import { type Delivery, receiverOf } from "../../domain/model/delivery.js";

/** Attempts of one company on the wire to one receiver at a time; more wait their turn. */
export const CONCURRENT_ATTEMPTS_PER_RECEIVER = 64;

/** So many attempts may wait for a receiver before it is looked which of them are not owed any more. */
const WAITING_UNSWEPT = 10_000;

const ORIGINS_KEPT = 1_000;

export interface DispatcherEvents {
  /** An attempt of this dispatcher is over, or the dispatcher was closed. */
  readonly attemptEnded: Dispatcher;
}

export interface DispatcherDeps {
  readonly events: EventEmitter<DispatcherEvents>;
  /**
   * Begins one attempt; resolves when its record stands. Undefined when there is nothing to attempt any more. `turn` is the place of whatever the
   * attempt leads to (its retry) in the order in which due work was scheduled.
   */
  attempt(deliveryId: string, turn: number): Promise<{ readonly succeeded: boolean }> | undefined;
  /** Whether it is still to be sent: it may have been cancelled or forgotten while it waited. */
  isOwed(deliveryId: string): boolean;
  readonly nextSeq: () => number;
  /** An attempt that could not be recorded: a bug. */
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
  readonly receiver: Receiver;
  readonly turn: number;
  /** Where a first attempt stands; undefined for a later one, which holds up nothing. */
  lane: Lane | undefined;
  /** Whether the answer that it waited for has been written. */
  released: boolean;
  started: boolean;
}

/** First attempts that wait for an answer to be written. */
export interface Held {
  /** They may go out. */
  readonly release: () => void;
  /** Those go out now, with whatever stands before them in their lanes. Resolves when their first attempts have ended, or after `maxMs` of real time. */
  readonly sendNow: (deliveries: readonly Delivery[], system: SystemClock, maxMs: number) => Promise<unknown>;
}

/** The first attempts of one resource's events to one receiver that are not over, in the order of the events. */
interface Lane {
  readonly resource: string;
  readonly jobs: Job[];
}

interface Receiver {
  readonly origin: string;
  /** By resource. */
  readonly lanes: Map<string, Lane>;
  /** Jobs of it that are not over. */
  owed: number;
  active: number;
  readonly ready: Fifo<Job>;
  /** Beyond so many that wait, those that are not owed any more are taken out. */
  sweepAt: number;
}

/**
 * Decides when each attempt of a company goes out:
 * - a resource's next event goes to the same receiver only once the first attempts of its previous event have ended, also when the
 *   answers that they wait for are written in another order;
 * - retries hold up nothing, and different resources go out concurrently, bounded per receiver.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  /** Of URLs that need not be read again. */
  readonly #origins = new RecentMap<string, string>(ORIGINS_KEPT);
  readonly #receivers = new Map<string, Receiver>();
  /** How often each delivery is owed: a retry may begin before the attempt before it has left. */
  readonly #outstanding = new Map<string, number>();
  #counts = { attempted: 0, succeeded: 0, failed: 0 };
  #closed = false;
  /** Those that are ready, of all receivers. */
  #waiting = 0;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
  }

  /** Deliveries that are owed but not over: held until an answer is written, waiting, or on the wire. */
  get outstanding(): readonly string[] {
    return [...this.#outstanding.keys()];
  }

  get quiet(): boolean {
    return this.#outstanding.size === 0;
  }

  /** Whether an attempt of this delivery is held, waiting, or on the wire. */
  owes(deliveryId: string): boolean {
    return this.#outstanding.has(deliveryId);
  }

  /** Counts the attempts that begin from now on, and what comes of them: one count at a time. */
  startCount(): DispatchCounts {
    this.#counts = { attempted: 0, succeeded: 0, failed: 0 };
    return this.#counts;
  }

  /** First attempts, in the order of their events. They are owed, and keep their places, from now on. */
  hold(deliveries: readonly Delivery[]): Held {
    const jobs = deliveries.map((delivery) => this.#enterLane(delivery));
    return {
      release: () => this.#release(jobs),
      sendNow: (urgent, system, maxMs) => {
        const ids = new Set(urgent.map(({ id }) => id));
        const last = new Map(
          jobs.map(({ deliveryId, lane }, index) => [ids.has(deliveryId) ? lane : undefined, index]),
        );
        this.#release(jobs.filter(({ lane }, index) => index <= (last.get(lane) ?? -1)));
        const isOver = (): boolean => urgent.every(({ id }) => !this.owes(id));
        return this.#waitUntil(isOver, system, maxMs);
      },
    };
  }

  /** Attempts after the first, which hold up nothing: beside every lane. They go out when the returned function is called. */
  holdBeside(deliveries: readonly Delivery[]): () => void {
    const jobs = deliveries.map((delivery) => this.#owe(delivery, this.#receiverOf(delivery)));
    return () => {
      for (const job of jobs) this.#enqueue(job);
    };
  }

  /** A retry whose time has come. */
  start(delivery: Delivery): void {
    this.holdBeside([delivery])();
  }

  /** Whether attempts wait for others to their receiver to end. */
  get crowded(): boolean {
    return this.#waiting > 0;
  }

  /** True as soon as no attempt waits for another to end; false when that took longer than `maxMs` of real time. */
  roomWithin(system: SystemClock, maxMs: number): Promise<boolean> {
    return this.#waitUntil(() => !this.crowded, system, maxMs);
  }

  /** True as soon as nothing is outstanding; false when that took longer than `maxMs` of real time. */
  quietWithin(system: SystemClock, maxMs: number): Promise<boolean> {
    return this.#waitUntil(() => this.quiet, system, maxMs);
  }

  /** Starts nothing more and owes nothing more. What is on the wire is given up by its company's signal. */
  close(): void {
    this.#closed = true;
    this.#outstanding.clear();
    this.#receivers.clear();
    this.#waiting = 0;
    this.#deps.events.emit("attemptEnded", this);
  }

  /** True as soon as it `holds`; false when that took longer than `maxMs` of real time. */
  async #waitUntil(holds: () => boolean, system: SystemClock, maxMs: number): Promise<boolean> {
    if (holds()) return true;
    if (maxMs <= 0) return false;
    const { events } = this.#deps;
    const isHeld = await events.waitFor("attemptEnded", (ended) => ended === this && holds(), { system, maxMs });
    return isHeld || holds();
  }

  #release(jobs: readonly Job[]): void {
    for (const job of jobs) job.released = true;
    for (const { lane } of jobs) if (lane !== undefined) this.#startHead(lane);
  }

  #owe({ id, eventId, copy }: Delivery, receiver: Receiver): Job {
    if (!this.#closed) this.#outstanding.set(id, (this.#outstanding.get(id) ?? 0) + 1);
    receiver.owed++;
    const turn = this.#deps.nextSeq();
    return { deliveryId: id, eventId, copy, receiver, turn, lane: undefined, released: false, started: false };
  }

  #enterLane(delivery: Delivery): Job {
    const { resource } = delivery;
    const receiver = this.#receiverOf(delivery);
    const job = this.#owe(delivery, receiver);
    const lane = receiver.lanes.get(resource);
    // Mostly it stands alone: an array that grows has room for sixteen more.
    if (lane === undefined) receiver.lanes.set(resource, (job.lane = { resource, jobs: [job] }));
    else (job.lane = lane).jobs.push(job);
    return job;
  }

  #receiverOf({ url }: Delivery): Receiver {
    const origin = this.#origins.get(url) ?? this.#origins.set(url, receiverOf(url));
    const found = this.#receivers.get(origin);
    if (found !== undefined) return found;
    const receiver = { origin, lanes: new Map(), owed: 0, active: 0, ready: new Fifo<Job>(), sweepAt: WAITING_UNSWEPT };
    this.#receivers.set(origin, receiver);
    return receiver;
  }

  /** The lane's oldest event, with every subscription of it at that receiver; what a rule sends again has a turn of its own. */
  #startHead({ jobs }: Lane): void {
    const [head] = jobs;
    for (const job of jobs) {
      if (job.eventId !== head?.eventId || job.copy !== head.copy) return;
      if (!job.released || job.started) continue;
      job.started = true;
      this.#enqueue(job);
    }
  }

  #leaveLane(lane: Lane, job: Job): void {
    lane.jobs.splice(lane.jobs.indexOf(job), 1);
    if (lane.jobs.length === 0) job.receiver.lanes.delete(lane.resource);
    else this.#startHead(lane);
  }

  #enqueue(job: Job): void {
    const { receiver } = job;
    receiver.ready.push(job);
    this.#waiting++;
    if (receiver.ready.size > receiver.sweepAt) this.#sweep(receiver);
    this.#pump(receiver);
  }

  #pump(receiver: Receiver): void {
    while (!this.#closed && receiver.active < CONCURRENT_ATTEMPTS_PER_RECEIVER) {
      const job = receiver.ready.shift();
      if (job === undefined) break;
      receiver.active++;
      this.#waiting--;
      // The job's end is counted in `outstanding`, which settle and advance wait for.
      void this.#perform(job);
    }
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
    this.#end(job);
    this.#pump(receiver);
  }

  /** Behind a receiver that hangs they would wait for ever. */
  #sweep(receiver: Receiver): void {
    const idle = receiver.ready.remove(({ deliveryId }) => !this.#deps.isOwed(deliveryId));
    this.#waiting -= idle.length;
    receiver.sweepAt = Math.max(WAITING_UNSWEPT, 2 * receiver.ready.size);
    for (const job of idle) this.#end(job);
  }

  #end(job: Job): void {
    this.#settle(job.deliveryId);
    if (job.lane !== undefined) this.#leaveLane(job.lane, job);
    const { receiver } = job;
    if (--receiver.owed === 0) this.#receivers.delete(receiver.origin);
    this.#deps.events.emit("attemptEnded", this);
  }

  #settle(deliveryId: string): void {
    const owed = (this.#outstanding.get(deliveryId) ?? 1) - 1;
    if (owed === 0) this.#outstanding.delete(deliveryId);
    else this.#outstanding.set(deliveryId, owed);
  }
}
