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
    why: "Code that handles the event before it verifies it, or at the same time, answers 401 and ships the order all the same.",
    fix: "Verify first, and return when it fails. Only then parse the event and touch the order.",
    follows: ["signature-wrong-secret:accepted", "signature-missing:accepted", "signature-empty:accepted"],
  },
  "state-duplicate": {
    title: "an event that comes twice counts once",
    why: "An answer that is lost makes the service send the event again. An order that is paid twice is shipped twice, or a customer's credit is booked twice.",
    fix: "Keep the id, the status and the refunded amount of each event that was handled, under a unique key and in the transaction that changes the order. When the key is taken, answer 2xx and do nothing.",
  },
  "state-simultaneous": {
    title: "an event that comes several times at once counts once",
    why: "A retry overtakes a slow first delivery, or two subscriptions deliver at the same moment. Code that looks whether an event is new, works, and only then stores that it was handled counts each of them.",
    fix: "Let the database decide: insert the id, the status and the refunded amount under a unique key, or update where the status still allows it, and go on only if a row was changed.",
    follows: ["state-duplicate:wrong", "state-second-subscription:wrong", ...NOT_ACKNOWLEDGED],
  },
  "state-second-subscription": {
    title: "an event that two subscriptions deliver counts once",
    why: "Two subscriptions to one topic (in its two spellings, or at an old address and a new one) bring the same event in other bytes. Code that remembers bodies or signatures takes it for two.",
    fix: "Identify an event by the id, the status and the refunded amount in its data, not by a hash of the body, the signature, or an id of the delivery.",
    follows: NOT_ACKNOWLEDGED,
  },
  "state-reversed": {
    title: "events in reverse order end in the same state",
    why: "A first attempt that fails is made again later, after the events that followed. An application whose last event wins takes a refunded order for paid, and ships it.",
    fix: "Let the state only move forward: what is refunded does not become paid again and is not shipped, and the refunded amount only grows. Or ask the API what the charge is now, and store that.",
  },
  "state-late-duplicate": {
    title: "an event that comes again later changes nothing",
    why: "Retries go on for hours. An application that remembers only the last event, or only for a while, counts the late one again.",
    fix: "Keep what was handled in the database, not in memory, and not only the last of it.",
    follows: NOT_ACKNOWLEDGED,
  },
  "state-dropped-after-paid": {
    title: "an order that was paid stays paid when a dropped event comes after it",
    why: "The end of the charge's hour and its payment can happen at the same moment. Code that believes the last event cancels an order whose money has come: the customer has paid for nothing.",
    fix: "Only what is still due can be dropped: `update … set status = 'dropped' where status = 'due'`. When in doubt, ask the API what the charge is now.",
    follows: ["state-reversed:wrong"],
  },
  "state-unknown-id": {
    title: "an event about an unknown charge or transaction changes nothing",
    why: "Another system may use the same account, and staging the same secret. An application that makes an order of each event ships goods that nobody has ordered.",
    fix: "Look the order up by the charge's id or externalId. When there is none, answer 2xx, report it, and change nothing.",
  },
};

/** `judgeGiven`: for an event of the user that has no history, since nothing makes orders for it. */
function withState(
  judge: (trial: StateTrial) => Promise<Verdict>,
  judgeGiven: (trial: StateTrial) => Promise<Verdict> = async () => ({
    outcome: "skipped",
    reason: ONE_EVENT_ONLY,
    isUnasked: true,
  }),
): Check<StateStage>["run"] {
  return async ({ state, ...stage }) => {
    if (state === undefined) {
      return {
        outcome: "skipped",
        reason: "nothing says how the application's state is read (--check URL|COMMAND)",
        isUnasked: true,
      };
    }
    state.beginCheck();
    const { event, order, sandbox } = state.options;
    const isOneEvent = event !== undefined && order === undefined && sandbox === undefined;
    return (isOneEvent ? judgeGiven : judge)({ ...stage, state });
  };
}

const ONE_EVENT_ONLY = "one given event makes no history; with --order or beside a sandbox (SANDBOX_URL) it is tried";

const common = { group: "state", severity: "critical", turn: "alone" } as const;

const history: Check<StateStage> = {
  ...common,
  id: "state-history",
  title: "every event of an ordinary history is accepted",
  why: "The receiver takes one kind of event and not the next: what happens after a payment is never noticed, and is sent again and again.",
  fix: "Answer 2xx to every genuine event, also to one that changes nothing and to one about an order that is not there.",
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
  why: "An application that ignores refunds goes on shipping orders and counting money that was given back. One that adds up the refunded amounts of all events counts the first part twice, since each is the sum so far; one that takes the whole amount off at a partial refund loses the rest.",
  fix: "Handle refunded and refunded_partially: store the refunded amount of the event in the place of the one before, if it is larger. If the application does so, let --check print statuses and sums with refunds.",
  snippet: null,
  run: withState(judgeRefunds),
};

const restart: Check<StateStage> = {
  ...common,
  id: "state-restart",
  title: "an event that comes again after a restart changes nothing",
  why: "What was handled is kept in memory. After each deployment the retries of the hours before count again.",
  fix: "Keep what was handled in the database, in the transaction that changes the order, and not in memory.",
  snippet: null,
  follows: ["state-duplicate:wrong", "state-late-duplicate:wrong"],
  run: withState(judgeRestart),
};

/** What the application does with events in any order and number. They run one after another in one session: a later one does not report again what an earlier one found. */
export const stateChecks: readonly Check<StateStage>[] = [
  history,
  ...stateCheckIds.map(scheduleCheck),
  refunds,
  restart,
];
