import type { ScenarioReplayer } from "./control/scenario-routes.js";
import type { Auditor } from "./pages/dashboard/view/auditor.js";

/** What the sandbox can do beside its own: put in by who puts it together. */
export interface AppExtensions {
  readonly replayer?: ScenarioReplayer;
  readonly auditor?: Auditor;
}
