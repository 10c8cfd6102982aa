import { isChangeOf } from "../../kernel/unit-of-work.js";
import type { Company } from "../../sandbox/company/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { renderClock, renderDelivery, renderEvent } from "./render-control.js";
import { renderRequest } from "./render-request.js";
import type { Delivery } from "../../domain/model/delivery.js";
import type { DomainEvent } from "../../domain/model/events.js";

/** What happened, in the shape in which the list of its kind shows it. */
export interface LiveMessage {
  readonly kind: "request" | "event" | "delivery" | "clock";
  readonly data: unknown;
}

export interface Follower {
  readonly hear: (message: LiveMessage) => void;
  /** The company is gone, or the sandbox has closed: nothing is heard any more. */
  readonly end: () => void;
}

/** Something that happened. Rows are immutable, so that they can be rendered later. */
type Happening =
  | { readonly kind: "event"; readonly event: DomainEvent }
  | { readonly kind: "delivery"; readonly delivery: Delivery }
  | { readonly kind: "request"; readonly id: string };

/** When more than these wait to be kept and told, the follower is let go. */
const WAITING_MAX = 10_000;

/**
 * Tells of everything that happens in a company until the returned function is called: first how its clock stands, then each request with its answer (again
 * when the answer turns out to be lost), each event, each change of a delivery, and the clock whenever it or what is due has changed. A reset and a state that
 * is put in are followed. Nothing is told before it is kept, and nothing is rendered on the way of a request.
 */
export function followCompany(sandbox: Sandbox, companyId: string, follower: Follower): () => void {
  let waiting: Happening[] = [];
  let woken = false;
  let stopped = false;
  let toldClock = "";

  const wake = (): void => {
    if (woken) return;
    woken = true;
    void whenKept(sandbox).then(tell);
  };
  const wait = (happening: Happening): void => {
    if (waiting.push(happening) > WAITING_MAX) leave();
    wake();
  };
  const leave = (): void => {
    if (stopped) return;
    stop();
    follower.end();
  };
  const tell = (): void => {
    woken = false;
    if (stopped) return;
    const current = sandbox.findCompany(companyId);
    if (current === undefined || current.closed) return leave();
    const told = waiting;
    waiting = [];
    for (const happening of told) {
      const message = render(happening, current);
      if (message !== undefined) follower.hear(message);
    }
    tellClock(current);
  };
  const tellClock = (current: Company): void => {
    const { clock, world } = current;
    const state = JSON.stringify([clock.save(), world.due.size, world.due.peek()?.id, world.due.peek()?.dueAt]);
    if (state === toldClock) return;
    toldClock = state;
    follower.hear({ kind: "clock", data: renderClock(current) });
  };
  const render = (happening: Happening, current: Company): LiveMessage | undefined => {
    const { kind } = happening;
    if (kind === "event") return { kind, data: renderEvent(happening.event, current.profile) };
    if (kind === "delivery") return { kind, data: renderDelivery(happening.delivery) };
    const entry = sandbox.observationOf(companyId).journal.entries.get(happening.id);
    // Those that follow later are told as deliveries.
    return entry && { kind, data: renderRequest(entry, entry.enqueued, sandbox.redactor) };
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
  const stop = (): void => {
    stopped = true;
    stopRequests();
    stopChanges();
  };
  tell();
  return stop;
}

/** Another turn: whoever is in the middle of something has finished it by then. That it could not be kept is for others to tell. */
async function whenKept(sandbox: Sandbox): Promise<void> {
  await Promise.resolve();
  await sandbox.durable()?.catch(() => undefined);
  await sandbox.system.yieldToEventLoop();
}
