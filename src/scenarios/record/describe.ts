import { type Delivery, shownDeliveryResource } from "../../domain/model/delivery.js";
import { transactionId } from "../../domain/values/ids.js";
import { isObject, parseJsonOrText, memberOf } from "../../kernel/messages/json.js";
import type { Company } from "../../sandbox/company/company.js";
import type { Exchange } from "../../sandbox/company/exchange.js";
import type { ControlCalled } from "../../sandbox/sandbox-events.js";
import { idsIn, idsInEvent, idsInList } from "./find-ids.js";
import type { RecordedRequest } from "./recorded.js";

interface Owner {
  readonly as: string | undefined;
  readonly ownerId: string;
  readonly ruledHeaders: ReadonlySet<string>;
  /** Whether the sandbox has a seed, which a replay does not have: it draws other names for customers. */
  readonly isSeeded: boolean;
}

/** Whether the body of a request is not known, so that the request cannot be sent again. */
export function isUnreadable({ rawBody, problem }: Exchange): boolean {
  if (problem === "body_too_large") return true;
  return rawBody === undefined && (problem === "malformed_json" || problem === "media_type_unsupported");
}

export function describeExchange(exchange: Exchange, owner: Owner): RecordedRequest {
  const { turn, operation, method, path, body, rawBody, status, problem, rule, fault } = exchange;
  const answer = owner.isSeeded && operation === "checkCustomer" ? withoutNames(exchange.answer) : exchange.answer;
  const isLost = fault === "reset" || fault === "hang";
  const isWhole = operation !== undefined && fault === undefined && method !== "HEAD";
  const subscribed = operation === "createWebhook" && status < 300 ? subscriptionIn(exchange) : undefined;
  const headers = sentHeaders(exchange, owner);
  return {
    kind: "request",
    turn,
    // With tenancy, a request with an unknown token has the time of the machine.
    at: exchange.company === undefined ? undefined : exchange.at,
    as: owner.as,
    method,
    path,
    body,
    rawBody,
    ...(headers["authorization"] === undefined ? sentToken(exchange) : {}),
    headers,
    status: isLost ? undefined : status,
    isRefused: problem !== undefined && rule === undefined,
    ...(isWhole && answer !== "" ? { answer } : {}),
    ids: isWhole && status < 300 ? idsIn(operation, answer) : [],
    ...(subscribed === undefined ? {} : { subscribed }),
  };
}

function withoutNames(answer: unknown): unknown {
  if (!isObject(answer)) return answer;
  return Object.fromEntries(Object.entries(answer).filter(([name]) => name !== "firstName" && name !== "lastName"));
}

/** The token of a request that belonged to no company; null when the request had none. */
function sentToken({ company, headers }: Exchange): Pick<RecordedRequest, "token"> {
  if (company !== undefined) return {};
  return { token: headers["authorization"] === undefined ? null : "not-a-token" };
}

/** The headers that differ from those that a replay sends by itself. Null stands for a header that was not sent. */
function sentHeaders(exchange: Exchange, { ownerId, ruledHeaders }: Owner): Record<string, string | null> {
  const { headers, rawBody, problem } = exchange;
  const sent: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(headers)) if (ruledHeaders.has(name)) sent[name] = value;
  if (rawBody !== undefined) {
    sent["content-type"] = headers["content-type"] ?? null;
    if (headers["content-encoding"] !== undefined) sent["content-encoding"] = headers["content-encoding"];
  }
  const named = headers["x-company-id"];
  if (problem === "company_header_missing") sent["x-company-id"] = named ?? null;
  else if (named !== undefined && named !== ownerId) sent["x-company-id"] = named;
  const { authorization } = headers;
  if (authorization !== undefined && !/^bearer +\S+ *$/i.test(authorization)) sent["authorization"] = "none";
  return sent;
}

function subscriptionIn({ answer, body }: Exchange): RecordedRequest["subscribed"] {
  const [id, url] = [memberOf(answer, "id"), memberOf(body, "url")];
  return typeof id === "string" && typeof url === "string" ? { id, url } : undefined;
}

/** The most rows of a list of the control API. */
const ROWS_MAX = 1000;

/** Looks up what a request made whose answer a rule lost or replaced. */
export function lookUpMade(
  { company, rule, fault, status, made: { from, to }, turn }: Exchange,
  as: string | undefined,
) {
  if (company === undefined || rule === undefined || from === to || (fault === undefined && status < 300))
    return undefined;
  const { world } = company;
  const charges = world.charges.within(from, to).map(({ id }) => ({ id }));
  const transfers = world.transfers.within(from, to).map(({ id }) => ({ id: transactionId(id) }));
  const [base, made] = charges.length > 0 ? ["charge", charges] : ["transaction", transfers];
  // The list has the newest first.
  const rows = made.slice(-ROWS_MAX).toReversed();
  return rows.length === 0 ? undefined : lookUp({ turn, as, path: `/${base}s?limit=${rows.length}`, base }, rows);
}

interface LookUp {
  readonly turn: number;
  readonly as: string | undefined;
  readonly path: string;
  readonly base: string;
}

/** A request for a list of the control API, in which later steps find identifiers. */
export function lookUp({ turn, as, path, base }: LookUp, rows: readonly unknown[]): RecordedRequest {
  const ids = idsInList(rows, base);
  const plain = { kind: "request", method: "GET", body: undefined, status: 200 } as const;
  return { ...plain, turn, at: undefined, as, path: `/_sandbox${path}`, ids, isLookup: true };
}

export function describeCall({ turn, route, id, body, answer }: ControlCalled) {
  const [method = "", path = ""] = route.split(" ");
  const showsPayment = /^\/(?:charges|transactions)\//.test(path);
  const status = method === "DELETE" ? 204 : /^POST \/(?:rules|snapshots\/:id|events)$/.test(route) ? 201 : 200;
  return {
    kind: "request" as const,
    turn,
    method,
    path: `/_sandbox${path.replace(":id", () => encodeURIComponent(id))}`,
    body,
    status,
    ...(showsPayment ? { answer } : {}),
    ids: idsInCall(route, answer),
  };
}

function idsInCall(route: string, answer: unknown): RecordedRequest["ids"] {
  if (route === "POST /events") return idsInEvent(answer);
  return route === "POST /rules" ? idsInList([answer], "rule").map((found) => ({ ...found, path: "id" })) : [];
}

export function describeWebhook({ subscriptionId, topic, body }: Delivery) {
  const payload = parseJsonOrText(body);
  const data = memberOf(payload, "data");
  const named = ["externalId", "reference", "status"].filter((name) => memberOf(data, name) !== undefined);
  return {
    kind: "webhook" as const,
    subscriptionId,
    topic,
    data: Object.fromEntries(named.map((name) => [name, memberOf(data, name)])),
  };
}

/** Looks up a delivery, which has another id in a replay. */
export function lookUpDelivery(
  delivery: Delivery,
  { world }: Company,
  { turn, as }: Pick<LookUp, "turn" | "as">,
): RecordedRequest {
  const { resource, topic } = delivery;
  const same = world.deliveries.values().filter((other) => other.resource === resource && other.topic === topic);
  const query = new URLSearchParams({ resource: shownDeliveryResource(delivery), topic, limit: "1000" });
  return lookUp({ turn, as, path: `/deliveries?${String(query)}`, base: "delivery" }, same);
}
