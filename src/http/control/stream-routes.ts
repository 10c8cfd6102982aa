import { whenStored } from "../../adapters/store/store.js";
import type { Delivery } from "../../domain/model/delivery.js";
import type { DomainEvent } from "../../domain/model/events.js";
import { stackOf } from "../../kernel/log.js";
import { isChangeOf } from "../../kernel/records/unit-of-work.js";
import { FairOrder } from "../../kernel/time/fair-order.js";
import type { Company } from "../../sandbox/company/company.js";
import type { JournalEntry } from "../../sandbox/observation/journal.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { SandboxEvents } from "../../sandbox/sandbox-events.js";
import { headersFor } from "../api/answer.js";
import { isStillAdmitted } from "../shared/caller.js";
import { CompanyLimit } from "../shared/company-limit.js";
import { type EventSink, createEventStream, eventStreamHeaders } from "../shared/event-stream.js";
import { type ControlRoute, route } from "./control-route.js";
import { renderClock, renderDelivery, renderEvent } from "./render-control.js";
import { renderRequest } from "./render-request.js";

/** The most open streams of a company: each of them renders everything that happens once more. */
export const STREAMS_MAX = 100;

/**
 * GET /_sandbox/stream: server-sent events of the kinds `request`, `event`, `delivery` and `clock`, each with the JSON that the list of its kind
 * shows. The stream ends when the company is removed or the sandbox closes.
 */
export function streamRoutes(): readonly ControlRoute[] {
  const streams = new CompanyLimit(
    STREAMS_MAX,
    `There are ${STREAMS_MAX} streams already, which is the most. Close one.`,
  );
  const shown = new WeakMap<JournalEntry, unknown>();
  const order = new FairOrder();
  return [
    route("GET /stream", {}, ({ sandbox, caller, company, ended }) => {
      const release = streams.begin(company.id);
      const body = createEventStream(sandbox.system, ended(), (sink) => {
        const find = () => (isStillAdmitted(sandbox, caller) ? sandbox.findCompany(company.id) : undefined);
        const stream = new CompanyStream({ sandbox, shown, order }, company.id, find, sink);
        return () => {
          release();
          stream.stop();
        };
      });
      // Without it a proxy might wait for the end of the answer.
      const headers = { ...eventStreamHeaders, "x-accel-buffering": "no" };
      return new Response(body, { headers: { ...headersFor(sandbox, company), ...headers } });
    }),
  ];
}

/** Something that happened. Rows are immutable, so they can be rendered later. */
type Happening =
  | { readonly kind: "event"; readonly event: DomainEvent }
  | { readonly kind: "delivery"; readonly delivery: Delivery }
  | { readonly kind: "request"; readonly id: string; isSent: boolean };

/** A stream ends when more than this many happenings wait to be stored, sent and read. */
const WAITING_MAX = 10_000;
/** How many attempts of a delivery are sent with their bodies: each may have a megabyte, and each stream holds one message in memory. */
const BODIES_SHOWN = 1;
/** After this time other work gets its turn, ms. */
const TURN_MS = 20;

/** What the streams of all companies share. */
interface StreamParts {
  readonly sandbox: Sandbox;
  /** Requests that are rendered already, because redacting takes time. Secrets that are made later cannot be in what was sent before. */
  readonly shown: WeakMap<JournalEntry, unknown>;
  /** All streams of a company wake together; this lets one of them send in each turn. */
  readonly order: FairOrder;
}

/**
 * Sends everything that happens in a company until it is stopped: first its clock, then each request with its answer (again when the answer turns out
 * to be lost), each event, each change of a delivery, and the clock whenever the clock or what is due has changed. Follows the company through
 * resets and restored states. Sends nothing before it is stored, and renders nothing during a request or while the reader is behind.
 */
class CompanyStream {
  readonly #parts: StreamParts;
  readonly #companyId: string;
  readonly #find: () => Company | undefined;
  readonly #sink: EventSink;
  readonly #stops: readonly (() => void)[];
  #waiting: Happening[] = [];
  #isWoken = false;
  #isStopped = false;
  #sentClock = "";

