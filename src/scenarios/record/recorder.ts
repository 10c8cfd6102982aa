import { balanceOf } from "../../domain/accounts/ledger.js";
import type { Delivery } from "../../domain/model/delivery.js";
import { shownDeliveryResource } from "../../domain/model/delivery.js";
import { toXof } from "../../domain/values/money.js";
import { isObject, parseJsonOrText } from "../../kernel/messages/json.js";
import { type Change, isChangeOf } from "../../kernel/records/unit-of-work.js";
import type { Company } from "../../sandbox/company/company.js";
import { type Redactor, redactPath } from "../../sandbox/observation/redact.js";
import type { Exchange } from "../../sandbox/company/exchange.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { ControlCalled } from "../../sandbox/sandbox-events.js";
import type { CompanySetup } from "../../sandbox/state/fixture.js";
import { renderOrder } from "../../sandbox/state/rules.js";
import { idsIn, idsInList } from "./find-ids.js";
import type { Recorded, RecordedRequest, Recording } from "./recorded.js";
import { type RenderOptions, renderRecording } from "./render-recording.js";

/** For the bodies and answers of a recording, as JSON. The number of requests is limited by `limits.recordedRequests`. */
const RECORDED_BYTES_MAX = 64 * 1024 * 1024;

export type Recorder = ReturnType<typeof startRecorder>;

/**
 * Records all companies from now on, as the first one sees them. `fixtures`: the files that it began with, by their paths from the recording.
 */
