import type { AuditReport } from "../../src/audit/report.js";
import { type AuditOptions, runAudit } from "../../src/audit/run-audit.js";
import { SECRET, stillSystem } from "../audit/receivers.js";

export const auditReceiver = (url: string, options: Partial<AuditOptions> = {}): Promise<AuditReport> =>
  runAudit({ url, secret: SECRET, system: stillSystem, ...options });

/** The verdicts by check. */
export const verdictsOf = ({ checks }: Pick<AuditReport, "checks">) =>
  Object.fromEntries(checks.map(({ id, verdict }) => [id, verdict]));

/** The checks that failed or warned, each with its verdict: `signature-hex fail`. */
export const mistakesIn = ({ checks }: Pick<AuditReport, "checks">): readonly string[] =>
  checks.filter(({ verdict }) => verdict === "fail" || verdict === "warn").map(({ id, verdict }) => `${id} ${verdict}`);