  /** `find` returns the company as long as the reader may see it. */
  constructor(parts: StreamParts, companyId: string, find: () => Company | undefined, sink: EventSink) {
    this.#parts = parts;
    this.#companyId = companyId;
    this.#find = find;
    this.#sink = sink;
    const { events } = parts.sandbox;
    this.#stops = [
      events.on("exchange", (event) => this.#noteExchange(event)),
      events.on("changed", (event) => this.#noteChanges(event)),
      events.on("forgets", (event) => this.#noteReset(event)),
    ];
    this.#sendWaiting();
  }

  stop(): void {
    this.#isStopped = true;
    for (const stop of this.#stops) stop();
  }

  #leave(): void {
    if (this.#isStopped) return;
    this.stop();
    this.#sink.end();
  }

  #noteExchange({ exchange, companyId, requestId: id }: SandboxEvents["exchange"]): void {
    if (companyId !== this.#companyId || id === undefined) return;
    const happening: Happening = { kind: "request", id, isSent: false };
    this.#wait(happening);
    exchange.onLost(() => {
      if (happening.isSent) this.#wait({ kind: "request", id, isSent: false });
    });
  }

  #noteChanges({ company: { id, world }, changes }: SandboxEvents["changed"]): void {
    if (id !== this.#companyId) return;
    this.#wake();
    for (const change of changes) {
      // The stream may just have ended, and thousands of changes may be left.
      if (this.#isStopped) return;
      if (isChangeOf(world.events, change)) {
        if (change.before === undefined && change.after !== undefined)
          this.#wait({ kind: "event", event: change.after });
      } else if (isChangeOf(world.deliveries, change) && change.after !== undefined) {
        this.#wait({ kind: "delivery", delivery: change.after });
      }
    }
  }

  /** After a reset the ids of requests begin again. */
  #noteReset({ company: { id }, reset }: SandboxEvents["forgets"]): void {
    if (id !== this.#companyId || !reset) return;
    const kept = this.#waiting.filter(({ kind }) => kind !== "request");
    if (this.#sink.isBehind() && kept.length < this.#waiting.length) this.#leave();
    else this.#waiting = kept;
  }

  #wait(happening: Happening): void {
    if (this.#waiting.push(happening) > WAITING_MAX) this.#leave();
    this.#wake();
  }

  /** Sends in a later turn, so that the current work is finished first. */
  #wake(): void {
    if (this.#isWoken) return;
    this.#isWoken = true;
    const { sandbox, order } = this.#parts;
    void whenStored(sandbox.store).then(() => order.take(this.#companyId, () => this.#takeTurn()));
  }

  /** Nothing awaits a turn, so a bug in it would end the process. It ends this stream. */
  #takeTurn(): void {
    try {
      this.#sendWaiting();
    } catch (error) {
      this.#parts.sandbox.log.write("error", "bug", { company: this.#companyId, error: stackOf(error) });
      this.#leave();
    }
  }

  #sendWaiting(): void {
    this.#isWoken = false;
    if (this.#isStopped) return;
    const company = this.#find();
    if (company === undefined || company.closed) return this.#leave();
    const { isBehind, whenRead } = this.#sink;
    if (isBehind()) return whenRead(() => this.#wake());
    const { system } = this.#parts.sandbox;
    const end = system.monotonic() + TURN_MS;
    const last = this.#waiting.findIndex((happening) => {
      this.#send(happening, company);
      return this.#isStopped || isBehind() || system.monotonic() > end;
    });
    if (this.#isStopped) return;
    this.#waiting = last === -1 ? [] : this.#waiting.slice(last + 1);
    if (this.#waiting.length > 0) this.#wake();
    else this.#sendClock(company);
  }

  #send(happening: Happening, company: Company): void {
    const { kind } = happening;
    if (kind === "event") this.#sink.send(kind, renderEvent(happening.event, company.profile));
    else if (kind === "delivery")
      this.#sink.send(kind, renderDelivery(happening.delivery, { bodiesShown: BODIES_SHOWN }));
    else {
      happening.isSent = true;
      this.#sendRequest(happening.id, company);
    }
  }

  /** Deliveries that follow the request later are sent as deliveries. */
  #sendRequest(id: string, company: Company): void {
    const { sandbox, shown } = this.#parts;
    const { journal } = sandbox.observationOf(this.#companyId);
    const entry = journal.entries.get(id);
    if (entry === undefined) {
      if (journal.hasDropped(id)) this.#leave();
      return;
    }
    const rendered = shown.get(entry) ?? renderRequest(entry, entry.enqueued, sandbox.redactorOf(company));
    shown.set(entry, rendered);
    this.#sink.send("request", rendered);
  }

  /** Sends the clock if it, or what is due, has changed. */
  #sendClock(company: Company): void {
    const { clock, world } = company;
    const state = JSON.stringify([clock.save(), world.due.size, world.due.peek()?.id, world.due.peek()?.dueAt]);
    if (state !== this.#sentClock) this.#sink.send("clock", renderClock(company));
    this.#sentClock = state;
  }
}
