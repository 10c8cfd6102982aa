import { type Change, describeDifference } from "../application/change.js";
import { describeSchedule, type Schedule } from "../application/schedule.js";
import type { Failure } from "../wire/check.js";
import type { StateLost } from "./play.js";
import { renderScheduleScenario } from "./schedule-scenario.js";
import type { StateTrial } from "./state-session.js";

export const ONE_SPELLING =
  "The contract writes each topic in two spellings, charges/events and charge/events, and does not say which one comes.";
export const BOTH_SPELLINGS =
  "Handle both spellings of a topic alike: /^charges?\\/events$/, /^transactions?\\/completed$/.";

export const NOTHING_MOVED =
  "no event of the audit changed what --check prints; if the application keeps only orders of its own, let it make them (--order)";

/** Why a check is skipped when a history has not changed the same as before: then the state proves nothing. */
export function describeUneven(before: Change, now: Change): string {
  const [difference = "it differs"] = describeDifference(before, now);
  return `the same history does not have the same effect each time (${difference})`;
}

export function describeFailure(
  { state, header }: StateTrial,
  {
    schedule,
    exchanges,
    redelivered = [],
  }: Pick<StateLost, "schedule" | "exchanges"> & { readonly redelivered?: Schedule },
  failing: "wrong" | "crashed",
  difference: readonly string[],
): Failure {
  const described = describeSchedule(schedule);
  const events = described.map((event) => `"${event}"`).join(", ");
  const what = failing === "wrong" ? "the state is not what the history says" : "the state cannot be read";
  return {
    outcome: "failed",
    failing,
    seen: `after the deliveries ${events} ${what}: ${difference.join("; ")}`,
    exchange: exchanges.at(-1),
    schedule: described,
    scenario: renderScheduleScenario(schedule, { ...state.options, header, difference, redelivered }),
  };
}
