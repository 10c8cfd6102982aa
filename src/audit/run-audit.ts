import { createIdSource, type IdSource } from "../kernel/records/ids.js";
import { UsageError } from "../kernel/messages/problem.js";
import type { SystemClock } from "../kernel/time/system-clock.js";
import { selectChecks } from "./check-list.js";
import { VALID_EVENT, validEvent } from "./checks/genuine.js";
import { conclude } from "./conclude.js";
import type { AuditReport } from "./report.js";
import type { SandboxDoor } from "./state/sandbox-door.js";
import type { StateStage } from "./state/state-checks.js";
import type { StateSource } from "./state/state-reader.js";
import { StateSession } from "./state/state-session.js";
import { Abandoned, type AuditEvent, type Check, type Exchange, type Verdict } from "./wire/check.js";
import { parseReceiverUrl, type Reach, renderReceiverUrl, sendOnWire } from "./wire/send-on-wire.js";
import { Gone, Sender } from "./wire/sender.js";
import { createStage } from "./wire/stage.js";

export interface AuditOptions extends Reach {
  /** The receiver. Requests are sent to no other address. */
  readonly url: string;
  /** The company's secret key. It never appears in the report. */
  readonly secret: string;
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
  /** Ids of checks or groups. Default: all. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  /** For one answer, in real time. Default: 10 s, like the sandbox's deliveries. */
  readonly timeoutMs?: number | undefined;
  readonly system: SystemClock;
  readonly ids?: IdSource | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export const HEADER_DEFAULT = "x-service-hmac-sha256";
const TIMEOUT_MS = 10_000;
/** A receiver that takes longer for an ordinary event gets several requests at a time. */
const SLOW_MS = 1000;
const PARALLEL_FOR_SLOW = 32;

type StateCheck = Check<StateStage>;

/**
 * Audits a webhook receiver. Throws UsageError for wrong options ("input") and for a receiver that cannot be reached ("cannot-run"). Rejects with the reason
 * of `signal` when that is aborted.
 */
export async function runAudit(options: AuditOptions): Promise<AuditReport> {
  const { system, timeoutMs = TIMEOUT_MS, secret, header = HEADER_DEFAULT, topic, event, only, skip } = options;
  const { lookup, insecureTls, signal, check, order, sandbox } = options;
  const ids = options.ids ?? createIdSource(undefined, "audit");
  const url = parseReceiverUrl(options.url);
  const receiver = renderReceiverUrl(url);
  const selected = selectChecks(only, skip);
  const start = system.monotonic();
  const wire = { url, timeoutMs, system, secret, lookup, insecureTls, signal };
  const sender = new Sender((request) => sendOnWire(wire, request), signal);
  const state =
    check === undefined
      ? undefined
      : new StateSession({ check, order, sandbox, topic, event, receiverUrl: receiver, timeoutMs, ids, system });
  const createCheckStage = (ordinary: Exchange | undefined): StateStage => {
    const isSlow = ordinary !== undefined && ordinary.latencyMs > SLOW_MS;
    const send = sender.forCheck();
    return { ...createStage({ secret, header, topic, event, ordinary, isSlow, ids, system, send }), state };
  };

  const ordinary = await validEvent.run(createCheckStage(undefined));
  const baseline = assertReached(receiver, ordinary);
  const others = selected.filter(({ id }) => id !== VALID_EVENT);
  const verdicts = new Map<string, Verdict>([[VALID_EVENT, ordinary]]);
  let latest: string | undefined;
  const run = async (other: StateCheck): Promise<void> => {
    try {
      verdicts.set(other.id, await other.run(createCheckStage(baseline)));
      latest = other.id;
    } catch (error) {
      if (!(error instanceof Abandoned)) throw error;
      if (error instanceof Gone && latest !== undefined) failAsGone(verdicts, latest, sender.last);
      verdicts.set(other.id, { outcome: "skipped", reason: error.message });
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
    for (const other of [...ofTurn("alone"), ...ofTurn("last")]) await run(other);
  }
  // When the ordinary event is not accepted, the other checks mean little: it is reported even if it was not selected.
  const isHidden = ordinary.outcome === "passed" || skip?.includes(VALID_EVENT) === true;
  const reported = isHidden || selected.length > others.length ? selected : [validEvent, ...selected];
  const { checks, ...sum } = conclude(reported, verdicts);
  const durationMs = Math.round(system.monotonic() - start);
  return { receiver, ...sum, requests: sender.count, durationMs, checks };
}

/** Throws UsageError("cannot-run") when no connection could be made. */
function assertReached(receiver: string, ordinary: Verdict): Exchange {
  const exchange = ordinary.outcome === "skipped" ? undefined : ordinary.exchange;
  if (exchange !== undefined && !exchange.unreachable) return exchange;
  throw new UsageError(
    "cannot-run",
    `Failed to reach the receiver at ${receiver}: ${exchange?.error ?? "no request was sent"}. ` +
      "Start it, or look at the URL.",
  );
}

/** The receiver answered the latest check, and went down afterwards: that check has failed. */
function failAsGone(verdicts: Map<string, Verdict>, latest: string, exchange: Exchange | undefined): void {
  if (exchange === undefined || verdicts.get(latest)?.outcome !== "passed") return;
  const seen = `the receiver is gone since ${exchange.request.sent}`;
  verdicts.set(latest, { outcome: "failed", failing: "silent", seen, exchange });
}
