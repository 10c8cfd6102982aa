import type { SystemClock } from "../kernel/system-clock.js";
import type { AuditOrder } from "./receiver-auditor.js";

/** Audits receivers for the dashboard. It is loaded when somebody looks at that page: a start needs none of it. */
export function createLazyAuditor(system: SystemClock) {
  const load = async () => (await import("./receiver-auditor.js")).createReceiverAuditor(system);
  let loaded: ReturnType<typeof load> | undefined;
  return {
    groups: async () => (await (loaded ??= load())).groups(),
    audit: async (order: AuditOrder) => (await (loaded ??= load())).audit(order),
  };
}
