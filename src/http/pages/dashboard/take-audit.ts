import { parseRequest } from "../../../contract/parse.js";
import { sentTopic } from "../../../domain/model/subscription.js";
import { webhookSettings } from "../../../domain/profile/settings-webhooks.js";
import type { Topic } from "../../../domain/values/topic.js";
import type { Company } from "../../../sandbox/company/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { endOf } from "../../shared/after-answer.js";
import type { HttpContext } from "../../shared/env.js";
import type { Fields } from "./view/actions.js";
import { SecretRedactor } from "../../../sandbox/observation/redact.js";
import type { AuditedReceiver, Auditor } from "../../../audit/auditor.js";
import { quoteForShell } from "../../../kernel/messages/text.js";
import type { Memory } from "./view/memory.js";
import { linkTo, rootOf } from "./view/view.js";
import { subscriptionRequest } from "../../../contract/subscriptions.js";
import { refusalOf } from "../../control/control-endpoint.js";

const AUDIT_MS_MAX = 5 * 60_000;
/** The audit waits for an answer as long as the company's deliveries do, and at most this long. */
const ANSWER_MS_MAX = 10_000;
/** The topic for receivers without a subscription. */
const DEFAULT_TOPIC: Topic = "charges/events";

/** Runs one audit of a company at a time. This is the only form that is not a call of the control API: programs have `sandbox audit` and the library. */
export function createAuditRunner(sandbox: Sandbox, auditor: Auditor, memory: Memory) {
  const running = new Set<string>();
  return {
    /** Audits the receiver that a form names. Redirects to the page with the report, or with the reason why there is none. */
    async take(c: HttpContext, company: Company, fields: Fields): Promise<Response> {
      const opened = sandbox.openedAs(company);
      const lead = (outcome?: string): Response =>
        c.redirect(linkTo({ sandbox, company, root: rootOf(c.req.path) }, "/audit", { outcome }), 303);
      const refuse = (problems: readonly string[]): Response => {
        const title = "There is no report: the receiver was not audited.";
        const refused = { name: "audit", fields };
        return lead(memory.addOutcome(opened, { ok: false, title, problems, curl: "", refused }, c.var.caller.tenant));
      };
      if (running.has(company.id))
        return refuse(["Another audit of this company is running. Try again in a few seconds."]);
      running.add(company.id);
      const ended = AbortSignal.any([endOf(c), AbortSignal.timeout(AUDIT_MS_MAX)]);
      try {
        const audited = await auditReceiver(auditor, company, fields, ended);
        memory.keepAudit(opened, { at: company.now(), ...audited });
        return lead();
      } catch (thrown) {
        if (ended.aborted) return refuse(["The audit was stopped: it took five minutes, or the sandbox stopped."]);
        const { status, messages } = refusalOf(thrown);
        if (status === 500) throw thrown;
        return refuse(messages);
      } finally {
        running.delete(company.id);
      }
    },
  };
}

/**
 * Audits a receiver with the company's secret key, header and topic. Refuses any URL that a subscription would be refused for, so that an audit
 * reaches only what the company's webhooks may reach. Throws UsageError for an unreachable receiver.
 */
async function auditReceiver(
  auditor: Auditor,
  company: Company,
  { url: given = "", only }: Fields,
  signal: AbortSignal,
): Promise<{ readonly report: AuditedReceiver; readonly command: string }> {
  const { profile, record } = company;
  const { signatureHeader: header, allow, insecureTls, timeout } = profile.webhooks;
  const { url } = parseRequest(subscriptionRequest(profile), { topic: DEFAULT_TOPIC, url: given }, "The form");
  const topic = topicFor(company, url);
  const timeoutMs = Math.min(timeout, ANSWER_MS_MAX);
  const { secretKey: secret } = record.identity;
  const { text: redact } = new SecretRedactor([secret]);
  const order = { url, secret, redact, header, topic, only, timeoutMs, insecureTls, allow };
  const report = await auditor.audit({ ...order, signal });
  return { report, command: commandFor(report.receiver, header, topic, only) };
}

/** The topic as the company's deliveries to that receiver spell it. Undefined means that the audit tries all topics, beginning with that of charges. */
function topicFor({ world, profile }: Company, url: string): string | undefined {
  const own = world.subscriptions.values().filter((one) => one.url === url);
  const spelled = own.length === 0 ? [{ topic: DEFAULT_TOPIC, spelling: DEFAULT_TOPIC }] : own;
  const topics = new Set(spelled.map((one) => sentTopic(profile, one)));
  const isOne = own.length > 0 && topics.size === 1;
  return topics.has(DEFAULT_TOPIC) && !isOne ? undefined : [...topics][0];
}

/** The audit as a command, which takes the secret key from the environment. */
function commandFor(url: string, header: string, topic: string | undefined, only: string | undefined): string {
  return [
    `npx business-payments-sandbox audit ${quoteForShell(url)} --secret "$SANDBOX_SECRET_KEY"`,
    ...(header === webhookSettings.signatureHeader.default ? [] : [`--header ${quoteForShell(header)}`]),
    ...(topic === undefined ? [] : [`--topic ${topic}`]),
    ...(only === undefined ? [] : [`--only ${quoteForShell(only)}`]),
  ].join(" ");
}
