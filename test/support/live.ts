import { Agent, fetch } from "undici";
import { expect, onTestFinished } from "vitest";
import type { Delivery } from "../../src/domain/model/delivery.js";
import type { DomainEvent } from "../../src/domain/model/events.js";
import { parseDuration } from "../../src/kernel/time/duration.js";
import { parseInstant, toIso } from "../../src/kernel/time/instant.js";
import { advance, type AdvanceOptions, type AdvanceResult, settle } from "../../src/sandbox/company/advance.js";
import type { Company } from "../../src/sandbox/company/company.js";
import { credentials, readAnswer, requestInit } from "./call.js";
import { type Receiver, type Reply, type ReplyTo, startReceiver } from "./receiver.js";
import { chargeRequest, transferRequest } from "./requests.js";
import {
  type Answer,
  createWorld,
  type GivenHeaders,
  type LooseJson,
  type TestWorld,
  type WorldOptions,
} from "./world.js";

/** A sandbox that listens until the test ends, with the handles that tests of time and delivery need. */
export interface Live extends TestWorld {
  readonly url: string;
  /** The default company as it is now: a reset replaces it. */
  readonly company: Company;
  /** Calls the API over TCP as the default company. */
  http(method: string, path: string, body?: unknown, headers?: GivenHeaders): Promise<Answer>;
  /** Calls the control API over TCP. */
  control(method: string, path: string, body?: unknown, headers?: GivenHeaders): Promise<Answer>;
  /** Calls the API over TCP, and returns the body of the answer, whose status must be 2xx. */
  ok(method: string, path: string, body?: unknown): Promise<LooseJson>;
  subscribe(topic: string, url: string): Promise<LooseJson>;
  /** A receiver that is subscribed to the topic, until the test ends. */
  receiverFor(topic: string, reply?: Reply | ReplyTo): Promise<Receiver>;
  createCharge(change?: Readonly<Record<string, unknown>>): Promise<LooseJson>;
  createTransfer(change?: Readonly<Record<string, unknown>>): Promise<LooseJson>;
  /** Advances by a duration, to an ISO instant, or to the next due item. */
  advance(target: string, options?: AdvanceOptions): Promise<AdvanceResult>;
  settle(maxWaitMs?: number): Promise<readonly string[]>;
  /** The company's time as ISO text. */
  now(): string;
  deliveries(): readonly Delivery[];
  events(): readonly DomainEvent[];
  /** Resolves as soon as the condition holds; it is checked after every change of the company. */
  until(holds: () => boolean): Promise<void>;
}

export async function startLive(options: WorldOptions = {}): Promise<Live> {
  const bugs: unknown[] = [];
  const log = {
    write: (level: string, event: string, fields?: unknown) => void (event === "bug" && bugs.push({ level, fields })),
  };
  const world = createWorld({ log, ...options });
  const url = await world.listen();
  // Connections are not shared with later tests, where the port may belong to another server.
  const agent = new Agent();
  onTestFinished(async () => {
    await agent.destroy();
    await world.close();
    expect(bugs).toEqual([]);
  });
  const company = (): Company => world.sandbox.defaultCompany;
  const http: Live["http"] = (method, path, body, headers) =>
    callOver(agent, url + path, method, body, { ...credentials, ...headers });
  const ok: Live["ok"] = async (method, path, body) => {
    const answer = await http(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const subscribe: Live["subscribe"] = (topic, receiver) => ok("POST", "/v1/webhooks", { topic, url: receiver });
  return Object.assign(Object.create(world) as TestWorld, {
    url,
    get company() {
      return company();
    },
    http,
    control: (method: string, path: string, body?: unknown, headers: GivenHeaders = {}) =>
      callOver(agent, `${url}/_sandbox${path}`, method, body, headers),
    ok,
    subscribe,
    async receiverFor(topic: string, reply?: Reply | ReplyTo) {
      const receiver = await startReceiver(reply);
      await subscribe(topic, receiver.url);
      return receiver;
    },
    createCharge: (change = {}) => ok("POST", "/v1/charges", chargeRequest(change)),
    createTransfer: (change = {}) => ok("POST", "/v1/transactions", transferRequest(change)),
    advance: (target: string, given?: AdvanceOptions) => advance(company(), targetOf(target), given),
    settle: (maxWaitMs?: number) => settle(company(), { maxWaitMs }),
    now: () => toIso(company().now()),
    deliveries: () => company().world.deliveries.values(),
    events: () => company().world.events.values(),
    until: async (holds: () => boolean) => {
      while (!holds()) await world.sandbox.events.waitFor("changed", () => true);
    },
  });
}

/** A promise, and the function that resolves it. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Answers once the gate is open. */
export function answerAfter({ opened }: Gate, reply: Reply = {}): ReplyTo {
  return async () => {
    await opened;
    return reply;
  };
}

/** One HTTP call over a new connection. A string is sent unchanged, anything else as JSON, undefined not at all. */
export async function call(url: string, method: string, body?: unknown, headers: GivenHeaders = {}): Promise<Answer> {
  const agent = new Agent();
  try {
    return await callOver(agent, url, method, body, headers);
  } finally {
    await agent.destroy();
  }
}

async function callOver(agent: Agent, url: string, ...given: Parameters<typeof requestInit>): Promise<Answer> {
  return readAnswer(await fetch(url, { ...requestInit(...given), dispatcher: agent }));
}

function targetOf(target: string) {
  if (target === "next") return { toNext: true } as const;
  const to = parseInstant(target);
  return to === undefined ? { byMs: parseDuration(target) } : { to };
}
