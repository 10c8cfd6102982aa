import type { SystemClock } from "../../kernel/time/system-clock.js";
import type { AuditEvent, AuditRequest, HeaderLine, Stage } from "./check.js";
import { createResource, renderStep, stepOf, topicOf } from "./events.js";
import { signBody } from "../../domain/deliveries/sign-delivery.js";

export interface StageOptions extends Pick<Stage, "header" | "oldSecret" | "send" | "ordinary" | "isSlow" | "ids"> {
  readonly secret: string;
  /** A topic of the contract, in either spelling, or any other. Default: charges/events. */
  readonly topic: string | undefined;
  /** Whether the user has named no topic, so that checks may also send events of other topics. */
  readonly isAnyTopic: boolean;
  readonly event: AuditEvent | undefined;
  readonly system: SystemClock;
}

export function createStage(options: StageOptions): Stage {
  const { secret, topic = topicOf("paid"), isAnyTopic, event, system, ...parts } = options;
  const sign: Stage["sign"] = (body, other = secret) => signBody(body, other);
  const eventOf = (named: string): AuditEvent => createEvent(sign, named, parts.ids, system);
  return { ...parts, sign, event: () => event ?? eventOf(topic), eventOf: isAnyTopic ? eventOf : undefined };
}

/** About one signature in four has both characters. */
const EVENT_TRIES_MAX = 500;

/**
 * An event about a resource that exists nowhere. Its signature contains + and /, in which base64 and base64url differ: a receiver that confuses the two
 * would accept every fourth event.
 */
function createEvent(sign: Stage["sign"], topic: string, ids: Stage["ids"], system: SystemClock): AuditEvent {
  const step = stepOf(topic);
  let text = "";
  for (let tries = 0; tries < EVENT_TRIES_MAX; tries++) {
    text = renderStep(createResource(ids, system.now()), step, topic);
    if (differsInBase64url(sign(text))) break;
  }
  return { text, value: JSON.parse(text) };
}

export function differsInBase64url(signature: string): boolean {
  return signature.includes("+") && signature.includes("/");
}

/** The values of the header. Null means no such header. */
export type Signature = string | readonly string[] | null;

interface PostOptions {
  /** Default: the right signature. */
  readonly signature?: Signature;
  /** The name of the signature's header. Default: that of the stage. */
  readonly name?: string;
  readonly contentType?: string;
  readonly cuts?: readonly number[];
}

/** A request with this body, with the right signature unless `options` say otherwise. */
export function post(stage: Stage, sent: string, body: string | Buffer, options: PostOptions = {}): AuditRequest {
  const { signature = stage.sign(body), name = stage.header, contentType = "application/json", cuts } = options;
  const values = signature === null ? [] : [signature].flat();
  return {
    sent,
    body: Buffer.from(body),
    headers: [["content-type", contentType], ...values.map((value): HeaderLine => [name, value])],
    ...(cuts === undefined ? {} : { cuts }),
  };
}