export function startRecorder(sandbox: Sandbox, fixtures: readonly string[], bytesMax: number = RECORDED_BYTES_MAX) {
  const { defaultCompany, redactor, options, events } = sandbox;
  const { id } = defaultCompany;
  const session = {
    startedAt: defaultCompany.now(),
    companyId: id,
    given: {
      balance: toXof(balanceOf(defaultCompany)),
      profile: defaultCompany.record.overrides,
      rules: defaultCompany.world.rules.values().map((rule) => renderOrder({ ...rule, times: rule.timesLeft })),
      fixtures,
    },
  };
  const items: Recorded[] = [];
  const problems: string[] = [];
  /** The names of other companies, by their ids, and what each began with. */
  const names = new Map<string, string>();
  const others = new Map<string, CompanySetup | undefined>();
  /** Requests must send them again, because rules look at them. */
  const ruledHeaders = new Set<string>();
  let requests = 0;
  let bytes = 0;
  let leftOut = 0;
  let unreadable = 0;
  /** The turn of the first request beyond a limit. What comes later is left out, so that what is there is complete. */
  let fullAt = Number.POSITIVE_INFINITY;

  const isIgnored = (companyId: string): boolean => sandbox.opened.get(companyId)?.setup.ofScenario === true;
  const nameOf = (companyId: string): string | undefined => {
    if (companyId === id) return undefined;
    const known = names.get(companyId);
    if (known !== undefined) return known;
    const name = freeName(redactor.text(companyId).replace(/^company_/, ""), others);
    names.set(companyId, name);
    others.set(name, sandbox.opened.get(companyId)?.setup);
    return name;
  };
  const keep = (item: Recorded): void => void (item.turn < fullAt && items.push(item));
  const add = (item: RecordedRequest): void => {
    bytes += item.path.length + JSON.stringify([item.body, item.rawBody, item.answer]).length;
    const isFull = requests >= options.limits.recordedRequests || bytes > bytesMax;
    if (isFull) fullAt = Math.min(fullAt, item.turn);
    if (isFull) leftOut++;
    else requests++;
    keep(item);
  };
  const lookUpRules = ({ world }: Company, as: string | undefined): void => {
    const rules = world.rules.values().toReversed();
    for (const { on, match } of rules) if (on === "request") noteHeaders(match, ruledHeaders);
    if (rules.length === 0) return;
    keep(lookUp({ turn: sandbox.takeTurn(), as, path: "/rules?limit=1000", base: "rule" }, rules));
  };
  lookUpRules(defaultCompany, undefined);

  const onExchange = (exchange: Exchange): void => {
    const owner = exchange.company ?? exchange.named;
    if (isIgnored(owner?.id ?? id)) return;
    const as = nameOf(owner?.id ?? id);
    if (isUnreadable(exchange)) return void unreadable++;
    add(describeExchange(exchange, { as, ownerId: owner?.id ?? id, ruledHeaders }));
    const made = lookUpMade(exchange, as);
    if (made !== undefined) keep(made);
  };
  const onControlled = (call: ControlCalled): void => {
    const { turn, at, route, body } = call;
    const companyId = route === "DELETE /companies/:id" ? call.id : (call.companyId ?? id);
    if (isIgnored(companyId) || ignoredCalls.has(route)) return;
    if (route === "DELETE /companies/:id") {
      if (companyId !== id) names.delete(companyId);
      else
        problems.push(`DELETE /_sandbox/companies/${id}: it removes the company that is recorded. Reset it instead.`);
      return;
    }
    const reset = route === "POST /reset";
    if (reset && companyId === "*") {
      for (const one of [id, ...names.keys()]) if (sandbox.findCompany(one) !== undefined) resetOne(one, turn);
      return;
    }
    if (reset) return resetOne(companyId, turn);
    const as = nameOf(companyId);
    const company = sandbox.findCompany(companyId);
    if (clockCalls.has(route)) return keep({ kind: "time", turn: sandbox.takeTurn(), at: company?.now(), as });
    if (route === "POST /rules" && isObject(body)) noteHeaders(body["match"], ruledHeaders);
    const delivery = route === "POST /deliveries/:id/redeliver" ? company?.world.deliveries.get(call.id) : undefined;
    if (delivery !== undefined && company !== undefined) keep(lookUpDelivery(delivery, company, { turn, as }));
    const replaces = route === "PUT /state" || route === "PUT /snapshots/:id";
    const resetTo = replaces ? company?.now() : undefined;
    const frozen = {
      mode: "frozen",
      now: isObject(body) && isObject(body["clock"]) ? body["clock"]["now"] : undefined,
    };
    const sent = route === "PUT /state" && isObject(body) ? { ...body, clock: frozen } : body;
    add({ ...describeCall(call), as, at, body: sent, ...(resetTo === undefined ? {} : { resetTo }) });
    if (replaces && company !== undefined) lookUpRules(company, as);
    const isRuled = delivery !== undefined && (delivery.effect !== null || delivery.copy > 0);
    if (delivery !== undefined) keep({ ...describeWebhook(delivery), turn, at: undefined, as, isRuled });
  };
  const resetOne = (companyId: string, turn: number): void => {
    const as = nameOf(companyId);
    const plain = { kind: "request", method: "POST", path: "/_sandbox/reset", body: undefined, status: 200 } as const;
    add({ ...plain, turn, at: undefined, as, ids: [], resetTo: "start" });
    const company = sandbox.findCompany(companyId);
    if (company !== undefined) lookUpRules(company, as);
  };
  const onChanged = (company: Company, changes: readonly Change[]): void => {
    if (changes.length === 0 || isIgnored(company.id)) return;
    const isRuled = isUnderDeliveryRule(company, changes);
    for (const change of changes) {
      if (!isChangeOf(company.world.deliveries, change) || change.before !== undefined || change.after === undefined)
        continue;
      const { body, createdAt } = change.after;
      const turn = sandbox.takeTurn();
      bytes += body.length;
      keep({ ...describeWebhook(change.after), turn, at: createdAt, as: nameOf(company.id), isRuled });
    }
  };
  const stops = [
    events.on("exchange", ({ exchange }) => onExchange(exchange)),
    events.on("controlled", onControlled),
    events.on("changed", ({ company, changes }) => onChanged(company, changes)),
    events.on("forgets", ({ company, reset }) => void (reset || names.delete(company.id))),
  ];
  /** Without the secret another body may be accepted, or refused for another reason. */
  const isRefusedWithSecret = (item: Recorded): boolean =>
    item.kind === "request" && item.isRefused === true && isRedacted(item, redactor);
  /** What is left out. */
  const notes = (withSecret = items.filter(isRefusedWithSecret).length): readonly string[] => [
    ...(leftOut === 0 ? [] : [`It has reached its limit: the last ${leftOut} request(s) are left out.`]),
    ...(unreadable === 0 ? [] : [`${unreadable} request(s) are left out, because their bodies could not be read.`]),
    ...(withSecret === 0 ? [] : [`${withSecret} request(s) are left out, because they were refused and hold secrets.`]),
  ];
  return {
    stop: (): void => stops.forEach((stop) => stop()),
    /** The number of recorded requests. */
    get size() {
      return requests - items.filter(isRefusedWithSecret).length;
    },
    notes,
    /** What a scenario cannot repeat. A recording without it would be another session. */
    problems: (): readonly string[] => problems.map(redactor.text),
    /** The session so far as a scenario file: identifiers become saved variables, webhooks expectations. */
    render(how?: RenderOptions): string {
      const complete: Recording = {
        ...session,
        others,
        notes: notes(),
        items: items.filter((item) => item.turn < fullAt && !isRefusedWithSecret(item)),
      };
      return renderRecording(complete, redactor, how);
    },
  };
}

