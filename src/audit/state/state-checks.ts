import type { Check, Verdict } from "../wire/check.js";
import type { Stage } from "../wire/stage.js";
import { ONE_EVENT_ONLY, hasOnlyGivenEvent, judgeGivenEvent, judgeHistory } from "./judge-history.js";
import { DELIVERIES_MAX, judgeSchedules } from "./judge-schedules.js";
import { type StateCheckId, seeds } from "./schedule.js";
import type { StateSession } from "./state-session.js";

type Told = Pick<Check, "title" | "why" | "fix" | "follows">;

/** Who crashes on one duplicate crashes on the next. */
const NOT_ACKNOWLEDGED = ["state-duplicate:refused", "state-duplicate:crashed"];

const told: Readonly<Record<StateCheckId, Told>> = {
  "state-forged": {
    title: "a forged event changes nothing, whatever the answer is",
    why: "Who handles the event before it is verified, or beside it, answers 401 and ships the order all the same.",
    fix: "Verify first, and return when it fails. Only then parse the event and touch the order.",
    follows: ["signature-wrong-secret:accepted", "signature-missing:accepted", "signature-empty:accepted"],
  },
  "state-duplicate": {
    title: "an event that comes twice counts once",
    why: "An answer that is lost makes the service send the event again. An order that is paid twice is shipped twice, or a customer's credit is booked twice.",
    fix: "Keep the id and the status of each event that was handled, under a unique key and in the transaction that changes the order. When the key is taken, answer 2xx and do nothing.",
  },
  "state-second-subscription": {
    title: "an event that two subscriptions deliver counts once",
    why: "Two subscriptions to one topic (in its two spellings, or at an old address and a new one) bring the same event in other bytes. Who remembers bodies or signatures takes it for two.",
    fix: "Tell events by the id and the status in their data, not by a hash of the body, the signature, or an id of the delivery.",
    follows: NOT_ACKNOWLEDGED,
  },
  "state-reversed": {
    title: "events in reverse order end in the same state",
    why: "A first attempt that fails is made again later, after the events that followed. An application whose last event wins takes a refunded order for paid, and ships it.",
    fix: "Let the state only move forward: what is refunded does not become paid again. Or ask the API what the charge is now, and store that.",
  },
  "state-late-duplicate": {
    title: "an event that comes again later changes nothing",
    why: "Retries go on for hours. An application that remembers only the last event, or only for a while, counts the late one again.",
    fix: "Keep what was handled in the database, not in memory, and not only the last of it.",
    follows: NOT_ACKNOWLEDGED,
  },
  "state-dropped-after-paid": {
    title: "an order that was paid stays paid when a dropped event comes after it",
    why: "The end of the charge's hour and its payment can happen at the same moment. Who believes the last event cancels an order whose money has come: the customer has paid for nothing.",
    fix: "Only what is still due can be dropped: `update … set status = 'dropped' where status = 'due'`. When in doubt, ask the API what the charge is now.",
    follows: ["state-reversed:wrong"],
  },
  "state-unknown-id": {
    title: "an event about an unknown charge or transaction changes nothing",
    why: "Another system may use the same account, and staging the same secret. An application that makes an order of whatever it is told of ships goods that nobody has ordered.",
    fix: "Look the order up by the charge's id or externalId. When there is none, answer 2xx and tell somebody; make nothing of it.",
  },
};

/** What a later one would find too is found by the earlier one. */
const inOrder: readonly StateCheckId[] = [
  "state-forged",
  "state-duplicate",
  "state-second-subscription",
  "state-reversed",
  "state-late-duplicate",
  "state-dropped-after-paid",
  "state-unknown-id",
];

const stateOf = (judge: (state: StateSession, stage: Stage) => Promise<Verdict>): Check["run"] => {
  return async (stage) =>
    stage.state === undefined
      ? { outcome: "skipped", reason: "nothing says how the application's state is read (--check URL|COMMAND)" }
      : hasOnlyGivenEvent(stage.state)
        ? { outcome: "skipped", reason: ONE_EVENT_ONLY }
        : judge(stage.state, stage);
};

/** The one check that one event is enough for. */
const duplicateOf: Check["run"] = async (stage) =>
  stage.state !== undefined && hasOnlyGivenEvent(stage.state)
    ? judgeGivenEvent(stage.state, stage)
    : runOf("state-duplicate")(stage);

const runOf = (id: StateCheckId): Check["run"] =>
  stateOf((state, stage) => judgeSchedules(state, stage, id, seeds[id]));

const common = { group: "state", requests: DELIVERIES_MAX, turn: "alone" } as const;

const history: Check = {
  ...common,
  id: "state-history",
  title: "every event of an ordinary history is accepted",
  severity: "critical",
  why: "The receiver takes one kind of event and not the next: what happens after a payment is never noticed, and is sent again and again.",
  fix: "Answer 2xx to every genuine event, also to one that changes nothing and to one about an order that is not there.",
  snippet: "once",
  follows: ["valid-event"],
  run: stateOf(judgeHistory),
};

/**
 * What the application does with events, whatever the order and number in which they come. One after another in one session: what an earlier
 * one has found is not told again by a later one.
 */
export const stateChecks: readonly Check[] = [
  history,
  ...inOrder.map((id): Check => ({
    ...common,
    id,
    severity: "critical",
    snippet: id === "state-forged" ? "verify" : "once",
    ...told[id],
    run: id === "state-duplicate" ? duplicateOf : runOf(id),
  })),
];
