import type { ControlRoute } from "./control-route.js";

/**
 * Replays scenarios in this sandbox. Handed in by whoever puts the sandbox together: the runner stands beside the server and not under it.
 */
export interface ScenarioReplayer {
  /** `request`: a scenario as JSON, or `{file}`. Throws UsageError for one that is wrong, or may not be read. */
  replay(request: unknown): Promise<unknown>;
  /** The files that lie where stories lie by custom, as `{file}` takes them. */
  list(): Promise<readonly string[]>;
}

/** POST /_sandbox/scenarios/replay: each story in a company of its own. That it did not come out as told is an answer, and not an error. */
export function scenarioRoutes(replayer: ScenarioReplayer | undefined): readonly ControlRoute[] {
  if (replayer === undefined) return [];
  return [
    {
      method: "POST",
      path: "/scenarios/replay",
      company: "none",
      takes: "json",
      handle: ({ body }) => replayer.replay(body),
    },
  ];
}
