import { parseBody } from "../../adapters/har/http-exchange.js";
import type { OperationId } from "../../contract/operations.js";
import { testNumberSettings } from "../../domain/profile/settings-customers.js";
import { isMsisdn, msisdnKey } from "../../domain/values/msisdn.js";
import { type Json, isObject } from "../../kernel/messages/json.js";
import { formatDuration } from "../../kernel/time/duration.js";
import { REDACTED } from "../../sandbox/observation/redact.js";
import { TOLERANCE_MS } from "../replay/compare.js";
import { topicHeaderOf } from "../replay/compare-webhooks.js";
import { groupBy } from "../../kernel/collections.js";
import type { AnswerHeaders, History, RecordedRequest, RecordedWebhook } from "../recording/entry.js";
import { idOf, itemsIn } from "../recording/resources.js";
import { readTimestamp } from "../recording/timestamps.js";
import { decimalsThat, solveFee, solveLimit } from "./solve.js";

/** Recorded traffic by its parts. */
class Traffic {
  readonly requests: readonly Answered[];
  readonly webhooks: readonly RecordedWebhook[];
  /** Everything that shows a charge or a transaction, in order. */
  readonly sightings: readonly Sighting[];

  constructor(histories: readonly History[]) {
    const entries = histories.flatMap((history) => history.entries);
    this.webhooks = entries.filter((entry) => entry.kind === "webhook");
    this.requests = entries.flatMap((entry) => {
      if (entry.kind !== "request" || entry.answer === undefined) return [];
      const { status, body, headers } = entry.answer;
      return [
        {
          ...entry,
          status,
          retryAfter: headers.retryAfter,
          answered: isObject(body) ? body : {},
          sent: parse(entry.body),
        },
      ];
    });
    this.sightings = entries.flatMap((entry): Sighting[] => {
      const shown = entry.kind === "webhook" ? entry.body["data"] : entry.answer?.body;
      if (!isObject(shown)) return [];
      return [shown, ...itemsIn(shown)].map((resource) => ({ at: entry.at, by: entry.kind, resource }));
    });
  }

  of(...operations: readonly OperationId[]): readonly Answered[] {
    return this.requests.filter(({ operation }) => operation !== undefined && operations.includes(operation));
  }
}

interface Answered extends RecordedRequest {
  readonly status: number;
  readonly sent: Readonly<Record<string, unknown>>;
  readonly answered: Readonly<Record<string, unknown>>;
  readonly retryAfter: AnswerHeaders["retryAfter"];
}

interface Sighting {
  readonly at: number;
  readonly by: "request" | "webhook";
  readonly resource: Readonly<Record<string, unknown>>;
}

/** Values that the traffic suggests for settings that may have any value, by path. Only a replay shows whether one explains anything. */
export function suggest(histories: readonly History[]): ReadonlyMap<string, readonly Json[]> {
  const traffic = new Traffic(histories);
  return new Map(
    Object.entries(suggestions).map(([path, suggestion]) => [path, suggestion(traffic).slice(0, SUGGESTED_MAX)]),
  );
}

/** The most suggestions for one setting: each is tried with all of the traffic that differs. */
const SUGGESTED_MAX = 10;

type Suggestion = (traffic: Traffic) => readonly Json[];

const suggestions: Readonly<Record<string, Suggestion>> = {
  "charges.droppedReason": (traffic) => textsAt(traffic, "droppedReason"),
  "charges.service": (traffic) => textsAt(traffic, "service"),
  "charges.fee": suggestChargeFees,
  "charges.ttl": suggestTtls,
  "charges.payField": (traffic) =>
    membersOf(traffic, "payCharge", (value) => typeof value === "string" && isMsisdn(value)),
  "charges.min": (traffic) => limitOf(traffic, ["createCharge"], "least"),
  "charges.max": (traffic) => limitOf(traffic, ["createCharge"], "most"),
  "refunds.amountField": (traffic) => membersOf(traffic, "refundCharge", (value) => typeof value === "number"),
  "transfers.min": (traffic) => limitOf(traffic, ["createTransaction"], "least"),
  "transfers.max": (traffic) => limitOf(traffic, ["createTransaction"], "most"),
  "transfers.fee": (traffic) =>
    solveFee(
      traffic.sightings.flatMap(({ resource: { amount, fee } }) =>
        typeof amount === "number" && typeof fee === "number" ? [[amount, fee] as const] : [],
      ),
    ),
  "transfers.settlement": suggestSettlements,
  "batch.maxItems": suggestBatchSizes,
  "webhooks.signatureHeader": ({ webhooks }) =>
    unique(webhooks.flatMap(({ headers }) => headers.filter(isSignature).map(([name]) => name.toLowerCase()))),
  "webhooks.topicHeader": ({ webhooks }) => unique(webhooks.flatMap((webhook) => topicHeaderOf(webhook) ?? [])),
  "webhooks.chargeEvents": suggestChargeEvents,
  "webhooks.retry": suggestRetries,
  "paging.limit": (traffic) =>
    unique(traffic.of("listWebhooks").flatMap(({ answered }) => numberOr(answered["limit"]))),
  "paging.limitParameter": (traffic) => queryNames(traffic, (value) => /^\d+$/.test(value)),
  "paging.cursorParameter": (traffic) => queryNames(traffic, (value) => !/^\d+$/.test(value)),
  rateLimit: suggestRates,
  "server.bodyLimit": ({ requests }) =>
    solveLimit(
      requests.flatMap(({ body, status }) =>
        body === undefined ? [] : [{ value: Buffer.byteLength(body), refused: status === 413 }],
      ),
      "most",
    ),
  ...Object.fromEntries(Object.keys(testNumberSettings).map((role) => [`testNumbers.${role}`, numbersOf])),
  "testNumbers.success": (traffic) => unique([...payersOf(traffic), ...numbersOf(traffic)]),
};

