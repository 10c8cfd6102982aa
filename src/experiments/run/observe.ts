import { type OperationId, operations } from "../../contract/operations.js";
import { toXof } from "../../domain/values/money.js";
import type { Delivery } from "../../domain/model/delivery.js";
import type { Transfer } from "../../domain/model/transfer.js";
import type { ReadSetting } from "../../domain/profile/alternatives.js";
import type { World } from "../../domain/model/work.js";
import { plainId } from "../../domain/values/ids.js";
import { findTopic } from "../../domain/values/topic.js";
import { endHolds } from "../../domain/rules/holds.js";
import { isObject } from "../../kernel/messages/json.js";
import { advance } from "../../sandbox/company/advance.js";
import type { Company } from "../../sandbox/company/company.js";
import { idInPath, itemsOf } from "../../sandbox/findings/detector.js";
import type { Finding } from "../../sandbox/findings/finding.js";
import type { JournalEntry } from "../../sandbox/observation/journal.js";
import { finalStatuses } from "../../sandbox/findings/outcome-never-learned.js";
import { RunWatch } from "../../sandbox/run-report.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { type Fact, readFacts, readFailures } from "./effect.js";

/** A request of the command, named by its operation and its ordinal: `createTransaction#2`. */
export interface SeenRequest {
  readonly name: string;
  readonly operation: OperationId;
  /** Its number as rules count requests, from 1; 0 when rules do not see it. */
  readonly ordinal: number;
  /** For people: its reference, externalId or msisdn. */
  readonly about: string;
  /** What it asks for, without generated parts: equal for two requests that ask for the same. */
  readonly key: string;
  /** 0 when nothing was answered. */
  readonly status: number;
  /** Whether a rule made the answer. */
  readonly ruled: boolean;
  /** Whether it repeats the read before it: the same resource, with the same answer. */
  readonly repeats: boolean;
  /** Whether it showed a transfer that is final. */
  readonly showsFinalTransfer: boolean;
}

/** A webhook, named by its topic and its ordinal: `charges/events#1`. */
export interface SeenDelivery {
  readonly name: string;
  readonly topic: string;
  readonly ordinal: number;
  readonly about: string;
  readonly key: string;
  readonly acknowledged: boolean;
  /** Whether a request caused it. */
  readonly answersRequest: boolean;
  /** Whether the same receiver gets a later event of the same resource. */
  readonly hasNext: boolean;
  /** How many webhooks came after it. */
  readonly later: number;
}

/** A transfer or a payment whose end a rule can change. */
export interface SeenOutcome {
  readonly kind: "transfer" | "payment";
  /** Its number among the transfers, or among the payments, from 1. */
  readonly ordinal: number;
  /** The request that began it. */
  readonly request: string;
  readonly about: string;
  /** Whether the command learned how it ended: it read the final state, or acknowledged the event. */
  readonly learned: boolean;
  /** Whether a transfer failed. */
  readonly failed: boolean;
}

/** What a sandbox saw of one run. A company that is reset, or gets another state, starts counting again, so that names may occur more than once. */
export interface Seen {
  readonly requests: readonly SeenRequest[];
  readonly deliveries: readonly SeenDelivery[];
  readonly outcomes: readonly SeenOutcome[];
  readonly facts: readonly Fact[];
  /** The transfers that failed, as facts of kind `pending`. */
  readonly failures: readonly Fact[];
  readonly findings: readonly Finding[];
  /** The names of the rules that applied. */
  readonly appliedRules: readonly string[];
  /** The settings that its answers and webhooks depend on. */
  readonly settings: readonly ReadSetting[];
}

/** How far the clock goes after the command: beyond all retries of a webhook and the drop of a charge. */
const AFTERWARDS_MS = 24 * 60 * 60_000;
/** How long to wait for receivers that outlive the command, in real time. */
const RECEIVERS_MS = 2_000;
/** The most bytes of requests that are kept of a run. Later requests get no faults. */
const ASKED_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Watches a sandbox from its start. The returned function ends the run: everything that is due happens, then the records are read. `playsScenarios`:
 * requests made in process are those of scenarios. Rules count them, but they are not the command's.
 */
