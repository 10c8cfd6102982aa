import { type ReplayerOptions, listBelow } from "./replayer.js";

/** A replayer that is loaded with the first story: a start without one needs no parser. */
export function createLazyReplayer(options: ReplayerOptions) {
  const load = async () => (await import("./replayer.js")).createScenarioReplayer(options);
  let loaded: ReturnType<typeof load> | undefined;
  return {
    replay: async (request: unknown): Promise<unknown> => (await (loaded ??= load())).replay(request),
    list: () => listBelow(options.folder),
    close: async (): Promise<void> => (await loaded)?.close(),
  };
}
