import { whenStored } from "../../adapters/store/store.js";
import type { Delivery } from "../../domain/model/delivery.js";
import type { DomainEvent } from "../../domain/model/events.js";
import type { Company } from "../../sandbox/company/company.js";
import type { JournalEntry } from "../../sandbox/observation/journal.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { headersFor } from "../api/answer.js";
import { isStillLetIn } from "../shared/caller.js";
import { type EventSink, OpenStreams, createEventStream, eventStreamHeaders } from "../shared/event-stream.js";
import { FairOrder } from "../../kernel/time/fair-order.js";
import { type ControlRoute, route } from "./control-route.js";
import { renderClock, renderDelivery, renderEvent } from "./render-control.js";
import { renderRequest } from "./render-request.js";
import { isChangeOf } from "../../kernel/records/unit-of-work.js";

/** The open streams of a company at a time: each renders all that happens once more. */
export const STREAMS_MAX = 100;

/**
 * GET /_sandbox/stream, "server-sent events: requests, events, deliveries, clock": `request`, `event`, `delivery` and `clock`, each with the JSON that the list
 * of its kind shows. It ends when the company is removed or the sandbox closes.
 */
export function streamRoutes(): readonly ControlRoute[] {
  const streams = new OpenStreams(STREAMS_MAX);
  /** For all streams: redacting takes time. Secrets that are made later are in nothing that was sent. */
  const shown = new WeakMap<JournalEntry, unknown>();
  const order = new FairOrder();
  return [
    route("GET /stream", {}, ({ sandbox, caller, company, ended, refuse }) => {
      const release = streams.begin(company.id);
      if (release === undefined) {
        const why = `There are ${STREAMS_MAX} streams already, which is the most. Close one.`;
        return refuse({ status: 429, messages: [why] });
      }
      const body = createEventStream(sandbox.system, ended(), (sink) => {
        const find = () => (isStillLetIn(sandbox, caller) ? sandbox.findCompany(company.id) : undefined);
        const stop = followCompany(sandbox, company.id, find, sink, shown, order);
        return () => {
          release();
          stop();
        };
      });
      // For a proxy that would wait for the end.
      const headers = { ...eventStreamHeaders, "x-accel-buffering": "no" };
      return new Response(body, { headers: { ...headersFor(sandbox, company), ...headers } });
    }),
  ];
}

/** Something that happened. Rows are immutable, so that they can be rendered later. */
type Happening =
  | { readonly kind: "event"; readonly event: DomainEvent }
  | { readonly kind: "delivery"; readonly delivery: Delivery }
  | { readonly kind: "request"; readonly id: string };

/** A stream for which more than these wait to be stored, sent and read ends. */
const WAITING_MAX = 10_000;
/** After so much time other work gets its turn. */
const TURN_MS = 20;

/**
 * Sends everything that happens in a company until the returned function is called: first its clock, then each request with its answer (again when the answer
 * turns out to be lost), each event, each change of a delivery, and the clock whenever it or what is due has changed. Follows the company through a reset and a
 * state that is put in. Sends nothing before it is stored, and renders nothing during a request or while the reader is behind.
 */
function followCompany(
  sandbox: Sandbox,
  companyId: string,
  find: () => Company | undefined,
  { send, isBehind, whenRead, end }: EventSink,
  shown: WeakMap<JournalEntry, unknown>,
  order: FairOrder,
): () => void {
  let waiting: Happening[] = [];
  let isWoken = false;
  let isStopped = false;
  let sentClock = "";

  const wake = (): void => {
    if (isWoken) return;
    isWoken = true;
    // One turn later, so that the current work is finished. All streams of a company wake together, and one sends in each turn.
    void whenStored(sandbox.store).then(() => order.take(companyId, sendWaiting));
  };
  const wait = (happening: Happening): void => {
    if (waiting.push(happening) > WAITING_MAX) leave();
    wake();
  };
  const leave = (): void => {
    if (isStopped) return;
    stop();
    end();
  };
  const sendWaiting = (): void => {
    isWoken = false;
    if (isStopped) return;
    const company = find();
    if (company === undefined || company.closed) return leave();
    if (isBehind()) return whenRead(wake);
    const end = sandbox.system.monotonic() + TURN_MS;
    const sent = waiting.findIndex((happening) => {
      sendHappening(happening, company);
      return isStopped || isBehind() || sandbox.system.monotonic() > end;
    });
    if (isStopped) return;
    waiting = sent === -1 ? [] : waiting.slice(sent + 1);
    if (waiting.length > 0) return wake();
    sendClock(company);
  };
  const sendClock = (company: Company): void => {
    const { clock, world } = company;
    const state = JSON.stringify([clock.save(), world.due.size, world.due.peek()?.id, world.due.peek()?.dueAt]);
    if (state !== sentClock) send("clock", renderClock(company));
    sentClock = state;
  };
  const sendHappening = (happening: Happening, company: Company): void => {
    const { kind } = happening;
    if (kind === "event") return send(kind, renderEvent(happening.event, company.profile));
    if (kind === "delivery") return send(kind, renderDelivery(happening.delivery));
    const { journal } = sandbox.observationOf(companyId);
    const entry = journal.entries.get(happening.id);
    if (entry === undefined) return journal.hasDropped(happening.id) ? leave() : undefined;
    // Deliveries that follow later are sent as deliveries.
    const rendered = shown.get(entry) ?? renderRequest(entry, entry.enqueued, sandbox.redactorOf(company));
    shown.set(entry, rendered);
    send(kind, rendered);
  };
  const stopRequests = sandbox.events.on("exchange", ({ exchange, companyId: counted, requestId: id }) => {
    if (counted !== companyId || id === undefined) return;
    wait({ kind: "request", id });
    exchange.onLost(() => {
      if (!waiting.some((other) => other.kind === "request" && other.id === id)) wait({ kind: "request", id });
    });
  });
  const stopChanges = sandbox.events.on("changed", ({ company: { id, world }, changes }) => {
    if (id !== companyId) return;
    wake();
    for (const change of changes) {
      if (isChangeOf(world.events, change)) {
        if (change.before === undefined && change.after !== undefined) wait({ kind: "event", event: change.after });
      } else if (isChangeOf(world.deliveries, change) && change.after !== undefined) {
        wait({ kind: "delivery", delivery: change.after });
      }
    }
  });
  const stopForgets = sandbox.events.on("forgets", ({ company: { id }, reset }) => {
    if (id !== companyId || !reset) return;
    // The ids of requests begin again.
    const kept = waiting.filter(({ kind }) => kind !== "request");
    if (isBehind() && kept.length < waiting.length) leave();
    else waiting = kept;
  });
  const stop = (): void => {
    isStopped = true;
    stopForgets();
    stopRequests();
    stopChanges();
  };
  sendWaiting();
  return stop;
}