/** They change nothing that a scenario sees: it has credentials of its own, and opens companies at their first use. */
const ignoredCalls: ReadonlySet<string> = new Set([
  "POST /companies",
  "POST /companies/:id/rotate",
  "POST /sign",
  "DELETE /requests",
  "POST /requests/verify",
  "POST /scenarios/replay",
]);

const clockCalls: ReadonlySet<string> = new Set(["PUT /clock", "POST /clock/advance", "POST /settle"]);

function freeName(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    if (!taken.has(name)) return name;
  }
}

function noteHeaders(match: unknown, names: Set<string>): void {
  const headers = isObject(match) && isObject(match["headers"]) ? match["headers"] : {};
  for (const name of Object.keys(headers)) if (!name.startsWith("$")) names.add(name.toLowerCase());
}

/** The rule may have been used up by the same change. */
function isUnderDeliveryRule({ world }: Company, changes: readonly Change[]): boolean {
  return (
    world.rules.values().some(({ on }) => on === "delivery") ||
    changes.some((change) => isChangeOf(world.rules, change) && change.before?.on === "delivery")
  );
}

function isRedacted({ path, body, rawBody, headers }: RecordedRequest, redactor: Redactor): boolean {
  const sent = { body, rawBody, headers };
  return redactPath(path, redactor) !== path || JSON.stringify(redactor.value(sent)) !== JSON.stringify(sent);
}

interface Owner {
  readonly as: string | undefined;
  readonly ownerId: string;
  readonly ruledHeaders: ReadonlySet<string>;
}

/** It cannot be sent again. */
function isUnreadable({ rawBody, problem }: Exchange): boolean {
  if (problem === "body_too_large") return true;
  return rawBody === undefined && (problem === "malformed_json" || problem === "media_type_unsupported");
}

function describeExchange(exchange: Exchange, { as, ownerId, ruledHeaders }: Owner): RecordedRequest {
  const { turn, operation, company, at, method, path, body, rawBody, status, headers, problem, rule, fault } = exchange;
  const isLost = fault === "reset" || fault === "hang";
  const isWhole = operation !== undefined && fault === undefined && method !== "HEAD";
  const sent: Record<string, string | null> = {};
  for (const name of ruledHeaders) if (headers[name] !== undefined) sent[name] = headers[name];
  if (rawBody !== undefined) {
    sent["content-type"] = headers["content-type"] ?? null;
    if (headers["content-encoding"] !== undefined) sent["content-encoding"] = headers["content-encoding"];
  }
  const named = headers["x-company-id"];
  if (problem === "company_header_missing") sent["x-company-id"] = named ?? null;
  else if (named !== undefined && named !== ownerId) sent["x-company-id"] = named;
  const { authorization } = headers;
  const isBearer = authorization !== undefined && /^bearer +\S+ *$/i.test(authorization);
  if (authorization !== undefined && !isBearer) sent["authorization"] = "none";
  const token = company !== undefined ? undefined : authorization === undefined ? null : "not-a-token";
  const subscribed = operation === "createWebhook" && status < 300 ? subscriptionIn(exchange) : undefined;
  return {
    kind: "request",
    turn,
    at,
    as,
    method,
    path,
    body,
    rawBody,
    ...(token === undefined || sent["authorization"] !== undefined ? {} : { token }),
    headers: sent,
    status: isLost ? undefined : status,
    isRefused: problem !== undefined && rule === undefined,
    ...(isWhole && exchange.answer !== "" ? { answer: exchange.answer } : {}),
    ids: isWhole && status < 300 ? idsIn(operation, exchange.answer) : [],
    ...(subscribed === undefined ? {} : { subscribed }),
  };
}

