import { Document } from "yaml";
import type { OperationId } from "../contract/operations.js";
import { formatDuration } from "../kernel/time/duration.js";
import { type Instant, toIso } from "../kernel/time/instant.js";
import { isObject, mapTexts } from "../kernel/messages/json.js";

export interface Recording {
  readonly startedAt: Instant;
  readonly balance: number;
  readonly profile: unknown;
  readonly fixtures: readonly string[];
  /** In the order in which it happened. */
  readonly recorded: readonly Recorded[];
  /** The number of requests that a scenario cannot repeat. */
  readonly leftOut: number;
}

export type Recorded = RecordedRequest | RecordedWebhook;

export interface RecordedRequest {
  readonly kind: "request";
  readonly at: Instant;
  /** Undefined for a call of the control API. */
  readonly operation: OperationId | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** `company`: the company's own; `none`: no header; `other`: an unknown one. */
  readonly token: "company" | "none" | "other";
  /** Undefined: as a client of the contract sends it. */
  readonly companyHeader: string | null | undefined;
  readonly status: number;
  readonly answer: unknown;
}

/** A webhook that had a subscriber. */
export interface RecordedWebhook {
  readonly kind: "webhook";
  readonly at: Instant;
  readonly topic: string;
  /** The caller's own reference, and the status. */
  readonly data: Readonly<Record<string, unknown>>;
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

/** The session as a scenario file that passes when it is replayed: identifiers become saved variables, webhooks expectations. */
export function renderRecording(recording: Recording): string {
  const { startedAt, balance, profile, fixtures, recorded, leftOut } = recording;
  const ids = collectIds(recorded);
  const hasProfile = isObject(profile) && Object.keys(profile).length > 0;
  const document = new Document({
    name: "A recorded session",
    tags: ["recorded"],
    given: {
      clock: toIso(startedAt),
      balance,
      ...(hasProfile ? { profile } : {}),
      ...(fixtures.length > 0 ? { fixtures } : {}),
    },
    steps: renderSteps(recording, ids),
  });
  const missing = leftOut === 0 ? "" : ` ${leftOut} request(s) could not be told again and are left out.`;
  document.commentBefore = ` Recorded by \`sandbox start --record\`. Replay it with \`sandbox replay\`.${missing}`;
  return document.toString({ lineWidth: 120 });
}

function renderSteps({ startedAt, recorded }: Recording, ids: KnownIds): unknown[] {
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
    ...(token === "none" ? { token: null } : token === "other" ? { token: "not-a-token" } : {}),
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
