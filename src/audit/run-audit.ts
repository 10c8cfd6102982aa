import { createIdSource, type IdSource } from "../kernel/records/ids.js";
import { redactErrors, UsageError } from "../kernel/messages/problem.js";
import { redactStart } from "../kernel/messages/text.js";
import type { SystemClock } from "../kernel/time/system-clock.js";
import { selectChecks } from "./check-list.js";
import { findAccepted } from "./checks/diagnose.js";
import { VALID_EVENT, validEvent } from "./checks/genuine.js";
import { notesOn } from "./checks/notes.js";
import { isForPayouts, PAYOUTS } from "./checks/topics.js";
import { HEADER_DEFAULT } from "./checks/snippets.js";
import { conclude } from "./conclude.js";
import type { AuditReport, CheckResult } from "./report.js";
import type { SandboxDoor } from "./application/sandbox-door.js";
import { createKnownEvents } from "./application/known-events.js";
import { COPIES } from "./application/schedule.js";
import type { StateStage } from "./state/state-checks.js";
import type { StateSource } from "./application/state-reader.js";
import { LATE, StateSession } from "./state/state-session.js";
import { Abandoned, type AuditEvent, type Check, type Exchange, type Verdict } from "./wire/check.js";
import {
  type Reach,
  type WireOptions,
  isUnreachable,
  parseReceiverUrl,
  renderReceiverUrl,
  sendOnWire,
} from "./wire/send-on-wire.js";
import { Gone, Sender } from "./wire/sender.js";
import { type StageOptions, createStage } from "./wire/stage.js";

export interface AuditOptions extends Reach {
  /** The receiver. Requests are sent to no other address. */
  readonly url: string;
  /** The company's secret key. It never appears in the report. */
  readonly secret: string;
  /** The secret key before the last rotation: the receiver must refuse it. */
  readonly oldSecret?: string | undefined;
  /** Hides the secret keys in what the report quotes. */
  readonly redact?: ((text: string) => string) | undefined;
  /** The name of the signature's header. Default: `x-service-hmac-sha256`. */
  readonly header?: string | undefined;
  /** The topic of the events. Default: `charges/events`. */
  readonly topic?: string | undefined;
  /** Replaces the audit's own events. */
  readonly event?: AuditEvent | undefined;
  /** Prints the state of the receiver's application: a URL, a command, or a function. */
  readonly check?: StateSource | undefined;
  /** Makes an order in the receiver's application, and prints its charge or transfer. */
  readonly order?: StateSource | undefined;
  readonly sandbox?: SandboxDoor | undefined;
  /** How long the application may work after its answers. Default: 1 s. */
  readonly settleMs?: number | undefined;
  /** Restarts the application: a command, or a function. */
  readonly restart?: StateSource | undefined;
  /** Ids of checks or groups. Default: all. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  /** The limit for one answer, in real time. Default: 10 s, like the sandbox's deliveries. */
  readonly timeoutMs?: number | undefined;
  readonly system: SystemClock;
  readonly ids?: IdSource | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

const TIMEOUT_MS = 10_000;
/** A receiver that takes longer for an ordinary event gets several requests at a time. */
const SLOW_MS = 1000;
const PARALLEL_FOR_SLOW = 32;
const SETTLE_MS = 1000;

type StateCheck = Check<StateStage>;
type CheckName = Pick<StateCheck, "id" | "group">;

const NOT_REACHED = "not tried: the receiver could not be reached any more";

/**
 * Audits a webhook receiver. Throws UsageError for wrong options ("input") and for a receiver that cannot be reached ("cannot-run"). Rejects with the reason
 * of `signal` when that is aborted.
 */
export async function runAudit(options: AuditOptions): Promise<AuditReport> {
  // A message may quote what a command printed, or an answer.
  return redactErrors(options.redact ?? ((text) => text), () => new Audit(options).run());
}

class Audit {
  readonly #options: AuditOptions;
  readonly #redact: (text: string) => string;
  readonly #header: string;
  readonly #receiver: string;
  readonly #selected: readonly StateCheck[];
  /** The selected checks without the ordinary event, with which every audit begins. */
  readonly #others: readonly StateCheck[];
  /** `timeoutMs` is raised for a slow receiver. */
  readonly #wire: Omit<WireOptions, "timeoutMs"> & { timeoutMs: number };
  readonly #sender: Sender;
  readonly #state: StateSession | undefined;
  /** Events about orders that the application knows. */
  readonly #knownEvent: ReturnType<typeof createKnownEvents> | undefined;
  readonly #common: Omit<StageOptions, "topic" | "ordinary" | "isSlow" | "send">;
  #topic: string | undefined;
  readonly #verdicts = new Map<string, Verdict>();
  /** Why no further check is tried. Undefined while the receiver can be reached. */
  #gone: string | undefined;

