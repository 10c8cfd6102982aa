import type { DomainEvent } from "../../../../domain/model/events.js";
import type { Instant } from "../../../../kernel/instant.js";
import { type Lifecycle, listTransitions } from "../../../../kernel/lifecycle.js";
import { Status, Time } from "./show.js";
import { Panel } from "./table.js";

/** The time at which something entered a status. */
export interface Visit {
  readonly status: string;
  /** Null: unknown. */
  readonly at: Instant | null;
}

/**
 * The statuses that something had, in order, from its events. Old events are deleted, and fixtures have none, but how it began (`first`) and its present
 * status (`last`) are always known.
 */
export function visitsOf(
  events: readonly DomainEvent[],
  statusOf: (event: DomainEvent) => string | undefined,
  first: Visit,
  last: Visit,
): readonly Visit[] {
  const reported = events.flatMap((event): Visit[] => {
    const status = statusOf(event);
    return status === undefined ? [] : [{ status, at: event.at }];
  });
  const begun = reported[0]?.status === first.status && reported[0].at === first.at ? reported : [first, ...reported];
  return begun.at(-1)?.status === last.status ? begun : [...begun, last];
}

interface LifecycleProps {
  readonly lifecycle: Lifecycle<string, string>;
  readonly visits: readonly Visit[];
  /** `charge`. */
  readonly what: string;
}

/** Every status with the moves that lead on from it, those that were made marked; and the statuses so far. */
export function LifecyclePanel({ lifecycle, visits, what }: LifecycleProps) {
  const transitions = listTransitions(lifecycle);
  const now = visits.at(-1)?.status;
  const placeOf = (status: string): string => {
    if (status === now) return "now";
    return visits.some((visit) => visit.status === status) ? "passed" : "never";
  };
  return (
    <Panel title="Lifecycle">
      <ol class="lifecycle" aria-label={`The lifecycle of the ${what}`}>
        {Object.keys(lifecycle).map((from) => (
          <li class={`state ${placeOf(from)}`} aria-current={from === now ? "step" : undefined}>
            <b>{from.replaceAll("_", " ")}</b>
            <ul>
              {Object.keys(lifecycle).map((to) => {
                const actions = transitions.filter((move) => move.from === from && move.to === to);
                if (actions.length === 0) return undefined;
                const times = visits.filter(
                  ({ status }, at) => status === to && visits[at - 1]?.status === from,
                ).length;
                return (
                  <li class={times > 0 ? "move taken" : "move"}>
                    {actions.map(({ action }) => action).join(" · ")} → {to.replaceAll("_", " ")}
                    {times > 1 && ` × ${times}`}
                  </li>
                );
              })}
            </ul>
          </li>
        ))}
      </ol>
      <ol class="path" aria-label="The way so far">
        {visits.map(({ status, at }) => (
          <li>
            <Status of={status} />{" "}
            {at === null ? <span class="soft">at a time that was forgotten</span> : <Time at={at} />}
          </li>
        ))}
      </ol>
    </Panel>
  );
}