export function watch(sandbox: Sandbox, { playsScenarios = false } = {}): () => Promise<Seen> {
  const run = new RunWatch(sandbox, sandbox.options.allow);
  const periods: Period[] = [];
  /** By the id of the company. The journal is not enough: it drops requests beyond its limits, and all when it is cleared. */
  const asked = new Map<string, Asked>();
  /** By company and snapshot: after a snapshot is restored, rules count on from the requests that came before it was saved. */
  const saved = new Map<string, Asked["requests"]>();
  let askedBytes = 0;
  const askedOf = (companyId: string): Asked => asked.get(companyId) ?? { restored: 0, requests: [] };
  sandbox.events.on("exchange", ({ exchange, companyId = "", requestId }) => {
    if (requestId === undefined || exchange.operation === undefined || askedBytes > ASKED_BYTES_MAX) return;
    const entry = sandbox.observationOf(companyId).journal.entries.get(requestId);
    if (entry === undefined) return;
    const isPlayed = playsScenarios && exchange.connection === undefined;
    const request = { turn: exchange.turn, entry, isPlayed };
    const { restored, requests } = askedOf(companyId);
    requests.push(request);
    asked.set(companyId, { restored, requests });
    askedBytes += entry.bytes;
    exchange.onLost(() => (request.entry = { ...entry, fate: "lost" }));
  });
  sandbox.events.on("controlled", ({ route, companyId = "", id }) => {
    const snapshot = `${companyId} ${id}`;
    if (route === "POST /snapshots/:id") saved.set(snapshot, [...askedOf(companyId).requests]);
    if (route !== "PUT /snapshots/:id") return;
    const requests = [...(saved.get(snapshot) ?? [])];
    asked.set(companyId, { restored: requests.length, requests });
  });
  const read = (company: Company, end?: number): void => {
    periods.push(readPeriod(company, askedOf(company.id), end));
    asked.delete(company.id);
  };
  sandbox.events.on("forgets", ({ company }) => read(company));
  sandbox.events.on("replaces", ({ company }) => read(company));
  return async () => {
    const { companies } = sandbox;
    const ends = companies.map(({ record }) => record.seq);
    await Promise.all(companies.map(finish));
    for (const [at, company] of companies.entries()) read(company, ends[at]);
    const { findings, coverage } = run.report(true);
    // Names that the command has chosen appear in reports, so they are redacted.
    const { text } = sandbox.redactor;
    const named = <Part extends { readonly about: string }>(part: Part) => ({ ...part, about: text(part.about) });
    const redacted = (facts: readonly Fact[]) => facts.map((fact) => ({ ...fact, of: text(fact.of) }));
    return {
      requests: periods.flatMap(({ requests }) => requests.map(named)),
      deliveries: periods.flatMap(({ deliveries }) => deliveries.map(named)),
      outcomes: periods.flatMap(({ outcomes }) => outcomes.map(named)),
      facts: redacted(periods.flatMap(({ facts }) => facts)),
      failures: redacted(periods.flatMap(({ failures }) => failures)),
      findings,
      appliedRules: coverage.rules.flatMap(({ met, name }) => (met ? (name ?? []) : [])),
      settings: coverage.openPoints.flatMap(({ met, setting, value }) => (met ? { path: setting, value } : [])),
    };
  };
}

/** Lets everything happen that is due. Webhooks that rules hold until the end of the run are released last. */
async function finish(company: Company): Promise<void> {
  await advance(company, { byMs: AFTERWARDS_MS }, { maxWaitMs: RECEIVERS_MS });
  if (company.world.holds.size === 0) return;
  company.run(endHolds, undefined);
  await advance(company, { byMs: AFTERWARDS_MS }, { maxWaitMs: RECEIVERS_MS });
}

/** What was seen of a company until it was reset, got another state, or the run ended. */
type Period = Omit<Seen, "findings" | "appliedRules" | "settings">;