  constructor(options: AuditOptions) {
    const { system, timeoutMs = TIMEOUT_MS, secret, oldSecret, header = HEADER_DEFAULT, topic, event } = options;
    const { lookup, insecureTls, signal, check, order, sandbox, restart, settleMs = SETTLE_MS } = options;
    const url = parseReceiverUrl(options.url);
    if (oldSecret === secret)
      throw new UsageError("input", "The old secret key must be another one than the secret key.");
    const ids = options.ids ?? createIdSource(undefined, "audit");
    const selected = selectChecks(options.only, options.skip);
    const checks = new Set(selected.map(({ id }) => id));
    const orders = { order, sandbox, topic, timeoutMs, ids, system, prints: {} };
    const receiver = renderReceiverUrl(url);
    const wire = { url, timeoutMs, system, secret, lookup, insecureTls, signal };
    this.#options = options;
    this.#redact = options.redact ?? ((text) => text);
    this.#header = header;
    this.#receiver = receiver;
    this.#selected = selected;
    this.#others = selected.filter(({ id }) => id !== VALID_EVENT);
    this.#wire = wire;
    this.#sender = new Sender(
      (request) => sendOnWire(wire, request),
      () => isUnreachable(wire),
      system,
      signal,
    );
    this.#knownEvent = event === undefined ? createKnownEvents(orders) : undefined;
    if (check !== undefined)
      this.#state = new StateSession({ ...orders, check, checks, restart, settleMs, event, receiver });
    this.#common = {
      secret,
      oldSecret,
      header,
      event,
      isAnyTopic: topic === undefined && event === undefined,
      ids,
      system,
    };
    this.#topic = topic;
  }

  async run(): Promise<AuditReport> {
    const { system } = this.#options;
    const start = system.monotonic();
    // A state that cannot be read is reported by its check, after an unreachable receiver.
    if (this.#state?.isOneEvent === true) this.#state.atStart = await this.#state.app.read().catch(() => undefined);
    const { ordinary, baseline } = await this.#findBaseline();
    this.#verdicts.set(VALID_EVENT, ordinary);
    if (baseline.answer === null) this.#skipOthers();
    else await this.#runOthers(baseline);
    const accepted = await this.#diagnose(ordinary, baseline);
    // No later check would notice that the last one has brought the receiver down.
    const isAway = this.#gone === undefined && this.#others.length > 0 && (await isUnreachable(this.#wire));
    if (isAway && !(await this.#sender.returns())) this.#failAsGone();
    return this.#report(ordinary, accepted, Math.round(system.monotonic() - start));
  }

  /** Sends the ordinary event. Without a named topic it is about a charge, unless the receiver is for payouts. */
  async #findBaseline() {
    const ordinary = await this.#judgeOrdinary();
    const baseline = this.#assertReached(ordinary);
    const forged = this.#others.filter(({ group }) => group === "forged");
    const asker = forged.find(({ id }) => id === "signature-missing") ?? forged[0];
    const isOpen = this.#common.isAnyTopic && this.#knownEvent === undefined && ordinary.outcome === "passed";
    if (!isOpen || asker === undefined) return { ordinary, baseline };
    const stage = await this.#stageOf(asker, undefined);
    if ((await unlessAbandoned(isForPayouts(stage))) !== true) return { ordinary, baseline };
    this.#topic = PAYOUTS;
    const again = await unlessAbandoned(this.#judgeOrdinary());
    return again === undefined ? { ordinary, baseline } : { ordinary: again, baseline: this.#assertReached(again) };
  }

  async #judgeOrdinary(): Promise<Verdict> {
    return validEvent.run(await this.#stageOf(validEvent, undefined));
  }

  async #stageOf({ id, group }: CheckName, ordinary: Exchange | undefined): Promise<StateStage> {
    const stage = createStage({
      ...this.#common,
      topic: this.#topic,
      ordinary,
      isSlow: ordinary !== undefined && ordinary.latencyMs > SLOW_MS,
      send: this.#sender.forCheck(id),
    });
    const event = group === "state" ? undefined : await this.#knownEvent?.(group === "forged");
    return { ...stage, ...(event === undefined ? {} : { event }), state: this.#state };
  }

  /** Returns the exchange. Throws UsageError("cannot-run") when no connection could be made. */
  #assertReached({ exchange }: Verdict): Exchange {
    if (exchange !== undefined && !exchange.unreachable) return exchange;
    throw new UsageError(
      "cannot-run",
      `Failed to reach the receiver at ${this.#receiver}: ${exchange?.error ?? "no request was sent"}. ` +
        "Start it, or look at the URL.",
    );
  }

  #skipOthers(): void {
    const reason = "not tried: the ordinary event got no answer";
    for (const { id } of this.#others) this.#verdicts.set(id, { outcome: "skipped", reason });
  }

  async #runOthers(baseline: Exchange): Promise<void> {
    if (this.#selected.some(({ group }) => group === "state")) await this.#assertRead();
    const ofTurn = (turn: Check["turn"]): StateCheck[] => this.#others.filter((other) => other.turn === turn);
    if (baseline.latencyMs > SLOW_MS) {
      // A receiver that handles one request at a time makes the last one wait for all others.
      this.#wire.timeoutMs += baseline.latencyMs * PARALLEL_FOR_SLOW;
      this.#sender.parallel = PARALLEL_FOR_SLOW;
      await Promise.all(ofTurn(undefined).map((other) => this.#runOne(other, baseline)));
    } else for (const other of ofTurn(undefined)) await this.#runOne(other, baseline);
    // The state checks send some events at the same time.
    this.#sender.parallel = Math.max(this.#sender.parallel, COPIES);
    for (const other of ofTurn("alone")) await this.#runOne(other, baseline);
    if (this.#gone === undefined) await this.#skipPassedIfLate();
    for (const other of ofTurn("last")) await this.#runOne(other, baseline);
  }

  async #runOne(check: StateCheck, baseline: Exchange): Promise<void> {
    const verdicts = this.#verdicts;
    // The receiver died of a request that was sent for this check before its turn.
    if (this.#gone !== undefined && verdicts.has(check.id)) return;
    try {
      const skipped: Verdict | undefined =
        this.#gone === undefined ? undefined : { outcome: "skipped", reason: this.#gone };
      verdicts.set(check.id, skipped ?? (await check.run(await this.#stageOf(check, baseline))));
    } catch (error) {
      if (!(error instanceof Abandoned) && !(error instanceof UsageError)) throw error;
      verdicts.set(check.id, { outcome: "skipped", reason: error.message });
      if (error instanceof Gone) this.#gone = error.message;
      // The state and the orders may be read from the receiver's own process, which may have died.
      else if (error instanceof UsageError && (await isUnreachable(this.#wire))) this.#gone = NOT_REACHED;
      if (this.#gone !== undefined) this.#failAsGone();
    }
    this.#options.onProgress?.(verdicts.size, this.#others.length + 1);
  }

  /** Reads the state once, so that a command that does not work is reported before other checks run. An error is ignored if the receiver has just died. */
  async #assertRead(): Promise<void> {
    try {
      await this.#state?.app.read();
    } catch (error) {
      if (!(error instanceof UsageError) || !(await isUnreachable(this.#wire))) throw error;
    }
  }

  /** Turns passed state checks into skipped ones when the state still changes long after the answers: then they prove nothing. */
  async #skipPassedIfLate(): Promise<void> {
    const isPassed = (id: string): boolean => this.#verdicts.get(id)?.outcome === "passed";
    const passed = this.#selected.filter(({ id, group }) => group === "state" && isPassed(id));
    if (this.#state === undefined || passed.length === 0) return;
    const isLate = await this.#state.app.isLate().catch((error: unknown) => {
      if (error instanceof UsageError) return false;
      throw error;
    });
    if (!isLate) return;
    for (const { id } of passed) this.#verdicts.set(id, { outcome: "skipped", reason: LATE });
  }

  /** Called when the receiver stopped listening after the last exchange: the check that sent it has failed, whatever its verdict was. */
  #failAsGone(): void {
    if (this.#sender.last === undefined || this.#state?.isDownAfterRestart === true) return;
    const { check, exchange } = this.#sender.last;
    const found = this.#verdicts.get(check);
    const { schedule, scenario } = found?.outcome === "failed" ? found : {};
    this.#verdicts.set(check, {
      outcome: "failed",
      failing: "gone",
      raisedTo: "critical",
      seen: `the receiver no longer answers since ${exchange.request.sent}`,
      why: "A request ended the receiver's process. Anyone who can send it can stop all webhooks.",
      exchange,
      schedule,
      scenario,
    });
  }

  /** What a receiver accepts in the place of the ordinary event, in words. */
  async #diagnose(ordinary: Verdict, baseline: Exchange): Promise<string | undefined> {
    const isRefused = ordinary.outcome === "failed" && ordinary.failing === "refused";
    if (!isRefused || this.#gone !== undefined) return undefined;
    const stage = await this.#stageOf(validEvent, baseline);
    return stage.isSlow ? undefined : unlessAbandoned(findAccepted(stage));
  }

  #report(ordinary: Verdict, accepted: string | undefined, durationMs: number): AuditReport {
    const redact = this.#redact;
    // When the ordinary event is not accepted, the other checks mean little: it is reported even if it was not selected.
    const isHidden = ordinary.outcome === "passed" || this.#options.skip?.includes(VALID_EVENT) === true;
    const isSelected = this.#selected.length > this.#others.length;
    const reported = isHidden || isSelected ? this.#selected : [validEvent, ...this.#selected];
    const { checks, ...sum } = conclude(reported, this.#verdicts, this.#header, accepted);
    const notes = [...(this.#state?.notes ?? []), ...notesOn(this.#wire.url, this.#sender)];
    return {
      receiver: redact(this.#receiver),
      header: this.#header,
      ...sum,
      reasons: sum.reasons.map(redact),
      notes: notes.map(redact),
      requests: this.#sender.count,
      durationMs,
      checks: checks.map((check) => redactResult(check, redact)),
    };
  }
}

/** Undefined when a further request would have been useless. The checks after it say why. */
async function unlessAbandoned<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Abandoned) return undefined;
    throw error;
  }
}

/** A receiver may answer with its secret keys, and the application's state may show them. */
function redactResult(result: CheckResult, redact: (text: string) => string): CheckResult {
  const shown = (text: string | null): string | null => text && redact(text);
  const { received, error, seen, why, scenario } = result;
  return {
    ...result,
    received: received && { ...received, body: redactStart(received.body, redact), location: shown(received.location) },
    error: shown(error),
    seen: shown(seen),
    why: redact(why),
    scenario: shown(scenario),
  };
}
