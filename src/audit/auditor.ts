import type { SystemClock } from "../kernel/time/system-clock.js";
import type { AuditOrder } from "./audit-for-page.js";

/** Audits receivers for the dashboard. */
export function createAuditor(system: SystemClock) {
  return {
    groups: async () => (await import("./audit-for-page.js")).listGroups(),
    audit: async (order: AuditOrder) => (await import("./audit-for-page.js")).auditForPage(order, system),
  };
}
