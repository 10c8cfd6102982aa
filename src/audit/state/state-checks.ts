import type { Check, CheckInfo, Stage, Verdict } from "../wire/check.js";
import { judgeHistory } from "./histories.js";
import { judgeRefunds } from "./judge-refunds.js";
import { judgeRestart } from "./judge-restart.js";
import { judgeGivenEvent, judgeSchedules } from "./judge-state.js";
import { type StateCheckId, stateCheckIds } from "../application/schedule.js";
import type { StateSession, StateTrial } from "./state-session.js";

export interface StateStage extends Stage {
  /** Undefined when the user has not said how the state is read. All checks of an audit share it. */
  readonly state: StateSession | undefined;
}

type Text = Pick<CheckInfo, "title" | "why" | "fix" | "follows">;

/** A receiver that crashes on one duplicate crashes on the next. */
const NOT_ACKNOWLEDGED = ["state-duplicate:refused", "state-duplicate:crashed"];

const texts: Readonly<Record<StateCheckId, Text>> = {
  "state-forged": {
    title: "a forged event changes nothing, whatever the answer is",
    why: "Code that handles the event before it verifies it, or at the same time, answers 401 but ships the order anyway.",
    fix: "Verify first, and return when it fails. Only then parse the event and touch the order.",
    follows: ["signature-wrong-secret:accepted", "signature-missing:accepted", "signature-empty:accepted"],
  },
  "state-duplicate": {
    title: "an event that comes twice counts once",
    why: "An answer that is lost makes the service send the event again. An order that is paid twice is shipped twice, or a customer's credit is booked twice.",
    fix: "Store the id, status and refunded amount of each event under a unique key, in the transaction that changes the order. If the key exists, answer 2xx and do nothing.",
  },
  "state-simultaneous": {
    title: "an event that comes several times at once counts once",
    why: "A retry overtakes a slow first delivery, or two subscriptions deliver at the same moment. Code that checks whether an event is new, works, and only then records it handles the event several times.",
    fix: "Let the database decide: insert the id, status and refunded amount under a unique key, or update only where the status allows it. Go on only if a row changed.",
    follows: ["state-duplicate:wrong", "state-second-subscription:wrong", ...NOT_ACKNOWLEDGED],
  },
  "state-second-subscription": {
    title: "an event that two subscriptions deliver counts once",
    why: "Two subscriptions to one topic (in its two spellings, or at an old address and a new one) bring the same event in other bytes. Code that compares bodies or signatures handles it twice.",
    fix: "Identify an event by the id, status and refunded amount in its data. Hashes of the body, signatures and delivery ids differ.",
    follows: NOT_ACKNOWLEDGED,
  },
  "state-reversed": {
    title: "events in reverse order end in the same state",
    why: "A first attempt that fails is made again later, after the events that followed. If the last event wins, a refunded order looks paid and is shipped.",
    fix: "Only move the state forward: a refunded order does not become paid again, and the refunded amount only grows. Or read the charge from the API, and store that.",
  },
  "state-late-duplicate": {
    title: "an event that comes again later changes nothing",
    why: "Retries go on for hours. An application that remembers only the last event, or only for a while, counts the late one again.",
    fix: "Store every handled event in the database.",
    follows: NOT_ACKNOWLEDGED,
  },
  "state-dropped-after-paid": {
    title: "an order that was paid stays paid when a dropped event comes after it",
    why: "A charge can be paid and expire at the same moment. If the last event wins, a paid order is cancelled.",
    fix: "Only drop what is still due: `update … set status = 'dropped' where status = 'due'`. When in doubt, read the charge from the API.",
    follows: ["state-reversed:wrong"],
  },
  "state-unknown-id": {
    title: "an event about an unknown charge or transaction changes nothing",
    why: "Another system may use the same account, and staging the same secret. An application that creates an order from each event ships goods that nobody ordered.",
    fix: "Look the order up by the charge's id or externalId. If there is none, answer 2xx, log it, and change nothing.",
  },
};

/** `judgeGiven` judges an event that the user has given: it has no history when nothing makes orders for it. */
function withState(
  judge: (trial: StateTrial) => Promise<Verdict>,
  judgeGiven: (trial: StateTrial) => Promise<Verdict> = async () => ({
    outcome: "skipped",
    reason: ONE_EVENT_ONLY,
    isNotRequested: true,
  }),
): Check<StateStage>["run"] {
  return async ({ state, ...stage }) => {
    if (state === undefined) {
      return {
        outcome: "skipped",
        reason: "nothing says how the application's state is read (--check URL|COMMAND)",
        isNotRequested: true,
      };
    }
    state.beginCheck();
    return (state.isOneEvent ? judgeGiven : judge)({ ...stage, state });
  };
}

const ONE_EVENT_ONLY = "one given event makes no history; with --order or beside a sandbox (SANDBOX_URL) it is tried";

const common = { group: "state", severity: "critical", turn: "alone" } as const;

const history: Check<StateStage> = {
  ...common,
  id: "state-history",
  title: "every event of an ordinary history is accepted",
  why: "The receiver accepts one kind of event but not the next, and misses what happens after a payment.",
  fix: "Answer 2xx to every genuine event, even if it changes nothing or is about an unknown order.",
  snippet: "once",
  follows: ["valid-event"],
  run: withState(judgeHistory),
};

function scheduleCheck(id: StateCheckId): Check<StateStage> {
  return {
    ...common,
    id,
    snippet: id === "state-forged" ? "verify" : "once",
    ...texts[id],
    run: withState((trial) => judgeSchedules(trial, id), id === "state-duplicate" ? judgeGivenEvent : undefined),
  };
}

const refunds: Check<StateStage> = {
  ...common,
  id: "state-refunds",
  title: "refunds change the state, and partial ones by what was refunded",
  why: "An application that ignores refunds ships orders and counts money that was given back. Each event has the sum refunded so far: adding them up counts the first part twice. Taking the whole amount off at a partial refund loses the rest.",
  fix: "Handle refunded and refunded_partially: store the refunded amount of the event instead of the one before, if it is larger. If the application already does so, let --check print it.",
  snippet: null,
  run: withState(judgeRefunds),
};

const restart: Check<StateStage> = {
  ...common,
  id: "state-restart",
  title: "an event that comes again after a restart changes nothing",
  why: "Handled events are kept in memory. After a deployment, retries of earlier events count again.",
  fix: "Store handled events in the database, in the transaction that changes the order.",
  snippet: null,
  follows: ["state-duplicate:wrong", "state-late-duplicate:wrong"],
  run: withState(judgeRestart),
};

/** The checks of what the application does with events in any order and number. A later one does not report again what an earlier one found. */
export const stateChecks: readonly Check<StateStage>[] = [
  history,
  ...stateCheckIds.map(scheduleCheck),
  refunds,
  restart,
];
