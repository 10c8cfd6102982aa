import { balanceOf } from "../domain/accounts/ledger.js";
import { webhookTopicOf } from "../domain/deliveries/webhook-topic.js";
import type { DomainEvent } from "../domain/model/events.js";
import { toXof } from "../domain/values/money.js";
import type { Company } from "../sandbox/company/company.js";
import type { Exchange } from "../sandbox/company/exchange.js";
import type { Redactor } from "../sandbox/observation/redact.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import { type RecordedRequest, type RecordedWebhook, renderRecording } from "./record-scenario.js";

/** For the bodies and answers of a recording, as JSON. The number of requests is limited by `limits.recordedRequests`. */
const RECORDED_BYTES_MAX = 64 * 1024 * 1024;

/** Records the default company from now on. `fixtures`: the files it began with, by their names in the recording. */
export function startRecorder(sandbox: Sandbox, fixtures: readonly string[], bytesMax: number = RECORDED_BYTES_MAX) {
  const { recordedRequests } = sandbox.options.limits;
  const { defaultCompany } = sandbox;
  const { id, record } = defaultCompany;
  const begin = {
    startedAt: defaultCompany.now(),
    balance: toXof(balanceOf(defaultCompany)),
    profile: record.overrides,
  };
  const beginSeq = record.seq;
  const recorded: RecordedRequest[] = [];
  let bytes = 0;
  let leftOut = 0;
  const stop = sandbox.events.on("exchange", ({ exchange }) => {
    if (exchange.company !== undefined && exchange.company.id !== id) return;
    const item = describeExchange(exchange, id);
    const size = item === undefined ? 0 : item.path.length + JSON.stringify([item.body, item.answer]).length;
    if (item === undefined || recorded.length >= recordedRequests || bytes + size > bytesMax) {
      leftOut++;
      return;
    }
    bytes += size;
    recorded.push(item);
  });
  return {
    stop,
    /** The number of recorded requests. */
    get size() {
      return recorded.length;
    },
    /** The session so far as a scenario file. */
    render(): string {
      const company = sandbox.findCompany(id);
      const webhooks = company === undefined ? [] : listWebhooks(company, beginSeq);
      const { redactor } = sandbox;
      // A stable sort: at one instant requests come before the webhooks that they cause.
      const items = [
        ...recorded.map((item) => redactRequest(item, redactor)),
        ...webhooks.map((webhook) => ({ ...webhook, data: redactData(webhook.data, redactor) })),
      ].sort((a, b) => a.at - b.at);
      return renderRecording({ ...begin, fixtures, recorded: items, leftOut });
    },
  };
}

function redactRequest(item: RecordedRequest, { text, value }: Redactor): RecordedRequest {
  const { path, body, answer, companyHeader } = item;
  return {
    ...item,
    path: path.split("/").map(text).join("/"),
    body: body === undefined ? undefined : value(body),
    answer: answer === undefined ? undefined : value(answer),
    companyHeader: typeof companyHeader === "string" ? text(companyHeader) : companyHeader,
  };
}

function redactData(data: RecordedWebhook["data"], { text, value }: Redactor): RecordedWebhook["data"] {
  return Object.fromEntries(Object.entries(data).map(([name, member]) => [text(name), value(member)]));
}

/** Undefined when a scenario cannot repeat it: the body was not JSON, or a rule gave the answer. */
function describeExchange(exchange: Exchange, companyId: string): RecordedRequest | undefined {
  const { operation, company, at, method, path, body, status, answer, headers, rule } = exchange;
  const isUnread = body === undefined && (headers["content-length"] ?? "0") !== "0";
  if (status === 413 || status === 415 || isUnread || rule !== undefined) return undefined;
  const token = company !== undefined ? "company" : headers["authorization"] === undefined ? "none" : "other";
  const given = headers["x-company-id"];
  const companyHeader =
    operation === "createCharge" && given === undefined ? null : given === companyId ? undefined : given;
  return { kind: "request", at, operation, method, path, body, token, companyHeader, status, answer };
}

/** Events with a subscriber, identified by the caller's references: those are the same in every run. */
function listWebhooks(company: Company, afterSeq: number): RecordedWebhook[] {
  const delivered = new Set(company.world.deliveries.values().map(({ eventId }) => eventId));
  return company.world.events.values().flatMap((event) => {
    const topic = webhookTopicOf(company.profile, event);
    const data = referenceOf(event);
    if (event.seq <= afterSeq || topic === undefined || data === undefined || !delivered.has(event.id)) return [];
    return [{ kind: "webhook", at: event.at, topic, data }];
  });
}

function referenceOf({ subject }: DomainEvent): RecordedWebhook["data"] | undefined {
  if (subject.kind === "charge") return { externalId: subject.charge.externalId, status: subject.charge.status };
  if (subject.kind === "transaction")
    return { reference: subject.transaction.reference, status: subject.transaction.status };
  return undefined;
}
