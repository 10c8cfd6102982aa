import type { Company } from "../company/company.js";
import type { ReleaseGate } from "../delivery/release-gate.js";
import { resumeDeliveries } from "../company/redeliver.js";
import type { Sandbox } from "../sandbox.js";
import { dumpState } from "./state-dump.js";
import { restoreState } from "./state-restore.js";

/**
 * Puts a state in the place of a company's, and sends what was owed in it once `gate` says so. An advance of the company that is under way ends with
 * UsageError("state"): its time is another now. Returns the state as it was put, before anything of it happens.
 *
 * Throws UsageError("input") for what is no state, and then nothing is changed.
 */
export function putState(sandbox: Sandbox, company: Company, dumped: unknown, gate: ReleaseGate): unknown {
  const restored = sandbox.replace(company, restoreState(company, dumped));
  const state = dumpState(restored);
  resumeDeliveries(restored, gate);
  return state;
}