/** The requests to a company in one period, oldest first. The first `restored` are from before the snapshot that was restored. */
interface Asked {
  readonly restored: number;
  readonly requests: { readonly turn: number; entry: JournalEntry; readonly isPlayed: boolean }[];
}

/** `end` is the `seq` of the last record that the command caused: later deliveries do not reach the command. */
function readPeriod({ world }: Company, asked: Asked, end = Number.POSITIVE_INFINITY): Period {
  // In the order in which rules count them: a request with a long body is handled later than it begins to arrive.
  const inOrder = asked.requests.toSorted((a, b) => a.turn - b.turn);
  const entries = inOrder.map(({ entry }) => entry);
  const all = readRequests(entries, world);
  const requests = all.filter((_, at) => at >= asked.restored && inOrder[at]?.isPlayed === false);
  const deliveries = readDeliveries(entries, world, end);
  const names = new Set(requests.map(({ name }) => name));
  const outcomes = readOutcomes(entries, all, names, world);
  return { requests, deliveries, outcomes, facts: readFacts(world), failures: readFailures(world) };
}

function readRequests(entries: readonly JournalEntry[], world: World): SeenRequest[] {
  const nextOrdinal = createCounter();
  const lastAnswers = new Map<string, string>();
  return entries.flatMap((entry) => {
    const { operation, path, status, answer, rule } = entry;
    if (operation === undefined) return [];
    const { method } = operations[operation];
    // Rules see no request without a valid token, and do not take HEAD for GET.
    const ordinal = entry.problem === "token_invalid" || entry.method !== method ? 0 : nextOrdinal(operation);
    const subject = subjectOf(entry, world);
    const shown = JSON.stringify([status, answer]);
    const isRead = method === "GET";
    const repeats = isRead && lastAnswers.get(path) === shown;
    if (ordinal > 0) lastAnswers.set(path, shown);
    return {
      name: ordinal === 0 ? operation : `${operation}#${ordinal}`,
      operation,
      ordinal,
      about: subject.about,
      key: `${operation} ${subject.key}`,
      status,
      ruled: rule !== undefined,
      repeats,
      showsFinalTransfer: operation === "getTransaction" && isFinal(answer),
    };
  });
}

/** Counts from 1 for each name. */
function createCounter(): (name: string) => number {
  const counts = new Map<string, number>();
  return (name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count;
  };
}

interface Subject {
  readonly about: string;
  readonly key: string;
}

/** What a request is about: the record that its path names, or what its body says. */
function subjectOf(entry: JournalEntry, world: World): Subject {
  const { operation, path, body } = entry;
  if (operation === "createBatch") {
    const items = itemsOf(body);
    return { about: `${items.length} transfers`, key: items.map((item) => describeBody(item).key).join(", ") };
  }
  const id = idInPath(entry) ?? "";
  const transfer = world.transfers.get(plainId(id));
  if (transfer !== undefined) return describeTransfer(transfer);
  const charge = world.charges.get(id);
  if (charge !== undefined) return { about: charge.externalId, key: `charge of ${toXof(charge.amount)}` };
  const msisdn = new URLSearchParams(path.split("?")[1]).get("msisdn");
  return msisdn === null ? describeBody(body) : { about: msisdn, key: msisdn };
}

function describeTransfer({ reference, msisdn, amount }: Transfer): Subject {
  return { about: reference, key: `${toXof(amount)} to ${msisdn}` };
}

function describeBody(body: unknown): Subject {
  if (!isObject(body)) return { about: "", key: "" };
  const named = body["reference"] ?? body["externalId"] ?? body["topic"] ?? body["msisdn"];
  const parts = [body["amount"], body["msisdn"], body["topic"]].flatMap((part) =>
    part === undefined ? [] : JSON.stringify(part),
  );
  return { about: typeof named === "string" ? named : "", key: parts.join(" to ") };
}

function isFinal(answer: unknown): boolean {
  return isObject(answer) && finalStatuses.has(answer["status"]);
}