function textsAt({ sightings }: Traffic, name: string): readonly Json[] {
  return unique(sightings.flatMap(({ resource }) => (typeof resource[name] === "string" ? [resource[name]] : [])));
}

function membersOf(traffic: Traffic, operation: OperationId, matches: (value: unknown) => boolean): readonly Json[] {
  const names = traffic.of(operation).flatMap(({ sent }) => Object.keys(sent).filter((name) => matches(sent[name])));
  return unique(names);
}

function queryNames(traffic: Traffic, matches: (value: string) => boolean): readonly Json[] {
  return unique(
    traffic.of("listWebhooks").flatMap(({ path }) => {
      const { searchParams } = new URL(path, "http://localhost");
      return [...searchParams].flatMap(([name, value]) => (matches(value) ? [name] : []));
    }),
  );
}

function limitOf(traffic: Traffic, operations: readonly OperationId[], end: "least" | "most"): readonly Json[] {
  const tries = traffic.of(...operations).flatMap(({ sent: { amount }, status }) => {
    const isJudged = status < 300 || status === 400;
    return typeof amount === "number" && isJudged ? [{ value: amount, refused: status === 400 }] : [];
  });
  return solveLimit(tries, end);
}

function suggestBatchSizes(traffic: Traffic): readonly Json[] {
  const tries = traffic
    .of("createBatch")
    .flatMap(({ sent: { transactions }, status }) =>
      Array.isArray(transactions) && (status < 300 || status === 400)
        ? [{ value: transactions.length, refused: status === 400 }]
        : [],
    );
  return solveLimit(tries, "most");
}

function suggestChargeFees({ sightings }: Traffic): readonly Json[] {
  const shown = sightings.flatMap(({ resource: { amount, fees } }) =>
    isObject(fees) &&
    typeof fees["rate"] === "number" &&
    typeof fees["value"] === "number" &&
    typeof amount === "number"
      ? [{ rate: fees["rate"], pair: [amount, fees["value"]] as const }]
      : [],
  );
  return [...groupBy(shown, ({ rate }) => rate)].flatMap(([rate, alike]) => {
    const pairs = alike.map(({ pair }) => pair);
    return decimalsThat(pairs, { rate, fixed: 0 }, [0, 2, 4]).flatMap((decimals) => [
      { rate, decimals },
      { rate, decimals, credit: "net" },
    ]);
  });
}

/** The time from a charge's creation to its dropped event. Where events are late, their usual delay is subtracted, and the rest is rounded to minutes. */
function suggestTtls({ sightings }: Traffic): readonly Json[] {
  const delay = usualDelay(sightings);
  const [late, unit] = delay > TOLERANCE_MS ? [delay, 60_000] : [0, 1];
  const ages = sightings.flatMap(({ at, by, resource: { status, createdAt } }) => {
    const created = readTimestamp(createdAt);
    const isDrop = status === "dropped" && by === "webhook" && created !== undefined;
    return isDrop ? [Math.round((at - created.at - late) / unit) * unit] : [];
  });
  return durations(ages);
}

/** How much later webhooks usually come than the first answers that show the same, ms. */
function usualDelay(sightings: readonly Sighting[]): number {
  const changes = groupBy(sightings, ({ resource: { id, status } }) => `${String(id)} ${String(status)}`).values();
  const delays = [...changes].flatMap((seen) => {
    const [answer, webhook] = ["request", "webhook"].map((by) => seen.find((sighting) => sighting.by === by));
    return answer === undefined || webhook === undefined ? [] : [webhook.at - answer.at];
  });
  return delays.toSorted((a, b) => a - b)[delays.length >> 1] ?? 0;
}

const FINAL: ReadonlySet<unknown> = new Set(["completed", "failed"]);

function suggestSettlements({ sightings }: Traffic): readonly Json[] {
  const transfers = sightings.filter(({ resource }) => "reference" in resource);
  const final = transfers.filter(({ resource: { status } }) => FINAL.has(status));
  const ages = final.flatMap(({ resource: { createdAt, updatedAt } }) => {
    const [created, updated] = [readTimestamp(createdAt), readTimestamp(updatedAt)];
    return created !== undefined && updated !== undefined ? [updated.at - created.at] : [];
  });
  const reads = [...groupBy(transfers, ({ resource: { reference } }) => reference).values()].map((seen) => {
    const polls = seen.filter(({ by, resource }) => by === "request" && "failureReason" in resource);
    const end = polls.findIndex(({ resource: { status } }) => FINAL.has(status));
    return end + 1;
  });
  const polls = unique(reads.filter((count) => count > 0)).map((count) => ({ polls: count }));
  return [...durations(ages).map((after) => ({ after })), ...polls];
}

