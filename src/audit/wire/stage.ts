import { signBody } from "../../domain/deliveries/sign-delivery.js";
import { findTopic } from "../../domain/values/topic.js";
import type { IdSource } from "../../kernel/ids.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import type { AuditRequest, Exchange, HeaderLine } from "./check.js";
import { type Step, type TopicSpelling, createResource, renderStep } from "./events.js";
import type { StateSession } from "../state/state-session.js";

/** What a check makes its requests of, and sends them with. */
export interface Stage {
  /** An ordinary event. Each is about another resource, unless the user has given one. */
  event(): AuditEvent;
  /** The base64 signature, under the company's secret or another. */
  sign(body: string | Buffer, secret?: string): string;
  /** The name of the signature's header. */
  readonly header: string;
  readonly spelling: TopicSpelling;
  /** Makes it go out at once, on a connection of its own. Throws Abandoned when the receiver has been silent too often. */
  send(request: AuditRequest): Promise<Exchange>;
  /** The topic that the user has named. */
  readonly topic: string | undefined;
  /** The state of the receiver's application, where the user has said how it is read. One for all checks of an audit. */
  readonly state: StateSession | undefined;
  /** How long an answer may take, in real time. */
  readonly timeoutMs: number;
  /** The exchange of the ordinary event with which the audit began. Undefined while it is under way. */
  readonly ordinary: Exchange | undefined;
  /** The receiver needs long for each answer: several requests go out at a time. */
  readonly isSlow: boolean;
  readonly ids: IdSource;
  readonly system: SystemClock;
}

/** An event: its text, and the value that it spells. */
export interface AuditEvent {
  readonly text: string;
  readonly value: EventValue;
}

/** An event as JSON. Of the contract's, at least `topic` and `data`. */
export interface EventValue {
  readonly topic?: unknown;
  readonly data?: unknown;
  readonly [member: string]: unknown;
}

/** What a check throws when it is not to be finished: it is skipped for this reason. */
export class Abandoned extends Error {
  override readonly name = "Abandoned";
}

export interface StageOptions {
  readonly secret: string;
  readonly header: string;
  /** A topic of the contract, in either spelling, or any other. Default: charges/events. */
  readonly topic: string | undefined;
  /** In the place of the audit's own events. */
  readonly event: AuditEvent | undefined;
  readonly state: StateSession | undefined;
  readonly timeoutMs: number;
  readonly ordinary: Exchange | undefined;
  readonly isSlow: boolean;
  readonly ids: IdSource;
  readonly system: SystemClock;
}

export function createStage(options: StageOptions, send: Stage["send"]): Stage {
  const { secret, header, topic, state, timeoutMs, ordinary, isSlow, ids, system } = options;
  const known = findTopic(topic ?? "");
  const spelling: TopicSpelling = known === undefined || known === topic ? "plural" : "singular";
  const sign: Stage["sign"] = (body, other = secret) => signBody(body, other);
  return {
    event: () => options.event ?? makeEvent(options, spelling, sign),
    sign,
    header,
    spelling,
    send,
    topic,
    state,
    timeoutMs,
    ordinary,
    isSlow,
    ids,
    system,
  };
}

/**
 * About a resource that nobody knows. Its signature has + and /, by which base64 and base64url differ: a receiver that takes the one for the other
 * would accept every fourth event.
 */
function makeEvent({ topic, ids, system }: StageOptions, spelling: TopicSpelling, sign: Stage["sign"]): AuditEvent {
  const step = stepOf(topic);
  let text = "";
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const resource = createResource(step === "paid" ? "charge" : "transfer", ids, system.now());
    text = renderStep(resource, step, spelling, topic);
    if (hasBoth(sign(text))) break;
  }
  return { text, value: JSON.parse(text) };
}

/** Of base64, all that base64url spells otherwise. */
export function hasBoth(signature: string): boolean {
  return signature.includes("+") && signature.includes("/");
}

/** About one signature in four has both. */
const TRIES_MAX = 500;

/** What happens in an ordinary event of a topic; of one that the contract does not know, that a charge is paid. */
function stepOf(topic: string | undefined): Step {
  switch (findTopic(topic ?? "")) {
    case "transactions/started":
      return "started";
    case "transactions/completed":
      return "completed";
    case "transactions/failed":
      return "failed";
    case "charges/events":
    case undefined:
      return "paid";
  }
}

export interface PostOptions {
  /** Instead of the right one. Null: no such header. */
  readonly signature?: string | readonly string[] | null;
  /** Of the signature's header. */
  readonly name?: string;
  readonly contentType?: string;
  readonly cuts?: readonly number[];
}

/** A request with this body, signed rightly unless told otherwise. */
export function post(stage: Stage, sent: string, body: string | Buffer, options: PostOptions = {}): AuditRequest {
  const { signature = stage.sign(body), name = stage.header, contentType = "application/json" } = options;
  const values = signature === null ? [] : typeof signature === "string" ? [signature] : signature;
  return {
    sent,
    body: Buffer.from(body),
    headers: [["content-type", contentType], ...values.map((value): HeaderLine => [name, value])],
    ...(options.cuts === undefined ? {} : { cuts: options.cuts }),
  };
}

/** An ordinary event with something special about its signature. */
export function postSigned(
  stage: Stage,
  sent: string,
  signature: (right: string, body: string) => string | readonly string[] | null,
): AuditRequest {
  const { text } = stage.event();
  return post(stage, sent, text, { signature: signature(stage.sign(text), text) });
}
