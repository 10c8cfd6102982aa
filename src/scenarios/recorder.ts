import { Document } from "yaml";
import type { OperationId } from "../contract/operations.js";
import { balanceOf } from "../domain/accounts/ledger.js";
import { webhookTopicOf } from "../domain/deliveries/webhook-topic.js";
import type { EventSubject } from "../domain/model/events.js";
import { toXof } from "../domain/values/money.js";
import { isObject, mapTexts } from "../kernel/messages/json.js";
import { formatDuration } from "../kernel/time/duration.js";
import { type Instant, toIso } from "../kernel/time/instant.js";
import type { Company } from "../sandbox/company/company.js";
import type { Exchange } from "../sandbox/company/exchange.js";
import { type Redactor, redactPath } from "../sandbox/observation/redact.js";
import type { Sandbox } from "../sandbox/sandbox.js";

/** For the bodies and answers of a recording, as JSON. The number of requests is limited by `limits.recordedRequests`. */
const RECORDED_BYTES_MAX = 64 * 1024 * 1024;

/** Records the default company from now on. `fixtures`: the files it began with, by their names in the recording. */
export function startRecorder(sandbox: Sandbox, fixtures: readonly string[], bytesMax: number = RECORDED_BYTES_MAX) {
  const { defaultCompany, redactor, options } = sandbox;
  const { id, record } = defaultCompany;
  const { seq: beginSeq, overrides: profile } = record;
  const startedAt = defaultCompany.now();
  const given = {
    clock: toIso(startedAt),
    balance: toXof(balanceOf(defaultCompany)),
    ...(Object.keys(profile).length > 0 ? { profile: redactor.value(profile) } : {}),
    ...(fixtures.length > 0 ? { fixtures: redactor.value(fixtures) } : {}),
  };
  const requests: RecordedRequest[] = [];
  let bytes = 0;
  let leftOut = 0;
  const stop = sandbox.events.on("exchange", ({ exchange }) => {
    if (exchange.company !== undefined && exchange.company.id !== id) return;
    const item = describeExchange(exchange, id);
    const size = item === undefined ? 0 : item.path.length + JSON.stringify([item.body, item.answer]).length;
    if (item === undefined || requests.length >= options.limits.recordedRequests || bytes + size > bytesMax) {
      leftOut++;
      return;
    }
    bytes += size;
    requests.push(item);
  });
  return {
    stop,
    /** The number of recorded requests. */
    get size() {
      return requests.length;
    },
    /** The session so far as a scenario file that passes when it is replayed: identifiers become saved variables, webhooks expectations. */
    render(): string {
      const company = sandbox.findCompany(id);
      const webhooks = company === undefined ? [] : listWebhooks(company, beginSeq, redactor);
      // A stable sort: at one instant requests come before the webhooks that they cause.
      const recorded = [...requests.map((item) => redactRequest(item, redactor)), ...webhooks].sort(
        (a, b) => a.at - b.at,
      );
      const steps = renderSteps(startedAt, recorded);
      const document = new Document({ name: "A recorded session", tags: ["recorded"], given, steps });
      const missing = leftOut === 0 ? "" : ` ${leftOut} request(s) could not be told again and are left out.`;
      document.commentBefore = ` Recorded by \`start --record\`. Replay it with \`npx business-payments-sandbox replay\`.${missing}`;
      return document.toString({ lineWidth: 120 });
    },
  };
}

type RecordedRequest = NonNullable<ReturnType<typeof describeExchange>>;
type Recorded = RecordedRequest | ReturnType<typeof listWebhooks>[number];

/** Undefined when a scenario cannot repeat it: the body was not JSON, or a rule gave the answer. */
function describeExchange(exchange: Exchange, companyId: string) {
  const { operation, company, at, method, path, body, status, answer, headers, rule } = exchange;
  const isUnread = body === undefined && (headers["content-length"] ?? "0") !== "0";
  if (status === 413 || status === 415 || isUnread || rule !== undefined) return undefined;
  // Undefined: the company's own.
  const token = company !== undefined ? undefined : headers["authorization"] === undefined ? null : "not-a-token";
  const given = headers["x-company-id"];
  // Undefined: as a client of the contract sends it.
  const companyHeader =
    operation === "createCharge" && given === undefined ? null : given === companyId ? undefined : given;
  return { kind: "request" as const, at, operation, method, path, body, token, companyHeader, status, answer };
}

/** Events with a subscriber, identified by the caller's references: those are the same in every run. */
function listWebhooks(company: Company, afterSeq: number, { value }: Redactor) {
  const delivered = new Set(company.world.deliveries.values().map(({ eventId }) => eventId));
  return company.world.events.values().flatMap((event) => {
    const topic = webhookTopicOf(company.profile, event);
    const data = referenceOf(event.subject);
    if (event.seq <= afterSeq || topic === undefined || data === undefined || !delivered.has(event.id)) return [];
    return [{ kind: "webhook" as const, at: event.at, topic, data: value(data) }];
  });
}

function referenceOf(subject: EventSubject): unknown {
  if (subject.kind === "charge") return { externalId: subject.charge.externalId, status: subject.charge.status };
  if (subject.kind === "transaction")
    return { reference: subject.transaction.reference, status: subject.transaction.status };
  return undefined;
}

function redactRequest(item: RecordedRequest, redactor: Redactor): RecordedRequest {
  const { text, value } = redactor;
  const { path, body, answer, companyHeader } = item;
  return {
    ...item,
    path: redactPath(path, redactor),
    body: value(body),
    answer: value(answer),
    companyHeader: typeof companyHeader === "string" ? text(companyHeader) : companyHeader,
  };
}

