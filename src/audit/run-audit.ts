import { type IdSource, createIdSource } from "../kernel/ids.js";
import { UsageError } from "../kernel/problem.js";
import type { SystemClock } from "../kernel/system-clock.js";
import type { Check, Exchange, Verdict } from "./wire/check.js";
import { selectChecks } from "./check-list.js";
import { VALID_EVENT, validEvent } from "./checks/genuine.js";
import { conclude } from "./conclude.js";
import { type Reach, parseReceiverUrl, renderReceiverUrl, sendOnWire } from "./wire/wire.js";
import type { AuditReport } from "./reporters/report.js";
import { Gone, Sender } from "./wire/sender.js";
import { Abandoned, type AuditEvent, type Stage, createStage } from "./wire/stage.js";
import type { SandboxDoor } from "./state/sandbox-orders.js";
import type { StateSource } from "./state/state-reader.js";
import { createStateSession } from "./state/state-session.js";

export interface AuditOptions extends Reach {
  /** The receiver: the only address that anything is sent to. */
  readonly url: string;
  /** The company's secret key. It never appears in the report. */
  readonly secret: string;
  /** Default: `x-service-hmac-sha256`. */
  readonly header?: string | undefined;
  /** Of the events. Default: `charges/events`. */
  readonly topic?: string | undefined;
  /** In the place of the audit's own events. */
  readonly event?: AuditEvent | undefined;
  /** Prints the state of the receiver's application: a URL, a command, or a function. */
  readonly check?: StateSource | undefined;
  /** Makes an order in the receiver's application, and prints its charge. */
  readonly order?: StateSource | undefined;
  /** The sandbox that the receiver's application runs against. */
  readonly sandbox?: SandboxDoor | undefined;
  /** Ids of checks or groups. Default: all. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  /** How long an answer may take, in real time. Default: 10 s, as the sandbox's deliveries. */
  readonly timeoutMs?: number | undefined;
  readonly system: SystemClock;
  readonly ids?: IdSource | undefined;
  /** After each check. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export const HEADER_DEFAULT = "x-service-hmac-sha256";
const TIMEOUT_MS = 10_000;
/** A receiver that takes longer for an ordinary event is asked several things at a time. */
const PATIENCE_MS = 1000;
const PARALLEL_FOR_SLOW = 32;

/**
 * Audits a webhook receiver. Findings are in the report; throws UsageError for options that are wrong ("input") and for a receiver that is not there
 * ("cannot-run"). Rejects with the reason of `signal` when that is aborted.
 */
export async function runAudit(options: AuditOptions): Promise<AuditReport> {
  const {
    system,
    timeoutMs = TIMEOUT_MS,
    secret,
    header = HEADER_DEFAULT,
    ids = createIdSource(undefined, "audit"),
  } = options;
  const url = parseReceiverUrl(options.url);
  const selected = selectChecks(options.only, options.skip);
  const start = system.monotonic();
  let patienceMs = timeoutMs;
  const { lookup, insecureTls, signal } = options;
  const reach: Reach = { lookup, insecureTls, signal };
  const send: Stage["send"] = (request) =>
    sendOnWire({ url, timeoutMs: patienceMs, system, secret, ...reach }, request);
  const sender = new Sender(send, signal);
  const { topic, event } = options;
  const state =
    options.check === undefined
      ? undefined
      : createStateSession({
          check: options.check,
          order: options.order,
          sandbox: options.sandbox,
          topic,
          event,
          receiverUrl: renderReceiverUrl(url),
          timeoutMs,
          ids,
          system,
        });
  const stagesAfter = (baseline: Exchange | undefined) => (check: Check) =>
    createStage(
      { secret, header, topic, event, state, timeoutMs, ordinary: baseline, isSlow: isSlow(baseline), ids, system },
      sender.for(check),
    );

  const ordinary = await validEvent.run(stagesAfter(undefined)(validEvent));
  const baseline = assertReached(url, ordinary);
  const others = selected.filter(({ id }) => id !== VALID_EVENT);
  const onDone = (done: number): void => options.onProgress?.(done + 1, others.length + 1);
  const runner = new Runner(sender, stagesAfter(baseline), onDone);
  if (baseline.answer === null) runner.skip(others, "not tried: the ordinary event got no answer");
  else {
    const inTurn = (turn: Check["turn"]): Check[] => others.filter((check) => check.turn === turn);
    if (isSlow(baseline)) {
      // Some receivers do one thing at a time: whoever comes last waits for all others.
      patienceMs = timeoutMs + baseline.latencyMs * PARALLEL_FOR_SLOW;
      sender.allow(PARALLEL_FOR_SLOW);
      await runner.runTogether(inTurn(undefined));
    } else await runner.run(inTurn(undefined));
    await runner.run([...inTurn("alone"), ...inTurn("last")]);
  }
  const found = new Map<string, Verdict>([[VALID_EVENT, ordinary], ...runner.verdicts]);
  // Whatever was asked for: it tells little of a receiver that does not accept an ordinary event.
  const isTold = ordinary.outcome === "passed" || options.skip?.includes(VALID_EVENT) === true;
  const told = isTold || selected.some(({ id }) => id === VALID_EVENT) ? selected : [validEvent, ...selected];
  const { checks, ...sum } = conclude(told, found);
  const durationMs = Math.round(system.monotonic() - start);
  return { receiver: renderReceiverUrl(url), ...sum, requests: sender.count, durationMs, checks };
}

function isSlow(baseline: Exchange | undefined): boolean {
  return baseline !== undefined && baseline.latencyMs > PATIENCE_MS;
}

/** Nothing that listens is no finding about it. */
function assertReached(url: URL, ordinary: Verdict): Exchange {
  const exchange = ordinary.outcome === "skipped" ? undefined : ordinary.exchange;
  if (exchange !== undefined && !exchange.unreachable) return exchange;
  throw new UsageError(
    "cannot-run",
    `Failed to reach the receiver at ${renderReceiverUrl(url)}: ${exchange?.error ?? "no request was sent"}. ` +
      "Start it, or look at the URL.",
  );
}

/** Runs checks and keeps their verdicts. */
class Runner {
  readonly verdicts = new Map<string, Verdict>();
  readonly #sender: Sender;
  readonly #stageFor: (check: Check) => Stage;
  readonly #onDone: (done: number) => void;
  /** The check that ended last. */
  #latest: string | undefined;

