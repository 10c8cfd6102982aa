import { Document } from "yaml";
import type { OperationId } from "../contract/operations.js";
import { type Instant, toIso } from "../kernel/instant.js";
import { formatDuration } from "../kernel/duration.js";

/** Shorter gaps are how fast a client is, and not part of its story; what they add up to goes into the next one. */
const GAP_MIN_MS = 1000;

/** The session as a scenario file that replays green: identifiers turned into saved variables, webhooks into expectations. */
export function renderRecording(recording: Recording): string {
  const { startedAt, balance, profile, fixtures, recorded, leftOut } = recording;
  const ids = collectIds(recorded);
  const steps = renderSteps(recording, ids);
  const hasProfile = typeof profile === "object" && profile !== null && Object.keys(profile).length > 0;
  const document = new Document({
    name: "A recorded session",
    tags: ["recorded"],
    given: {
      clock: toIso(startedAt),
      balance,
      ...(hasProfile ? { profile } : {}),
      ...(fixtures.length > 0 ? { fixtures } : {}),
    },
    steps,
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
  const { method, status, answer, operation } = item;
  const path = String(substitute(item.path, ids));
  const body = operation === "createWebhook" ? withOwnReceiver(item.body) : item.body;
  const expected = operation === undefined ? undefined : stable(answer);
  const save = Object.fromEntries(
    [...ids.values()]
      .filter(({ source, name }) => source === item && used.has(name))
      .map(({ name, path: at }) => [name, `body.${at}`]),
  );
  return {
    request: `${method} ${path}`,
    ...(item.token === "none" ? { token: null } : item.token === "other" ? { token: "not-a-token" } : {}),
    ...(item.companyHeader === undefined ? {} : { headers: { "X-Company-Id": item.companyHeader } }),
    ...(body === undefined ? {} : { body: substitute(body, ids) }),
    expect: { status, ...(expected === undefined ? {} : { body: guard(substitute(expected, ids)) }) },
    ...(Object.keys(save).length > 0 ? { save } : {}),
  };
}

/** The runner catches what the application's receiver caught. */
function withOwnReceiver(body: unknown): unknown {
  return typeof body === "object" && body !== null && "url" in body ? { ...body, url: "${receiver}" } : body;
}

/** Members that are others in every run. */
const VOLATILE = new Set([
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

function stable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      if (VOLATILE.has(key)) return [];
      // The caller's own data is returned as it was sent, whatever its members are called.
      return [[key, key === "metadata" ? member : stable(member)]];
    }),
  );
}

/** Data whose keys begin with `$` would be read as matchers. */
function guard(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(guard);
  if (typeof value !== "object" || value === null) return value;
  if (Object.keys(value).some((key) => key.startsWith("$"))) return { $exact: value };
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, guard(member)]));
}

const NAMES: Partial<Record<OperationId, string>> = {
  createCharge: "charge",
  createTransaction: "transaction",
  createBatch: "batch",
  createWebhook: "webhook",
  listWebhooks: "list",
};

/** Every identifier that an answer gave away, with the name of its variable. The first answer that shows it names it. */
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
    const { answer } = item;
    if (base === undefined || typeof answer !== "object" || answer === null) continue;
    if ("id" in answer) add(item, answer.id, base, "id");
    if (item.operation === "createBatch" && "transactions" in answer && Array.isArray(answer.transactions)) {
      answer.transactions.forEach((entry: { id?: unknown }, index) =>
        add(item, entry.id, "transaction", `transactions[${index}].id`),
      );
    }
    if ("cursor" in answer && typeof answer.cursor === "object" && answer.cursor !== null) {
      for (const [key, value] of Object.entries(answer.cursor)) add(item, value, `cursor_${key}`, `cursor.${key}`);
    }
  }
  return ids;
}

/** One thing that happened while a session was recorded, in order. */
export type Recorded = RecordedRequest | RecordedWebhook;

export interface RecordedRequest {
  readonly kind: "request";
  readonly at: Instant;
  /** Undefined for a call of the control API. */
  readonly operation: OperationId | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** `company`: the company's own; `none`: no header; `other`: one that nobody has. */
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
  /** What tells it from others: the caller's own reference, and the status. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Recording {
  readonly startedAt: Instant;
  readonly balance: number;
  readonly profile: unknown;
  readonly fixtures: readonly string[];
  readonly recorded: readonly Recorded[];
  /** Requests that cannot be told again: bodies that were not JSON, other companies' requests. */
  readonly leftOut: number;
}

export interface KnownId {
  /** Of the variable. */
  readonly name: string;
  /** Where the answer showed it. */
  readonly path: string;
  readonly source: RecordedRequest;
}

/** Identifier → where it came from. */
export type KnownIds = Map<string, KnownId>;

/** `txn_<uuid>` is also found as the plain UUID. */
const PREFIX = /^(?:txn|bat)_/;

/** The value with every known identifier in its texts replaced by its variable, and every `${` of its own kept as it is. */
export function substitute(value: unknown, ids: KnownIds): unknown {
  if (typeof value === "string") return substituteText(value, ids);
  if (Array.isArray(value)) return value.map((element) => substitute(element, ids));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, substitute(member, ids)]));
}

function substituteText(text: string, ids: KnownIds): string {
  if (text === OWN_RECEIVER) return text;
  // Functions, since `$` means something in the text of a replacement.
  let result = text.replaceAll("${", () => "$${");
  for (const [id, { name }] of ids) result = result.replaceAll(id, () => `\${${name}}`);
  return result;
}

/** The one text that the recorder itself writes as a variable. */
const OWN_RECEIVER = "${receiver}";

/** The variables that something later refers to: only those are saved. */
export function usedNames(recorded: readonly Recorded[], ids: KnownIds): ReadonlySet<string> {
  const used = new Set<string>();
  const texts = recorded.map((item) =>
    item.kind === "request" ? JSON.stringify([item.path, item.body]) : JSON.stringify(item.data),
  );
  for (const [id, { name, source }] of ids) {
    const from = recorded.indexOf(source) + 1;
    const plain = id.replace(PREFIX, "");
    if (texts.slice(from).some((text) => text.includes(id) || text.includes(plain))) used.add(name);
  }
  return used;
}
