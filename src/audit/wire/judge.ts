import {
  Abandoned,
  type AuditAnswer,
  type AuditRequest,
  type Check,
  type Exchange,
  type Failure,
  type Skipped,
  type Stage,
  type Verdict,
} from "./check.js";

/** A check that sends the same requests whatever comes back, and judges the answers. */
export interface WireCheck extends Omit<Check, "run"> {
  /** The requests, in this order. `judge` may get only some of them, and from a slow receiver in another order. */
  readonly send: (stage: Stage) => readonly AuditRequest[];
  readonly judge: Judge;
}

export type Judge = (exchanges: readonly Exchange[]) => Verdict;

/**
 * Makes a check that sends one request after the other, and to a slow receiver all at once. It stops after a request without an answer, unless it is about
 * what comes after that.
 */
export function wireCheck({ send, judge, ...info }: WireCheck): Check {
  return {
    ...info,
    async run(stage) {
      const exchanges: Exchange[] = [];
      let abandoned: Abandoned | undefined;
      const attempt = async (request: AuditRequest): Promise<void> => {
        try {
          exchanges.push(await stage.send(request));
        } catch (error) {
          if (!(error instanceof Abandoned)) throw error;
          abandoned = error;
        }
      };
      const requests = send(stage);
      if (stage.isSlow && info.turn !== "alone") await Promise.all(requests.map(attempt));
      else {
        for (const request of requests) {
          const isSilent = info.turn === undefined && exchanges.at(-1)?.answer === null;
          if (isSilent || abandoned !== undefined) break;
          await attempt(request);
        }
      }
      if (exchanges.length === 0 && abandoned !== undefined) throw abandoned;
      const verdict = judge(exchanges);
      if (info.isAboutCrashes !== true || verdict.outcome !== "failed") return verdict;
      const { why: _why, fix: _fix, ...own } = verdict;
      return own;
    },
  };
}

/** Each answer must be 2xx. The contract: "The receiver answers with a 2xx status to confirm receipt." */
export const mustAccept: Judge = (exchanges) => worst(exchanges.map(judgeAccepted));

/** Each answer must be 4xx. The contract: "If equal the payload is authentic; otherwise the request is to be rejected." */
export const mustRefuse: Judge = (exchanges) => worst(exchanges.map(judgeRefused));

/** Each answer must be 2xx or 4xx. */
export const mustAnswer: Judge = (exchanges) => worst(exchanges.map(judgeAnswered));

/** All verdicts must pass. An accepted forged event is reported before other failures, such as a crash on another event. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  const failed = verdicts.filter((verdict) => verdict.outcome === "failed");
  const skipped = verdicts.find((verdict) => verdict.outcome === "skipped");
  return failed.find(({ failing }) => failing === "accepted") ?? failed[0] ?? skipped ?? verdicts[0] ?? NOTHING_SENT;
}

const NOTHING_SENT: Verdict = { outcome: "skipped", reason: "there is nothing to send for this header" };

export const TOO_MANY = 429;
/** Status 429 proves nothing: the event was neither accepted nor refused. */
function throttled(exchange: Exchange): Verdict {
  return {
    outcome: "skipped",
    reason: "the receiver answers 429, too many requests: lift its limit for the audit, or choose checks with --only",
    exchange,
  };
}

export function judgeAccepted(exchange: Exchange): Verdict {
  const { answer } = exchange;
  if (answer?.status === TOO_MANY) return throttled(exchange);
  if (answer === null || isRedirect(answer) || answer.status >= 500) return mishap(exchange);
  return isSuccess(answer) ? { outcome: "passed", exchange } : failure(exchange, "refused", "is refused");
}

export function judgeRefused(exchange: Exchange): Verdict {
  const { answer } = exchange;
  if (answer?.status === TOO_MANY) return throttled(exchange);
  if (answer !== null && isRefusal(answer)) return { outcome: "passed", exchange };
  if (answer !== null && isSuccess(answer)) return failure(exchange, "accepted", "is accepted");
  return { ...mishap(exchange), severity: "high", ...mishapTexts };
}

const mishapTexts = {
  why: "The event is not accepted, but it is not refused either. Anyone can make the receiver fail as often as they like, which hides real errors.",
  fix: "Answer 401 when verification fails: catch errors, and do not let a framework or proxy turn them into a 5xx or a redirect.",
};

/** Judges a check that only warns, unless a forged event is accepted: that is critical. `isForgery` picks the forged events by their `sent`. */
export const warnUnlessForged =
  (isForgery: (sent: string) => boolean): Judge =>
  (exchanges) => {
    const forged = exchanges.find((exchange) => isForgery(exchange.request.sent) && isAccepted(exchange));
    return forged === undefined
      ? mustRefuse(exchanges)
      : { ...failure(forged, "accepted", "is accepted"), raisedTo: "critical" };
  };

export function judgeAnswered(exchange: Exchange): Verdict {
  const { answer } = exchange;
  if (answer?.status === TOO_MANY) return throttled(exchange);
  const isAnswered = answer !== null && (isSuccess(answer) || isRefusal(answer));
  return isAnswered ? { outcome: "passed", exchange } : mishap(exchange);
}

/** Whether an answer shows that the event was accepted or refused. */
export function isProof({ answer }: Exchange): boolean {
  return answer !== null && answer.status !== TOO_MANY && (isSuccess(answer) || isRefusal(answer));
}

/** Skips a check because of the first exchange that proves nothing. Undefined when there is none. */
export function judgeProof(exchanges: readonly Exchange[]): Skipped | undefined {
  const exchange = exchanges.find((each) => !isProof(each));
  if (exchange === undefined) return undefined;
  const { request, answer, error } = exchange;
  const what = answer === null ? `got no answer (${error ?? "none came"})` : `was answered with ${answer.status}`;
  return { outcome: "skipped", reason: `${request.sent} ${what}, which proves nothing`, exchange };
}

export function silent(exchange: Exchange): Failure {
  return failure(exchange, "silent", `gets no answer: ${exchange.error ?? "none came"}`);
}

export function isAccepted({ answer }: Exchange): boolean {
  return answer !== null && isSuccess(answer);
}

export function isSuccess({ status }: AuditAnswer): boolean {
  return status >= 200 && status < 300;
}

function isRefusal({ status }: AuditAnswer): boolean {
  return status >= 400 && status < 500;
}

function isRedirect({ status }: AuditAnswer): boolean {
  return status >= 300 && status < 400;
}

/** The failure of an exchange in which the event was neither accepted nor refused. */
function mishap(exchange: Exchange): Failure {
  const { answer } = exchange;
  if (answer === null) return silent(exchange);
  const { status, location } = answer;
  const where = location === null ? "" : ` to ${location}`;
  return isRedirect(answer)
    ? failure(exchange, "redirected", `is redirected with ${status}${where}, which the service does not follow`)
    : failure(exchange, "crashed", `makes the receiver fail with ${status}`);
}

function failure(exchange: Exchange, failing: Failure["failing"], what: string): Failure {
  const status = exchange.answer === null || /\d{3}/.test(what) ? "" : ` with ${exchange.answer.status}`;
  return { outcome: "failed", failing, seen: `${exchange.request.sent} ${what}${status}`, exchange };
}