function readDeliveries(entries: readonly JournalEntry[], world: World, end: number): SeenDelivery[] {
  const nextOrdinal = createCounter();
  const caused = new Set(entries.flatMap(({ enqueued }) => enqueued));
  const originals = world.deliveries.values().filter(({ copy, seq }) => copy === 0 && seq <= end);
  const laneOf = ({ resource, subscriptionId }: Delivery): string => `${resource} ${subscriptionId}`;
  const lasts = new Map(originals.map((delivery) => [laneOf(delivery), delivery]));
  return originals.map((delivery, at) => {
    const { id, topic, status } = delivery;
    // Rules treat both spellings of a topic as the same.
    const ordinal = nextOrdinal(findTopic(topic) ?? topic);
    const { about, key } = describeDelivery(delivery, world);
    return {
      name: `${topic}#${ordinal}`,
      topic,
      ordinal,
      about,
      key: `${topic} ${key}`,
      acknowledged: status === "succeeded",
      answersRequest: caused.has(id),
      hasNext: lasts.get(laneOf(delivery)) !== delivery,
      later: originals.length - at - 1,
    };
  });
}

function describeDelivery({ resource, body }: Delivery, world: World): Subject {
  const transfer = world.transfers.get(resource);
  if (transfer !== undefined) return describeTransfer(transfer);
  const about = world.charges.get(resource)?.externalId ?? "";
  const { data }: { data?: unknown } = JSON.parse(body);
  const [status, amount] = isObject(data) ? [data["status"], data["amount"]] : [];
  return { about, key: `${String(status)} ${String(amount)}` };
}

/** `names`: those of the requests whose outcomes are read. */
function readOutcomes(
  entries: readonly JournalEntry[],
  requests: readonly SeenRequest[],
  names: ReadonlySet<string>,
  world: World,
): SeenOutcome[] {
  const learned = learnedResources(entries, world);
  /** The names of the requests, by what they created, and by what the payments among them recorded. */
  const creators = new Map<string, string>();
  const payers = new Map<number, string>();
  for (const [at, { created, operation, made }] of [...entries.entries()].toReversed()) {
    const { name = "" } = requests[at] ?? {};
    for (const id of created) creators.set(id, name);
    if (operation === "payCharge" && names.has(name))
      for (let seq = made.from + 1; seq <= made.to; seq++) payers.set(seq, name);
  }
  const transfers = world.transfers.values().flatMap(({ id, reference, status }) => {
    const request = creators.get(id) ?? "";
    // A transfer of a fixture was not caused by a request.
    const end = { learned: learned.has(id), failed: status === "failed" };
    return request === "" ? [] : { kind: "transfer" as const, request, about: reference, ...end };
  });
  const payments = world.events.values().flatMap(({ type, seq, subject }) => {
    if (subject.kind !== "charge" || (type !== "charge.paid" && type !== "charge.payment_failed")) return [];
    const { id, externalId } = subject.charge;
    // A payment over the control API, by a scenario or on the payment page is attributed to the request that created its charge.
    const request = payers.get(seq) ?? creators.get(id) ?? "";
    return { kind: "payment" as const, request, about: externalId, learned: learned.has(id), failed: false };
  });
  const numbered = [transfers, payments].flatMap((outcomes) =>
    outcomes.map((outcome, at) => ({ ...outcome, ordinal: at + 1 })),
  );
  return numbered.filter(({ request }) => names.has(request));
}

/** Charges and transfers whose final state the command read, or acknowledged an event of. */
function learnedResources(entries: readonly JournalEntry[], world: World): ReadonlySet<string> {
  const read = entries.filter(({ answer, fate }) => fate === "written" && isFinal(answer));
  const acknowledged = world.deliveries.values().filter(({ status }) => status === "succeeded");
  const final = acknowledged.filter(({ body }) => {
    const { data }: { data?: unknown } = JSON.parse(body);
    return isFinal(data);
  });
  return new Set([...read.map((entry) => plainId(idInPath(entry) ?? "")), ...final.map(({ resource }) => resource)]);
}