function subscriptionIn({ answer, body }: Exchange): RecordedRequest["subscribed"] {
  const { id }: Readonly<Record<string, unknown>> = isObject(answer) ? answer : {};
  const { url }: Readonly<Record<string, unknown>> = isObject(body) ? body : {};
  return typeof id === "string" && typeof url === "string" ? { id, url } : undefined;
}

/** The record of a request whose answer did not arrive. */
function lookUpMade(exchange: Exchange, as: string | undefined): RecordedRequest | undefined {
  const { operation, fault, status, answer, turn } = exchange;
  const list =
    operation === "createCharge" ? "charges" : operation === "createTransaction" ? "transactions" : undefined;
  if (list === undefined || fault === undefined || status >= 300 || !isObject(answer)) return undefined;
  return lookUp({ turn, as, path: `/${list}?limit=1`, base: list.slice(0, -1) }, [answer]);
}

interface LookUp {
  readonly turn: number;
  readonly as: string | undefined;
  readonly path: string;
  readonly base: string;
}

/** A list of the control API in which later steps find identifiers. */
function lookUp({ turn, as, path, base }: LookUp, rows: readonly unknown[]): RecordedRequest {
  const ids = idsInList(rows, base);
  const plain = { kind: "request", method: "GET", body: undefined, status: 200 } as const;
  return { ...plain, turn, at: undefined, as, path: `/_sandbox${path}`, ids, isLookup: true };
}

function describeCall({ turn, route, id, body, answer }: ControlCalled) {
  const [method = "", path = ""] = route.split(" ");
  const showsPayment = /^\/(?:charges|transactions)\//.test(path);
  const status = method === "DELETE" ? 204 : /^POST \/(?:rules|snapshots\/:id)$/.test(route) ? 201 : 200;
  return {
    kind: "request" as const,
    turn,
    method,
    path: `/_sandbox${path.replace(":id", () => encodeURIComponent(id))}`,
    body,
    status,
    ...(showsPayment ? { answer } : {}),
    ids: route === "POST /rules" ? idsInList([answer], "rule").map((found) => ({ ...found, path: "id" })) : [],
  };
}

function describeWebhook({ subscriptionId, topic, body }: Delivery) {
  const payload = parseJsonOrText(body);
  const data = isObject(payload) && isObject(payload["data"]) ? payload["data"] : {};
  const named = ["externalId", "reference", "status"].filter((name) => name in data);
  return {
    kind: "webhook" as const,
    subscriptionId,
    topic,
    data: Object.fromEntries(named.map((name) => [name, data[name]])),
  };
}

/** In replays it has another id. */
function lookUpDelivery(
  delivery: Delivery,
  { world }: Company,
  { turn, as }: Pick<LookUp, "turn" | "as">,
): RecordedRequest {
  const { resource, topic } = delivery;
  const same = world.deliveries.values().filter((other) => other.resource === resource && other.topic === topic);
  const query = new URLSearchParams({ resource: shownDeliveryResource(delivery), topic, limit: "1000" });
  return lookUp({ turn, as, path: `/deliveries?${String(query)}`, base: "delivery" }, same);
}