/** An identifier from an answer, which becomes a variable. */
interface KnownId {
  /** Of the variable. */
  readonly name: string;
  /** In the answer. */
  readonly path: string;
  readonly source: RecordedRequest;
}

/** Identifier → where it came from. */
type KnownIds = Map<string, KnownId>;

/** Shorter gaps depend on the speed of the client. They are added to the next one. */
const GAP_MIN_MS = 1000;

function renderSteps(startedAt: Instant, recorded: readonly Recorded[]): unknown[] {
  const ids = collectIds(recorded);
  const used = usedNames(recorded, ids);
  const counts = new Map<string, number>();
  const steps: unknown[] = [];
  let now = startedAt;
  for (const item of recorded) {
    if (item.at - now >= GAP_MIN_MS || (item.kind === "webhook" && item.at > now)) {
      steps.push({ advance: formatDuration(item.at - now) });
      now = item.at;
    }
    if (item.kind === "request") {
      steps.push(renderRequest(item, ids, used));
      continue;
    }
    const data = substitute(item.data, ids);
    const key = JSON.stringify([item.topic, data]);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    steps.push({ webhook: { topic: item.topic, data, count } });
  }
  return steps;
}

function renderRequest(item: RecordedRequest, ids: KnownIds, used: ReadonlySet<string>): unknown {
  const { method, status, answer, operation, token, companyHeader } = item;
  const hasUrl = operation === "createWebhook" && isObject(item.body) && "url" in item.body;
  const body = substitute(item.body, ids);
  const expected = operation === undefined ? undefined : withoutVolatile(answer);
  const saved = [...ids.values()].filter(({ source, name }) => source === item && used.has(name));
  return {
    request: `${method} ${String(substitute(item.path, ids))}`,
    ...(token === undefined ? {} : { token }),
    ...(companyHeader === undefined ? {} : { headers: { "X-Company-Id": companyHeader } }),
    // The runner's receiver replaces the application's.
    ...(body === undefined ? {} : { body: hasUrl && isObject(body) ? { ...body, url: "${receiver}" } : body }),
    expect: { status, ...(expected === undefined ? {} : { body: escapeMatchers(substitute(expected, ids)) }) },
    ...(saved.length > 0 ? { save: Object.fromEntries(saved.map(({ name, path }) => [name, `body.${path}`])) } : {}),
  };
}

/** Members that differ from run to run. */
const VOLATILE: ReadonlySet<string> = new Set([
  "id",
  "createdAt",
  "updatedAt",
  "timestamp",
  "correlationId",
  "paymentUrl",
  "cursor",
  "url",
  "batchId",
]);

/** `metadata` is the caller's own data, returned as it was sent. */
function withoutVolatile(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutVolatile);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([key]) => !VOLATILE.has(key));
  return Object.fromEntries(
    members.map(([key, member]) => [key, key === "metadata" ? member : withoutVolatile(member)]),
  );
}

/** Objects with keys that begin with `$` would be read as matchers. */
function escapeMatchers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(escapeMatchers);
  if (!isObject(value)) return value;
  if (Object.keys(value).some((key) => key.startsWith("$"))) return { $exact: value };
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, escapeMatchers(member)]));
}

const NAMES: Partial<Record<OperationId, string>> = {
  createCharge: "charge",
  createTransaction: "transaction",
  createBatch: "batch",
  createWebhook: "webhook",
  listWebhooks: "list",
};

/** Every identifier in an answer, with the name of its variable. The first answer that contains it names it. */
function collectIds(recorded: readonly Recorded[]): KnownIds {
  const ids: KnownIds = new Map();
  const counts = new Map<string, number>();
  const add = (source: RecordedRequest, value: unknown, base: string, path: string): void => {
    if (typeof value !== "string" || value === "" || ids.has(value)) return;
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    ids.set(value, { name: count === 1 ? base : `${base}${count}`, path, source });
  };
  for (const item of recorded) {
    if (item.kind !== "request" || item.operation === undefined || item.status >= 300) continue;
    const base = NAMES[item.operation];
    if (base === undefined || !isObject(item.answer)) continue;
    const { id, transactions, cursor } = item.answer;
    add(item, id, base, "id");
    const entries: readonly unknown[] = base === "batch" && Array.isArray(transactions) ? transactions : [];
    for (const [index, entry] of entries.entries())
      add(item, isObject(entry) ? entry["id"] : undefined, "transaction", `transactions[${index}].id`);
    for (const [key, value] of isObject(cursor) ? Object.entries(cursor) : [])
      add(item, value, `cursor_${key}`, `cursor.${key}`);
  }
  return ids;
}

/** The value with every known identifier in its texts replaced by its variable. A `${` in the data is escaped. */
function substitute(value: unknown, ids: KnownIds): unknown {
  return mapTexts(value, (text) => {
    // Functions, because `$` has a meaning in the text of a replacement.
    const escaped = text.replaceAll("${", () => "$${");
    return [...ids].reduce((result, [id, { name }]) => result.replaceAll(id, () => `\${${name}}`), escaped);
  });
}

/** Webhooks contain the UUID of `txn_<uuid>` alone. */
const PREFIX = /^(?:txn|bat)_/;

/** The variables that later items refer to: only those are saved. */
function usedNames(recorded: readonly Recorded[], ids: KnownIds): ReadonlySet<string> {
  const texts = recorded.map((item) => JSON.stringify(item.kind === "request" ? [item.path, item.body] : item.data));
  const used = [...ids].filter(([id, { source }]) => {
    const plain = id.replace(PREFIX, "");
    return texts.slice(recorded.indexOf(source) + 1).some((text) => text.includes(plain));
  });
  return new Set(used.map(([, { name }]) => name));
}
