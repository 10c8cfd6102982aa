import type { SystemClock } from "../kernel/time/system-clock.js";
import type { AuditOrder, auditForPage, listGroups } from "./audit-for-page.js";

export type Auditor = ReturnType<typeof createAuditor>;
export type ListedGroup = ReturnType<typeof listGroups>[number];
export type AuditedReceiver = Awaited<ReturnType<typeof auditForPage>>;
type AuditedGroup = AuditedReceiver["groups"][number];
export type AuditedCheck = AuditedGroup["checks"][number];

/** Audits receivers for the dashboard. The checks are loaded when they are first needed. */
export function createAuditor(system: SystemClock) {
  return {
    groups: async () => (await import("./audit-for-page.js")).listGroups(),
    audit: async (order: AuditOrder) => (await import("./audit-for-page.js")).auditForPage(order, system),
  };
}
