import { createIdSource, type IdSource } from "../kernel/records/ids.js";
import { UsageError } from "../kernel/messages/problem.js";
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
import { isUnreachable, parseReceiverUrl, type Reach, renderReceiverUrl, sendOnWire } from "./wire/send-on-wire.js";
import { Gone, Sender } from "./wire/sender.js";
import { createStage } from "./wire/stage.js";

export interface AuditOptions extends Reach {
  /** The receiver. Requests are sent to no other address. */
  readonly url: string;
  /** The company's secret key. It never appears in the report. */
  readonly secret: string;
  /** The secret key before the last rotation: the receiver must refuse it. */
  readonly oldSecret?: string | undefined;
  /** Hides the secret keys in what the report quotes. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Default: `x-service-hmac-sha256`. */
  readonly header?: string | undefined;
  /** Of the events. Default: `charges/events`. */
  readonly topic?: string | undefined;
  /** Replaces the audit's own events. */
  readonly event?: AuditEvent | undefined;
  /** Prints the state of the receiver's application: a URL, a command, or a function. */
  readonly check?: StateSource | undefined;
  /** Makes an order in the receiver's application, and prints its charge. */
  readonly order?: StateSource | undefined;
  readonly sandbox?: SandboxDoor | undefined;
  /** How long the application may work after its answers. Default: 1 s. */
  readonly settleMs?: number | undefined;
  /** Restarts the application: a command, or a function. */
  readonly restart?: StateSource | undefined;
  /** Ids of checks or groups. Default: all. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  /** For one answer, in real time. Default: 10 s, like the sandbox's deliveries. */
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
  const { system, timeoutMs = TIMEOUT_MS, secret, oldSecret, header = HEADER_DEFAULT, topic, only, skip } = options;
  const { lookup, insecureTls, signal, check, order, sandbox, restart, settleMs = SETTLE_MS } = options;
  const { redact = (text) => text } = options;
  const ids = options.ids ?? createIdSource(undefined, "audit");
  const url = parseReceiverUrl(options.url);
  if (oldSecret === secret)
    throw new UsageError("input", "The old secret key must be another one than the secret key.");
  const receiver = renderReceiverUrl(url);
  const selected = selectChecks(only, skip);
  const checks = new Set(selected.map(({ id }) => id));
  const start = system.monotonic();
  const wire = { url, timeoutMs, system, secret, lookup, insecureTls, signal };
  const sender = new Sender((request) => sendOnWire(wire, request), signal);
  const orders = { order, sandbox, topic, timeoutMs, ids, system, prints: {} };
  const known = options.event === undefined ? createKnownEvents(orders) : undefined;
  const state =
    check === undefined
      ? undefined
      : new StateSession({ ...orders, check, checks, restart, settleMs, event: options.event, receiver });
  const isAnyTopic = topic === undefined && options.event === undefined;
  const common = { secret, oldSecret, header, event: options.event, isAnyTopic, ids, system };
  let chosen = topic;
  const createCheckStage = async ({ id, group }: CheckName, ordinary: Exchange | undefined): Promise<StateStage> => {
    const isSlow = ordinary !== undefined && ordinary.latencyMs > SLOW_MS;
    const stage = createStage({ ...common, topic: chosen, ordinary, isSlow, send: sender.forCheck(id) });
    const event = group === "state" ? undefined : await known?.(group === "forged");
    return { ...stage, ...(event === undefined ? {} : { event }), state };
  };