  constructor(sender: Sender, stageFor: (check: Check) => Stage, onDone: (done: number) => void) {
    this.#sender = sender;
    this.#stageFor = stageFor;
    this.#onDone = onDone;
  }

  /** One after the other. */
  async run(checks: readonly Check[]): Promise<void> {
    for (const check of checks) await this.#runOne(check);
  }

  async runTogether(checks: readonly Check[]): Promise<void> {
    await Promise.all(checks.map((check) => this.#runOne(check)));
  }

  skip(checks: readonly Check[], reason: string): void {
    for (const { id } of checks) this.verdicts.set(id, { outcome: "skipped", reason });
  }

  async #runOne(check: Check): Promise<void> {
    try {
      this.verdicts.set(check.id, await check.run(this.#stageFor(check)));
      this.#latest = check.id;
    } catch (error) {
      if (!(error instanceof Abandoned)) throw error;
      if (error instanceof Gone) this.#blameLatest();
      this.verdicts.set(check.id, { outcome: "skipped", reason: error.message });
    }
    this.#onDone(this.verdicts.size);
  }

  /** A receiver that answers and then dies of what it was sent: the check passed, and the receiver is gone. */
  #blameLatest(): void {
    const exchange = this.#sender.last;
    const verdict = this.verdicts.get(this.#latest ?? "");
    if (this.#latest === undefined || exchange === undefined || verdict?.outcome !== "passed") return;
    const seen = `the receiver is gone since ${exchange.request.sent}`;
    this.verdicts.set(this.#latest, { outcome: "failed", failing: "silent", seen, exchange });
  }
}
