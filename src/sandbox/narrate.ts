import type { Delivery } from "../domain/model/delivery.js";
import type { DomainEvent } from "../domain/model/events.js";
import type { World } from "../domain/model/work.js";
import { type Instant, toIso } from "../kernel/instant.js";
import type { Log } from "../kernel/log.js";
import type { Change } from "../kernel/unit-of-work.js";
import type { Company } from "./company/company.js";
import { fieldsOfDelivery, fieldsOfEvent, fieldsOfExchange, nameOfDelivery } from "./log-fields.js";
import { isOf } from "./observation/coverage-tally.js";
import type { ExchangeEvent, Sandbox } from "./sandbox.js";

export interface Narrator {
  /** Says at once what there is to say. */
  catchUp(): void;
  /** As that, and nothing after it. */
  stop(): void;
}

/** Something that happened. Rows are immutable, so that it can be told of later. */
type Happening = EventHappening | DeliveryHappening | RequestHappening;

interface EventHappening {
  readonly kind: "event";
  readonly company: string;
  /** After a reset a company of the same id has another. */
  readonly world: World;
  readonly event: DomainEvent;
}

interface DeliveryHappening {
  readonly kind: "delivery";
  readonly company: string;
  readonly at: Instant;
  readonly name: string;
  readonly delivery: Delivery;
  readonly attempted: boolean;
}

interface RequestHappening {
  readonly kind: "request";
  readonly answered: ExchangeEvent;
  /** Real time, as its `receivedAt`. */
  readonly endedAt: number;
}

/** More than these wait for nothing. */
const WAITING_MAX = 10_000;

/**
 * Tells the sandbox's log of each state change (info) and of each request to the API under test (debug), with the company and the time of its clock.
 * What the log does not want costs nothing; what it wants is worded after the answer was made, when it is known which request caused what.
 */
export function narrate(sandbox: Sandbox): Narrator {
  const { log, system } = sandbox;
  if (!wants(log, "info")) return { catchUp: () => undefined, stop: () => undefined };
  let waiting: Happening[] = [];
  const tell = (): void => {
    const told = waiting;
    waiting = [];
    tellAll(log, told);
  };
  const wait = (happening: Happening): void => {
    waiting.push(happening);
    if (waiting.length === 1) void whenAnswered(sandbox).then(tell);
    else if (waiting.length > WAITING_MAX) tell();
  };
  const stopRequests = sandbox.events.on("exchange", (answered) =>
    wait({ kind: "request", answered, endedAt: system.monotonic() }),
  );
  const stopChanges = sandbox.events.on("changed", ({ company, changes }) => {
    for (const change of changes) {
      const happening = readChange(company, change);
      if (happening !== undefined) wait(happening);
    }
  });
  return {
    catchUp: tell,
    stop() {
      stopRequests();
      stopChanges();
      tell();
    },
  };
}

function wants(log: Log, level: "debug" | "info"): boolean {
  return log.wants?.(level) === true;
}

/** When what has just happened is kept, and the answer to the request that caused it, if any, was made. */
async function whenAnswered(sandbox: Sandbox): Promise<void> {
  // The commit is not over yet.
  await Promise.resolve();
  // That it could not be kept is for those to tell who answer for it.
  await sandbox.durable()?.catch(() => undefined);
  await sandbox.system.yieldToEventLoop();
}

function readChange(owner: Company, change: Change): Happening | undefined {
  const { id: company, world } = owner;
  if (isOf(world.events, change)) {
    const { before, after: event } = change;
    return before === undefined && event !== undefined ? { kind: "event", company, world, event } : undefined;
  }
  if (!isOf(world.deliveries, change)) return undefined;
  const { before, after: delivery } = change;
  const name = nameOfDelivery(before, delivery);
  if (name === undefined || delivery === undefined) return undefined;
  const attempted = delivery.attempts.length > (before?.attempts.length ?? 0);
  const at = owner.now();
  return { kind: "delivery", company, at, name, delivery, attempted };
}

/** A bug in one line costs that line alone. */
function tellAll(log: Log, happenings: readonly Happening[]): void {
  const requests = happenings.filter((each) => each.kind === "request");
  for (const happening of happenings) {
    try {
      tellOf(log, happening, requests);
    } catch (error) {
      log.write("error", "bug", { error: error instanceof Error ? error.stack : String(error) });
    }
  }
}

function tellOf(log: Log, happening: Happening, requests: readonly RequestHappening[]): void {
  switch (happening.kind) {
    case "event": {
      const { company, event } = happening;
      const cause = requests.find((request) => hasCaused(request, happening));
      const fields = fieldsOfEvent(event, cause?.answered.requestId);
      return log.write("info", event.type, { company, now: toIso(event.at), ...fields });
    }
    case "delivery": {
      const { company, at, name, delivery, attempted } = happening;
      return log.write("info", name, { company, now: toIso(at), ...fieldsOfDelivery(delivery, attempted) });
    }
    case "request": {
      if (!wants(log, "debug")) return undefined;
      const { endedAt, answered } = happening;
      const { exchange, companyId, requestId } = answered;
      const fields = fieldsOfExchange(exchange, requestId, endedAt);
      return log.write("debug", "request", { company: companyId, now: toIso(exchange.at), ...fields });
    }
  }
}

function hasCaused({ answered }: RequestHappening, { world, event }: EventHappening): boolean {
  const { made, company } = answered.exchange;
  return company?.world === world && event.seq > made.from && event.seq <= made.to;
}
