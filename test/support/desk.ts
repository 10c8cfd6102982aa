import { DASHBOARD, type PageAnswer, visit, type Visitor } from "./dashboard.js";
import { type Live, startLive } from "./live.js";
import type { WorldOptions } from "./world.js";

/** A visitor of the dashboard of a sandbox that listens. */
export interface Desk extends Visitor {
  readonly live: Live;
  /** A page of the dashboard; the first has the path "". */
  open(path: string): Promise<PageAnswer>;
}

export async function openDesk(options: WorldOptions = {}): Promise<Desk> {
  const live = await startLive(options);
  const visitor = visit(live.app, live.url);
  const open = (path: string): Promise<PageAnswer> => visitor.get(path === "" ? "/_sandbox" : DASHBOARD + path);
  return Object.assign(visitor, { live, open });
}