/** Gaps between the attempts of one event. */
function suggestRetries({ webhooks }: Traffic): readonly Json[] {
  const plans = [...groupBy(webhooks, ({ text, url }) => `${url} ${text}`).values()].map((attempts) =>
    attempts.slice(1).map(({ at }, index) => formatMs(at - (attempts[index]?.at ?? at))),
  );
  const longest = plans.toSorted((a, b) => b.length - a.length)[0] ?? [];
  return longest.length === 0 || longest.includes(formatMs(0)) ? ["none"] : [longest];
}

function suggestChargeEvents({ webhooks }: Traffic): readonly Json[] {
  const seen = webhooks.flatMap(({ topic, body }) =>
    topic === "charges/events" && isObject(body["data"]) ? [String(body["data"]["status"])] : [],
  );
  return [unique(seen)];
}

/** How many requests were answered in a span before one was refused. */
function suggestRates({ requests }: Traffic): readonly Json[] {
  const first = requests.findIndex(({ status }) => status === 429);
  const refused = requests[first];
  if (refused === undefined) return [];
  const wait = Number(refused.retryAfter ?? Number.NaN);
  const spans = unique([1, 10, 60, 3600, ...(wait > 0 ? [wait] : [])]);
  return spans.flatMap((seconds) => {
    const begin = refused.at - seconds * 1000;
    const within = requests.slice(0, first).filter(({ at, status }) => at > begin && status !== 429 && status !== 401);
    return within.length === 0 ? [] : [{ requests: within.length, per: `${seconds}s` }];
  });
}

/**
 * The numbers that transfers, batches, payments and checks name: each may be a test number. Only some are tried, so those with an outcome that few numbers have come
 * first.
 */
function numbersOf(traffic: Traffic): readonly Json[] {
  const requests = traffic.of("createTransaction", "createBatch", "payCharge", "checkCustomer").flatMap((request) => {
    const { operation, path, sent, status, answered } = request;
    const asked = new URL(path, "http://localhost").searchParams.get("msisdn");
    const items = itemsIn(sent).map(({ msisdn }) => msisdn);
    const named = [...Object.values(sent), ...items, asked].filter((value) => typeof value === "string");
    return named.filter(isMsisdn).map((msisdn) => ({ msisdn, outcome: [operation, status, answered["status"]] }));
  });
  // The last sighting of each transfer and payment shows how it ended.
  const last = new Map(
    traffic.sightings.flatMap(({ resource }) => [resource, ...itemsIn(resource)]).map((shown) => [idOf(shown), shown]),
  );
  const ended = [...last.values()].flatMap(({ msisdn, recipientMsisdn, status, failureReason, error }) => {
    const number = msisdn ?? recipientMsisdn;
    return typeof number === "string" ? [{ msisdn: number, outcome: [status, failureReason, error] }] : [];
  });
  const withSameOutcome = [...groupBy([...requests, ...ended], ({ outcome }) => JSON.stringify(outcome)).values()]
    .map((same) => new Set(same.map(({ msisdn }) => msisdnKey(msisdn))))
    .toSorted((one, other) => one.size - other.size);
  const ranked = withSameOutcome.flatMap((numbers, rank) => [...numbers].map((key) => [key, rank] as const));
  // Of a number with several outcomes, the first rank counts.
  const ranks = new Map(ranked.toReversed());
  const rankOf = (msisdn: string) => ranks.get(msisdnKey(msisdn)) ?? 0;
  return unique(requests.map(({ msisdn }) => msisdn)).toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** The payers that answers and webhooks show, because a payment need not name its number. */
function payersOf({ sightings }: Traffic): readonly Json[] {
  const payers = sightings.flatMap(({ resource }) =>
    itemsIn(resource).map(({ recipientMsisdn }) => `+${String(recipientMsisdn)}`),
  );
  return unique(payers.filter(isMsisdn));
}

function isSignature([name, value]: readonly [string, string]): boolean {
  const isCredential = /^(?:authorization|cookie|set-cookie|proxy-authorization|x-api-key|x-auth-token)$/i.test(name);
  return !isCredential && (value === REDACTED || /^[A-Za-z0-9+/]{43}=$/.test(value));
}

function parse(text: string | undefined): Readonly<Record<string, unknown>> {
  const value = parseBody(text ?? "");
  return isObject(value) ? value : {};
}

function durations(ages: readonly number[]): readonly string[] {
  return unique(ages.filter((ms) => ms > 0).map(formatMs)).slice(0, 4);
}

/** Recorded times are not exact, so durations from one second on are rounded to seconds. */
function formatMs(ms: number): string {
  return formatDuration(ms < 1000 ? Math.round(ms / 10) * 10 : Math.round(ms / 1000) * 1000);
}

function numberOr(value: unknown): number[] {
  return typeof value === "number" ? [value] : [];
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
