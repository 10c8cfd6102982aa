import { parseRequest } from "../../../contract/parse.js";
import { sentTopic } from "../../../domain/model/subscription.js";
import { webhookSettings } from "../../../domain/profile/settings-webhooks.js";
import type { Topic } from "../../../domain/values/topic.js";
import { UsageError } from "../../../kernel/messages/problem.js";
import type { Company } from "../../../sandbox/company/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { whenAborted, whenAnswered } from "../../shared/after-answer.js";
import type { HttpContext } from "../../shared/env.js";
import type { Fields } from "./view/actions.js";
import type { AuditedReceiver, Auditor } from "../../../audit/auditor.js";
import { quoted } from "./view/curl.js";
import type { Memory } from "./view/memory.js";
import { linkTo, rootOf } from "./view/view.js";
import { subscriptionRequest } from "../../../contract/subscriptions.js";
import { refusalOf } from "../../control/control-endpoint.js";

const AUDIT_MS_MAX = 5 * 60_000;
/** The audit waits for an answer as long as the company's deliveries do, and at most this long. */
const ANSWER_MS_MAX = 10_000;
/** The form's URL is in the address of the page that shows the form again. */
const URL_MAX = 2000;

/** For receivers without a subscription. */
const DEFAULT_TOPIC: Topic = "charges/events";

/** One audit at a time. It is the only form that is not a call of the control API: programs have `sandbox audit` and the library. */
export function createAuditDesk(sandbox: Sandbox, auditor: Auditor, memory: Memory) {
  let isRunning = false;
  return {
    isRunning: () => isRunning,
    /** Audits the receiver that a form names; redirects to the report, or to the form with the reason why there is none. */
    async take(c: HttpContext, company: Company, fields: Fields): Promise<Response> {
      const place = { sandbox, company, root: rootOf(c.req.path) };
      const refuse = (problems: readonly string[]): Response => {
        const title = "There is no report: the receiver was not audited.";
        const outcome = memory.addOutcome({ ok: false, title, problems, curl: "", answer: "" });
        const { url = "", topic, only } = fields;
        // A password must not get into an address.
        const shown = url === "" || url.includes("@") ? undefined : url.slice(0, URL_MAX);
        return c.redirect(linkTo(place, "/audit", { url: shown, topic, only, outcome }), 303);
      };
      if (isRunning)
        return refuse(["Another audit of this sandbox is under way. Wait until it is over: it takes seconds."]);
      isRunning = true;
      try {
        const audited = await auditReceiver(c, sandbox, company, auditor, fields);
        const id = memory.addAudit(company.id, { at: company.now(), ...audited });
        return c.redirect(linkTo(place, `/audit/${id}`), 303);
      } catch (thrown) {
        const { status, messages } = refusalOf(thrown);
        if (status === 500) throw thrown;
        return refuse(messages);
      } finally {
        isRunning = false;
      }
    },
  };
}

/**
 * Audits a receiver with the company's secret key, header and topic. Ends early when the client leaves, when the server stops, and after five minutes.
 * Refuses what a subscription to that URL would be refused for, so that an audit reaches only what the company's webhooks may. Throws UsageError for an
 * unreachable receiver.
 */
async function auditReceiver(
  c: HttpContext,
  { system }: Sandbox,
  company: Company,
  auditor: Auditor,
  { url: given = "", topic: wanted, only }: Fields,
): Promise<{ readonly report: AuditedReceiver; readonly command: string }> {
  const { profile, record } = company;
  const { signatureHeader: header, allow, insecureTls, timeout } = profile.webhooks;
  const asked = { topic: wanted ?? topicFor(company, given), url: given };
  const { topic, url } = parseRequest(subscriptionRequest(profile), asked, "The form");
  const ending = new AbortController();
  const endFor = (why: string) => (): void => ending.abort(new UsageError("state", `The audit was ended: ${why}.`));
  const stops = [
    whenAnswered(c, endFor("nobody waits for it any more")),
    whenAborted(c.env?.stopping, endFor("the sandbox stops")),
    system.after(AUDIT_MS_MAX, endFor("it had taken five minutes")),
  ];
  const timeoutMs = Math.min(timeout, ANSWER_MS_MAX);
  const order = { url, secret: record.identity.secretKey, header, topic, only, timeoutMs, insecureTls, allow };
  try {
    const report = await auditor.audit({ ...order, signal: ending.signal });
    return { report, command: commandFor(report.receiver, header, topic, only) };
  } finally {
    for (const stop of stops) stop();
  }
}

/** Spelled as in the company's deliveries to that receiver. */
function topicFor({ world, profile }: Company, url: string): string {
  const subscription = world.subscriptions.values().find((one) => one.url === url);
  return sentTopic(profile, subscription ?? { topic: DEFAULT_TOPIC, spelling: DEFAULT_TOPIC });
}

/** The audit as a command. The secret key comes from the environment. */
function commandFor(url: string, header: string, topic: string, only: string | undefined): string {
  return [
    `npx business-payments-sandbox audit ${quoted(url)} --secret "$SANDBOX_SECRET_KEY"`,
    ...(header === webhookSettings.signatureHeader.default ? [] : [`--header ${quoted(header)}`]),
    ...(topic === DEFAULT_TOPIC ? [] : [`--topic ${topic}`]),
    ...(only === undefined ? [] : [`--only ${quoted(only)}`]),
  ].join(" ");
}
