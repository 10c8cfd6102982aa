import { balanceOf } from "../domain/accounts/ledger.js";
import { webhookTopicOf } from "../domain/deliveries/webhook-topic.js";
import type { Company } from "../sandbox/company/company.js";
import type { Exchange } from "../sandbox/company/exchange.js";
import type { Sandbox } from "../sandbox/sandbox.js";
import type { Redactor } from "../sandbox/observation/redact.js";
import { type RecordedRequest, type RecordedWebhook, renderRecording } from "./record-scenario.js";
import { toXof } from "../domain/values/money.js";
import type { DomainEvent } from "../domain/model/events.js";

/** What the bodies and answers in a recording take at most, as JSON; how many there may be is `limits.recordedRequests`. */
const RECORDED_BYTES_MAX = 64 * 1024 * 1024;

export interface Recorder {
  /** The session so far as a scenario file. */
  render(): string;
  /** How much was recorded. */
  readonly size: number;
  stop(): void;
}

/** Listens to the default company from now on. `fixtures`: the files it began with, as the recording names them. */
export function startRecorder(
  sandbox: Sandbox,
  fixtures: readonly string[],
  bytesMax: number = RECORDED_BYTES_MAX,
): Recorder {
  const { recordedRequests } = sandbox.options.limits;
  const id = sandbox.defaultCompany.id;
  const begin = stateOf(sandbox.defaultCompany);
  const recorded: RecordedRequest[] = [];
  let bytes = 0;
  let leftOut = 0;
  const stop = sandbox.events.on("exchange", ({ exchange }) => {
    const item = describeExchange(exchange, id);
    if (item === "another") return;
    const size = item === undefined ? 0 : sizeOf(item);
    if (item === undefined || recorded.length >= recordedRequests || bytes + size > bytesMax) {
      leftOut++;
      return;
    }
    bytes += size;
    recorded.push(item);
  });
  return {
    stop,
    get size() {
      return recorded.length;
    },
    render() {
      const company = sandbox.findCompany(id);
      const webhooks = company === undefined ? [] : listWebhooks(company, begin.seq);
      // At one instant the requests come first, then what they caused.
      const redactor = sandbox.redactor;
      const shown = webhooks.map((webhook) => ({ ...webhook, data: redactData(webhook.data, redactor) }));
      const merged = [...recorded.map(redacting(redactor)), ...shown].sort((a, b) => a.at - b.at);
      return renderRecording({ ...begin, fixtures, recorded: merged, leftOut });
    },
  };
}

function sizeOf({ path, body, answer }: RecordedRequest): number {
  return path.length + (JSON.stringify([body, answer])?.length ?? 0);
}

/** A story is kept, shown and sent around: who told it stays out of it. */
function redacting({ text, value }: Redactor) {
  return (item: RecordedRequest): RecordedRequest => ({
    ...item,
    path: item.path.split("/").map(text).join("/"),
    // What there was none of is left out of the story.
    body: item.body === undefined ? undefined : value(item.body),
    answer: item.answer === undefined ? undefined : value(item.answer),
    companyHeader: typeof item.companyHeader === "string" ? text(item.companyHeader) : item.companyHeader,
  });
}

function redactData(data: RecordedWebhook["data"], { text, value }: Redactor): RecordedWebhook["data"] {
  return Object.fromEntries(Object.entries(data).map(([name, member]) => [text(name), value(member)]));
}

function stateOf(company: Company) {
  return {
    startedAt: company.now(),
    balance: toXof(balanceOf(company)),
    profile: company.record.overrides,
    seq: company.record.seq,
  };
}

/** Undefined: it cannot be told again. */
function describeExchange(exchange: Exchange, companyId: string): RecordedRequest | undefined | "another" {
  const { operation, company, at, method, path, body, status, answer, headers, rule } = exchange;
  const isOurs = company === undefined || company.id === companyId;
  if (!isOurs) return "another";
  // Whose body was no JSON, too large, or of another type; or whose answer a rule has given, which no story knows of.
  if (status === 413 || status === 415 || (body === undefined && (headers["content-length"] ?? "0") !== "0"))
    return undefined;
  if (rule !== undefined) return undefined;
  const token = company !== undefined ? "company" : headers["authorization"] === undefined ? "none" : "other";
  const given = headers["x-company-id"];
  const companyHeader =
    operation === "createCharge" && given === undefined ? null : given === companyId ? undefined : given;
  return { kind: "request", at, operation, method, path, body, token, companyHeader, status, answer };
}

/** Events that had a subscriber, told by the caller's own references: those are the same in every run. */
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
