import { CONNECTIONS_PER_RECEIVER } from "../adapters/delivery/http-transport.js";
import { type Delivery, receiverOf } from "../domain/deliveries/delivery.js";
import { Signal } from "../kernel/signal.js";

/** Makes one attempt and records it. Resolves when the record stands; never rejects. */
export type AttemptDelivery = (deliveryId: string) => Promise<{ readonly succeeded: boolean } | undefined>;

export interface DispatchCounts {
  readonly attempted: number;
  readonly succeeded: number;
  readonly failed: number;
}

interface Job {
  readonly deliveryId: string;
  readonly receiver: string;
  readonly lane: Lane | undefined;
}

/** The first attempts of one resource's events to one receiver, event by event. */
interface Lane {
  readonly key: string;
  eventId: string;
  open: number;
  readonly waiting: Delivery[];
}

interface Receiver {
  active: number;
  readonly ready: Job[];
}

/**
 * Decides when each attempt of a company goes out:
 * - a resource's next event goes to the same receiver only once the first attempts of its previous event have ended;
 * - retries hold up nothing, and different resources go out concurrently, bounded per receiver.
 */
export class Dispatcher {
  readonly #attempt: AttemptDelivery;
  readonly #lanes = new Map<string, Lane>();
  readonly #receivers = new Map<string, Receiver>();
  /** How often each delivery is owed: a retry may begin before the attempt before it has left. */
  readonly #outstanding = new Map<string, number>();
  readonly #quiet = new Signal();
  #counts = { attempted: 0, succeeded: 0, failed: 0 };
  #closed = false;

  constructor(attempt: AttemptDelivery) {
    this.#attempt = attempt;
  }

  /** Deliveries that are owed but not over: held until an answer is written, waiting, or on the wire. */
  get outstanding(): readonly string[] {
    return [...this.#outstanding.keys()];
  }

  get quiet(): boolean {
    return this.#outstanding.size === 0;
  }

  get counts(): DispatchCounts {
    return { ...this.#counts };
  }

  /** Counts them as owed; they go out with `release`. */
  hold(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) this.#owe(delivery.id);
  }

  /** First attempts, in the order of their events. */
  release(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) this.#enterLane(delivery);
  }

  /** A retry or a redelivery: beside every lane. */
  start(delivery: Delivery): void {
    this.#owe(delivery.id);
    this.#enqueue({ deliveryId: delivery.id, receiver: receiverOf(delivery.url), lane: undefined });
  }

  /** Resolves when nothing is outstanding, now or at the next moment when that is so. */
  async whenQuiet(): Promise<void> {
    while (this.#outstanding.size > 0 && !this.#closed) await this.#quiet.next();
  }

  /** Starts nothing more. What is on the wire is given up by its company's signal. */
  close(): void {
    this.#closed = true;
    this.#outstanding.clear();
    this.#quiet.raise();
  }

  #owe(deliveryId: string): void {
    this.#outstanding.set(deliveryId, (this.#outstanding.get(deliveryId) ?? 0) + 1);
  }

  #enterLane(delivery: Delivery): void {
    const receiver = receiverOf(delivery.url);
    const key = `${delivery.resource} ${receiver}`;
    const lane = this.#lanes.get(key) ?? { key, eventId: delivery.eventId, open: 0, waiting: [] };
    this.#lanes.set(key, lane);
    if (lane.waiting.length > 0 || (lane.open > 0 && lane.eventId !== delivery.eventId)) {
      lane.waiting.push(delivery);
      return;
    }
    lane.eventId = delivery.eventId;
    lane.open++;
    this.#enqueue({ deliveryId: delivery.id, receiver, lane });
  }

  /** The next event of the lane, with every subscription of it at that receiver. */
  #leaveLane(lane: Lane): void {
    lane.open--;
    if (lane.open > 0) return;
    const next = lane.waiting[0];
    if (next === undefined) {
      this.#lanes.delete(lane.key);
      return;
    }
    const together = lane.waiting.findIndex((delivery) => delivery.eventId !== next.eventId);
    const group = lane.waiting.splice(0, together === -1 ? lane.waiting.length : together);
    lane.eventId = next.eventId;
    lane.open = group.length;
    for (const delivery of group) {
      this.#enqueue({ deliveryId: delivery.id, receiver: receiverOf(delivery.url), lane });
    }
  }

  #enqueue(job: Job): void {
    const receiver = this.#receivers.get(job.receiver) ?? { active: 0, ready: [] };
    this.#receivers.set(job.receiver, receiver);
    receiver.ready.push(job);
    this.#pump(job.receiver, receiver);
  }

  #pump(origin: string, receiver: Receiver): void {
    while (!this.#closed && receiver.active < CONNECTIONS_PER_RECEIVER) {
      const job = receiver.ready.shift();
      if (job === undefined) break;
      receiver.active++;
      // The job's end is counted in `outstanding`, which settle and advance wait for.
      void this.#perform(job, receiver);
    }
    if (receiver.active === 0 && receiver.ready.length === 0) this.#receivers.delete(origin);
  }

  async #perform(job: Job, receiver: Receiver): Promise<void> {
    this.#counts.attempted++;
    const outcome = await this.#attempt(job.deliveryId);
    if (outcome === undefined) this.#counts.attempted--; // it was cancelled before its turn
    else if (outcome.succeeded) this.#counts.succeeded++;
    else this.#counts.failed++;
    receiver.active--;
    if (this.#closed) return;
    const owed = (this.#outstanding.get(job.deliveryId) ?? 1) - 1;
    if (owed === 0) this.#outstanding.delete(job.deliveryId);
    else this.#outstanding.set(job.deliveryId, owed);
    if (job.lane !== undefined) this.#leaveLane(job.lane);
    this.#pump(job.receiver, receiver);
    if (this.#outstanding.size === 0) this.#quiet.raise();
  }
}
