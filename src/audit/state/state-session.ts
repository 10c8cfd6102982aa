import type { UsageError } from "../../kernel/messages/problem.js";
import type { AuditEvent, Exchange, Failure, Stage } from "../wire/check.js";
import { AMOUNT_XOF, type Family, type Step } from "../wire/events.js";
import type { Change } from "../application/change.js";
import type { OrderOptions, SandboxProfile } from "../application/orders.js";
import type { Schedule, StateCheckId } from "../application/schedule.js";
import type { StateSource } from "../application/state-reader.js";
import { ObservedApp, type ObserveOptions } from "./observed-app.js";

export interface StateOptions extends OrderOptions, ObserveOptions {
  /** Restarts the application, if the user has said how. */
  readonly restart: StateSource | undefined;
  /** The one event that the user has given, if any. */
  readonly event: AuditEvent | undefined;
  /** The ids of the checks that were chosen. */
  readonly checks: ReadonlySet<string>;
  /** The receiver's URL, for the scenario that reproduces a failure. */
  readonly receiver: string;
}

/** What the state checks of one audit have learned. Schedules change the state of the application, one at a time, each with new orders. */
export class StateSession {
  readonly options: StateOptions;
  readonly app: ObservedApp;
  /** How many deliveries the current check has made. */
  sent = 0;
  /** The amount of the last charge. */
  amountXof = AMOUNT_XOF;
  /** The profile of the sandbox beside the application, from the first charge on. */
  profile: SandboxProfile | undefined;
  /** Checks that failed again when their schedule was played once more. */
  readonly failed = new Set<StateCheckId>();
  readonly notes: string[] = [];
  /** Undefined until the ordinary histories have been played. */
  ready: Readiness | undefined;
  /** Families for which the application handles only the other spelling of the topic. */
  readonly respelled = new Set<Family>();
  /** The state before the first event of the audit. Only read for an event that the user has given. */
  atStart: unknown;
  /** The effects of real histories, by their keys. */
  readonly histories = new Map<string, Change>();
  /** Schedules that a slow application has passed together with others, and the answers to them. */
  readonly passedTogether = new Map<Schedule, readonly Exchange[]>();
  /** Whether the schedules of all checks have been delivered together. */
  hasTriedAll = false;
  /** Whether a failure could not be confirmed: it may have been due to a short wait. */
  isUneven = false;
  /** Whether the receiver did not listen after --restart. Then no event has brought it down. */
  isDownAfterRestart = false;
  #isPatient = false;

  constructor(options: StateOptions) {
    this.options = options;
    this.app = new ObservedApp(options);
  }

  /** Whether all events are the one that the user has given: nothing makes orders for others. */
  get isOneEvent(): boolean {
    const { event, order, sandbox } = this.options;
    return event !== undefined && order === undefined && sandbox === undefined;
  }

  /** Forgets the last reading, because other checks may have changed the state, and counts deliveries anew. */
  beginCheck(): void {
    this.sent = 0;
    this.app.latest = undefined;
  }

  /** Runs `judge` with waits as long as the application may work, and without the effects that were measured with shorter waits. */
  async patiently<T>(judge: () => Promise<T>): Promise<T> {
    const { app, histories, options } = this;
    const { pauseMs, patienceMs } = app;
    if (this.#isPatient || pauseMs === patienceMs) return judge();
    const known = [...histories];
    histories.clear();
    app.pauseMs = patienceMs;
    try {
      await options.system.sleep(patienceMs);
      app.latest = undefined;
      return await judge();
    } finally {
      app.pauseMs = pauseMs;
      histories.clear();
      for (const [history, effect] of known) histories.set(history, effect);
    }
  }

  /** Switches to waits as long as the application may work, and starts the session again. Returns false when the waits are that long already. */
  becomePatient(): boolean {
    const { app } = this;
    if (this.#isPatient || app.pauseMs === app.patienceMs) return false;
    this.#isPatient = true;
    app.pauseMs = app.patienceMs;
    this.ready = undefined;
    this.hasTriedAll = false;
    this.notes.length = 0;
    for (const seen of [this.histories, this.passedTogether, app.ignored, this.respelled]) seen.clear();
    this.beginCheck();
    return true;
  }
}

/** What one check of the state works with. */
export interface StateTrial extends Stage {
  readonly state: StateSession;
}

/** The families that have orders, and the effect of each event; or why no schedule can be judged. */
export type Readiness =
  | {
      readonly families: ReadonlySet<Family>;
      /** What the events of an ordinary history changed, one by one. */
      readonly effects: ReadonlyMap<Step, Change>;
      readonly hasMoved: boolean;
      /** Why a family is left out: all its events are refused. */
      readonly foreign: string | undefined;
    }
  | {
      readonly unfit: string;
      /** The receiver does not accept ordinary events. */
      readonly refusal?: Failure;
      readonly foreign?: string | undefined;
    };

export const LATE =
  "what --check prints still changes after the time that the audit waits for it; give the application more time after the answer (--settle 10s)";

/** Why the state cannot be read, without the full stop. */
export function whyUnread(error: UsageError): string {
  return error.message.replace(/\.$/, "");
}