  const judgeOrdinary = async (): Promise<Verdict> => validEvent.run(await createCheckStage(validEvent, undefined));
  let ordinary = await judgeOrdinary();
  let baseline = assertReached(redact(receiver), ordinary);
  const forged = selected.filter(({ group }) => group === "forged");
  const asker = forged.find(({ id }) => id === "signature-missing") ?? forged[0];
  if (isAnyTopic && asker !== undefined && known === undefined && ordinary.outcome === "passed") {
    const stage = await createCheckStage(asker, undefined);
    if (await isForPayouts(stage)) {
      chosen = PAYOUTS;
      ordinary = await judgeOrdinary();
      baseline = assertReached(redact(receiver), ordinary);
    }
  }
  const isStateSelected = selected.some(({ group }) => group === "state");
  if (isStateSelected && baseline.answer !== null) await assertRead(state, wire);
  const others = selected.filter(({ id }) => id !== VALID_EVENT);
  const verdicts = new Map<string, Verdict>([[VALID_EVENT, ordinary]]);
  let gone: string | undefined;
  const run = async (other: StateCheck): Promise<void> => {
    // The receiver died of a request that was sent for this check before its turn.
    if (gone !== undefined && verdicts.has(other.id)) return;
    try {
      const skipped: Verdict | undefined = gone === undefined ? undefined : { outcome: "skipped", reason: gone };
      verdicts.set(other.id, skipped ?? (await other.run(await createCheckStage(other, baseline))));
    } catch (error) {
      if (!(error instanceof Abandoned) && !(error instanceof UsageError)) throw error;
      verdicts.set(other.id, { outcome: "skipped", reason: error.message });
      if (error instanceof Gone) gone = error.message;
      // The state and the orders are read from the receiver's own process, perhaps.
      else if (error instanceof UsageError && (await isUnreachable(wire))) gone = NOT_REACHED;
      if (gone !== undefined) failAsGone(verdicts, sender.last);
    }
    options.onProgress?.(verdicts.size, others.length + 1);
  };
  const ofTurn = (turn: Check["turn"]): StateCheck[] => others.filter((other) => other.turn === turn);
  if (baseline.answer === null) {
    const reason = "not tried: the ordinary event got no answer";
    for (const { id } of others) verdicts.set(id, { outcome: "skipped", reason });
  } else {
    if (baseline.latencyMs > SLOW_MS) {
      // A receiver that handles one request at a time makes the last one wait for all others.
      wire.timeoutMs = timeoutMs + baseline.latencyMs * PARALLEL_FOR_SLOW;
      sender.parallel = PARALLEL_FOR_SLOW;
      await Promise.all(ofTurn(undefined).map(run));
    } else for (const other of ofTurn(undefined)) await run(other);
    // The state checks send some events at the same time.
    sender.parallel = Math.max(sender.parallel, COPIES);
    for (const other of ofTurn("alone")) await run(other);
    if (gone === undefined) await doubtLate(verdicts, state, selected);
    for (const other of ofTurn("last")) await run(other);
  }
  const isRefused = ordinary.outcome === "failed" && ordinary.failing === "refused";
  const diagnosing = isRefused && gone === undefined ? await createCheckStage(validEvent, baseline) : undefined;
  const accepted = diagnosing === undefined || diagnosing.isSlow ? undefined : await findAccepted(diagnosing);
  // What the last check has brought down is seen only now.
  if (gone === undefined && others.length > 0 && (await isUnreachable(wire))) failAsGone(verdicts, sender.last);
  // When the ordinary event is not accepted, the other checks mean little: it is reported even if it was not selected.
  const isHidden = ordinary.outcome === "passed" || skip?.includes(VALID_EVENT) === true;
  const reported = isHidden || selected.length > others.length ? selected : [validEvent, ...selected];
  const { checks: results, ...sum } = conclude(reported, verdicts, header, accepted);
  const durationMs = Math.round(system.monotonic() - start);
  return {
    receiver: redact(receiver),
    header,
    ...sum,
    reasons: sum.reasons.map(redact),
    notes: [...(state?.notes ?? []), ...notesOn(url, sender.trace)].map(redact),
    requests: sender.count,
    durationMs,
    checks: results.map((result) => redactResult(result, redact)),
  };
}

/** A receiver may answer with its keys, and the application's state may show them. */
function redactResult(result: CheckResult, redact: (text: string) => string): CheckResult {
  const shown = (text: string | null): string | null => text && redact(text);
  const { received, error, seen, why, scenario } = result;
  return {
    ...result,
    received: received && { ...received, body: redact(received.body), location: shown(received.location) },
    error: shown(error),
    seen: shown(seen),
    why: redact(why),
    scenario: shown(scenario),
  };
}

/** A command that does not work is reported before anything else is tried; a receiver that has just died is not. */
async function assertRead(state: StateSession | undefined, wire: Parameters<typeof isUnreachable>[0]): Promise<void> {
  try {
    await state?.read();
  } catch (error) {
    if (!(error instanceof UsageError) || !(await isUnreachable(wire))) throw error;
  }
}

/** What the state checks have passed is not proven when the state still changes long after the answers. */
async function doubtLate(
  verdicts: Map<string, Verdict>,
  state: StateSession | undefined,
  selected: readonly StateCheck[],
): Promise<void> {
  const passed = selected.filter(({ id, group }) => group === "state" && verdicts.get(id)?.outcome === "passed");
  if (state === undefined || passed.length === 0) return;
  const isLate = await state.isLate().catch((error: unknown) => {
    if (error instanceof UsageError) return false;
    throw error;
  });
  if (!isLate) return;
  for (const { id } of passed) verdicts.set(id, { outcome: "skipped", reason: LATE });
}

/** Throws UsageError("cannot-run") when no connection could be made. */
function assertReached(receiver: string, { exchange }: Verdict): Exchange {
  if (exchange !== undefined && !exchange.unreachable) return exchange;
  throw new UsageError(
    "cannot-run",
    `Failed to reach the receiver at ${receiver}: ${exchange?.error ?? "no request was sent"}. ` +
      "Start it, or look at the URL.",
  );
}

/** The receiver does not listen any more after this exchange: its check has failed, whatever it found. */
function failAsGone(verdicts: Map<string, Verdict>, last: Sender["last"]): void {
  if (last === undefined) return;
  const { check, exchange } = last;
  const found = verdicts.get(check);
  const { schedule, scenario } = found?.outcome === "failed" ? found : {};
  verdicts.set(check, {
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
