import { signBody } from "../domain/deliveries/signature.js";
import type { AuditRequest, Exchange, HeaderLine, Verdict } from "./check.js";

/** What a check on the wire makes its requests of. */
export interface Stage {
  /** An ordinary event: its text, and the value that it spells. Each is about another resource, unless `--event` names one. */
  event(): { readonly text: string; readonly value: EventValue };
  /** The base64 signature, under the company's secret or another. */
  sign(body: string | Buffer, secret?: string): string;
  /** The name of the signature's header. */
  readonly header: string;
}

/** An event as JSON: at least `topic` and `data`. */
export interface EventValue {
  readonly topic: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** A check that sends requests and judges the answers. */
export interface WireCheck {
  /** Pure: what is sent, in this order, whatever comes back. */
  readonly send: (stage: Stage) => readonly AuditRequest[];
  readonly judge: Judge;
  /** How many requests that is at most. */
  readonly requests: number;
}

export type Judge = (exchanges: readonly Exchange[]) => Verdict;

interface PostOptions {
  /** Instead of the right one. Null: no such header. */
  readonly signature?: string | readonly string[] | null;
  readonly name?: string;
  readonly contentType?: string;
  readonly headers?: readonly HeaderLine[];
  readonly cuts?: readonly number[];
}

/** A request with this body, signed rightly unless told otherwise. */
export function post(stage: Stage, sent: string, body: string | Buffer, options: PostOptions = {}): AuditRequest {
  const { signature = stage.sign(body), name = stage.header, contentType = "application/json", headers = [] } = options;
  const values = signature === null ? [] : typeof signature === "string" ? [signature] : signature;
  return {
    sent,
    body: Buffer.from(body),
    headers: [["content-type", contentType], ...values.map((value): HeaderLine => [name, value]), ...headers],
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

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** "The receiver answers with a 2xx status to confirm receipt." All of them. */
export const mustAccept: Judge = (exchanges) => firstFailure(exchanges, (exchange) => judgeAccepted(exchange));

/** "otherwise the request is to be rejected": each with a 4xx. */
export const mustRefuse: Judge = (exchanges) => firstFailure(exchanges, (exchange) => judgeRefused(exchange));

/** Yes or no, but no crash. */
export const mustAnswer: Judge = (exchanges) => firstFailure(exchanges, (exchange) => judgeAnswered(exchange));

export function firstFailure(exchanges: readonly Exchange[], judge: (exchange: Exchange) => Verdict): Verdict {
  const verdicts = exchanges.map(judge);
  // That something forged is accepted matters more than that another one makes it crash.
  const failed = verdicts.filter((verdict) => verdict.outcome === "failed");
  return (
    failed.find(({ failing }) => failing === "accepted") ?? failed[0] ?? { outcome: "passed", exchange: exchanges[0] }
  );
}

function judgeAccepted(exchange: Exchange): Verdict {
  const { answer, request } = exchange;
  if (answer === null) return silent(exchange);
  if (isSuccess(answer.status)) return { outcome: "passed", exchange };
  const failing = answer.status >= 500 ? "crashed" : "refused";
  return { outcome: "failed", failing, seen: `${request.sent} is answered with ${answer.status}`, exchange };
}

export function judgeRefused(exchange: Exchange): Verdict {
  const { answer, request } = exchange;
  if (answer === null) return silent(exchange);
  if (answer.status >= 400 && answer.status < 500) return { outcome: "passed", exchange };
  const failing = isSuccess(answer.status) ? "accepted" : "crashed";
  const seen = isSuccess(answer.status) ? `${request.sent} is accepted` : `${request.sent} is answered with ${answer.status}`;
  return { outcome: "failed", failing, seen, exchange };
}

function judgeAnswered(exchange: Exchange): Verdict {
  const { answer } = exchange;
  if (answer === null) return silent(exchange);
  return answer.status < 500 && answer.status >= 200 ? { outcome: "passed", exchange } : judgeRefused(exchange);
}

export function silent(exchange: Exchange): Verdict {
  const seen = `${exchange.request.sent} gets no answer: ${exchange.error ?? "none came"}`;
  return { outcome: "failed", failing: "silent", seen, exchange };
}
