import type { AuditReport } from "../../src/audit/report.js";
import { type AuditOptions, runAudit } from "../../src/audit/run-audit.js";
import { hasty } from "../audit/applications.js";
import { HEADER, isGenuine, SECRET, startReceiver, stillSystem, take } from "../audit/receivers.js";
import type { Specimen } from "../audit/zoo.js";

export const auditReceiver = (url: string, options: Partial<AuditOptions> = {}): Promise<AuditReport> =>
  runAudit({ url, secret: SECRET, system: stillSystem, ...options });

/** The verdicts by check. */
export const verdictsOf = ({ checks }: Pick<AuditReport, "checks">) =>
  Object.fromEntries(checks.map(({ id, verdict }) => [id, verdict]));

/** The checks that failed or warned, each with its verdict: `signature-hex fail`. */
export const mistakesIn = ({ checks }: Pick<AuditReport, "checks">): readonly string[] =>
  checks.filter(({ verdict }) => verdict === "fail" || verdict === "warn").map(({ id, verdict }) => `${id} ${verdict}`);

/** Audits the state of an application behind a sound receiver. */
export async function auditSpecimen({ create, options }: Specimen) {
  const application = create();
  const { url } = await startReceiver(async ({ headers, body }) => {
    const status = isGenuine(body, headers[HEADER]) ? take(body) : 401;
    if (status >= 300) return status;
    const { topic, data } = JSON.parse(body.toString());
    if (typeof data.id !== "string") return 200;
    const reference = data.externalId ?? data.reference;
    const event = { ...data, topic, reference, refunded: data.refunded ?? 0, signature: "" };
    const refused = application.refuse?.(event);
    if (refused === undefined) await application.handle(event);
    return refused ?? 200;
  });
  const { state: check, order } = application;
  const only = ["state"];
  return runAudit({ url, secret: SECRET, system: hasty, check, order, only, ...options?.(application) });
}
