import type { AuditAnswer, AuditRequest, Check, CheckInfo, Exchange, Failure, Verdict } from "./check.js";
import { Abandoned, type Stage } from "./stage.js";

/** What a check says that sends requests, whatever comes back, and judges the answers. */
export interface WireCheck extends CheckInfo {
  /** Pure: what is sent, in this order. What is judged may be a part of it, and to a slow receiver in another order. */
  readonly send: (stage: Stage) => readonly AuditRequest[];
  readonly judge: Judge;
  readonly requests: number;
  readonly turn?: Check["turn"];
}

export type Judge = (exchanges: readonly Exchange[]) => Verdict;

/**
 * One request after the other, and no more of them once there was no answer, unless the check is about what comes after that. To a slow receiver all at
 * once.
 */
export function wireCheck({ send, judge, ...info }: WireCheck): Check {
  return {
    ...info,
    async run(stage) {
      const exchanges: Exchange[] = [];
      const abandoned: Abandoned[] = [];
      const attempt = async (request: AuditRequest): Promise<void> => {
        try {
          exchanges.push(await stage.send(request));
        } catch (error) {
          if (!(error instanceof Abandoned)) throw error;
          abandoned.push(error);
        }
      };
      const requests = send(stage);
      const isInOrder = !stage.isSlow || info.turn === "alone";
      if (!isInOrder) await Promise.all(requests.map(attempt));
      for (const request of isInOrder ? requests : []) {
        const isSilent = info.turn === undefined && exchanges.at(-1)?.answer === null;
        if (isSilent || abandoned.length > 0) break;
        await attempt(request);
      }
      // What came so far can be judged.
      if (exchanges.length === 0 && abandoned[0] !== undefined) throw abandoned[0];
      return judge(exchanges);
    },
  };
}

/** "The receiver answers with a 2xx status to confirm receipt." All of them. */
export const mustAccept: Judge = (exchanges) => worst(exchanges.map(judgeAccepted));

/** "otherwise the request is to be rejected": each with a 4xx. */
export const mustRefuse: Judge = (exchanges) => worst(exchanges.map(judgeRefused));

/** Yes or no, but no crash. */
export const mustAnswer: Judge = (exchanges) => worst(exchanges.map(judgeAnswered));

/** That something forged is accepted matters more than that another one makes the receiver crash; all must pass. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  const failed = verdicts.filter((verdict) => verdict.outcome === "failed");
  const skipped = verdicts.find((verdict) => verdict.outcome === "skipped");
  return failed.find(({ failing }) => failing === "accepted") ?? failed[0] ?? skipped ?? verdicts[0] ?? NOTHING_SENT;
}

const TOO_MANY = 429;
/** Neither yes nor no. */
const throttled: Verdict = {
  outcome: "skipped",
  reason: "the receiver answers 429, too many requests: lift its limit for the audit, or choose checks with --only",
};

const NOTHING_SENT: Verdict = { outcome: "skipped", reason: "there is nothing to send for this header" };

export function judgeAccepted(exchange: Exchange): Verdict {
  const { answer } = exchange;
  if (answer === null) return silent(exchange);
  if (answer.status === TOO_MANY) return throttled;
  if (isSuccess(answer)) return { outcome: "passed", exchange };
  if (answer.status >= 500) return crashed(exchange, answer);
  return isRedirect(answer) ? redirected(exchange, answer) : failure(exchange, "refused", "is refused");
}

export function judgeRefused(exchange: Exchange): Verdict {
  const { answer } = exchange;
  if (answer === null) return { ...silent(exchange), severity: "high" };
  if (answer.status === TOO_MANY) return throttled;
  if (isRefusal(answer)) return { outcome: "passed", exchange };
  if (isSuccess(answer)) return failure(exchange, "accepted", "is accepted");
  const found = isRedirect(answer) ? redirected(exchange, answer) : crashed(exchange, answer);
  return { ...found, severity: "high" };
}

export function judgeAnswered(exchange: Exchange): Verdict {
  const { answer } = exchange;
  if (answer === null) return silent(exchange);
  if (isSuccess(answer) || isRefusal(answer)) return { outcome: "passed", exchange };
  return isRedirect(answer) ? redirected(exchange, answer) : crashed(exchange, answer);
}

export function silent(exchange: Exchange): Failure {
  return failure(exchange, "silent", `gets no answer: ${exchange.error ?? "none came"}`);
}

export function isSuccess({ status }: AuditAnswer): boolean {
  return status >= 200 && status < 300;
}

export function isRefusal({ status }: AuditAnswer): boolean {
  return status >= 400 && status < 500;
}

function isRedirect({ status }: AuditAnswer): boolean {
  return status >= 300 && status < 400;
}

function redirected(exchange: Exchange, { status, location }: AuditAnswer): Failure {
  const where = location === null ? "" : ` to ${location}`;
  return failure(exchange, "redirected", `is redirected with ${status}${where}, which the service does not follow`);
}

function crashed(exchange: Exchange, { status }: AuditAnswer): Failure {
  return failure(exchange, "crashed", `makes the receiver fail with ${status}`);
}

function failure(exchange: Exchange, failing: Failure["failing"], what: string): Failure {
  const status = exchange.answer === null || /\d{3}/.test(what) ? "" : ` with ${exchange.answer.status}`;
  return { outcome: "failed", failing, seen: `${exchange.request.sent} ${what}${status}`, exchange };
}
