import { type JsonObject, isObject } from "../../kernel/messages/json.js";

/** The prefix of an id, such as `txn_`; empty when it has none. */
export function prefixOf(id: string): string {
  return /^[a-z]{2,5}_/.exec(id)?.[0] ?? "";
}

/** An id without its prefix: some answers show it, others do not. */
export function plain(id: string): string {
  return id.slice(prefixOf(id).length);
}

/** The plain id of a resource; empty when it shows none. */
export function idOf(resource: unknown): string {
  return isObject(resource) && typeof resource["id"] === "string" ? plain(resource["id"]) : "";
}

/** The plain id in a path such as `/v1/charges/:id/pay`. */
export function idInPath(path: string): string | undefined {
  const id = path.split(/[/?]/)[3];
  return id === undefined ? undefined : plain(id);
}

/** The plain ids of a resource and of the transactions in it. */
export function idsIn(body: unknown): string[] {
  if (!isObject(body)) return [];
  const own = typeof body["id"] === "string" ? [plain(body["id"])] : [];
  return [...own, ...(Array.isArray(body["transactions"]) ? body["transactions"].flatMap(idsIn) : [])];
}

/** The transfers of a batch, or the payments and refunds of a charge. */
export function itemsIn(body: unknown): readonly JsonObject[] {
  return isObject(body) && Array.isArray(body["transactions"]) ? body["transactions"].filter(isObject) : [];
}

/** The transfers of a batch, or the transfer itself. */
export function transfersIn(body: unknown): readonly JsonObject[] {
  if (!isObject(body)) return [];
  return Array.isArray(body["transactions"]) ? itemsIn(body) : [body];
}

/** Identifies the event that a webhook reports: the resource, by what `nameOf` makes of its id, and its new status. */
export function eventOf({ data }: JsonObject, nameOf: (id: string) => string = plain): string {
  return isObject(data) ? `${nameOf(String(data["id"]))} ${String(data["status"])}` : " ";
}

/** Like `eventOf`, with the amount refunded so far: each partial refund is an event, and a service may send each twice. */
export function refundOf(body: JsonObject, nameOf?: (id: string) => string): string {
  return `${eventOf(body, nameOf)} ${isObject(body["data"]) ? String(body["data"]["refunded"]) : ""}`;
}

/** Identifies the event by the caller's name for the order: a service may show another id in webhooks than in answers. */
export function orderOf({ data }: JsonObject): string {
  return isObject(data) ? `${nameOf(data)} ${String(data["status"])} ${String(data["refunded"])}` : " ";
}

/** The caller's name for a charge or a transfer; empty when it shows none. */
export function nameOf({ externalId, reference }: JsonObject): string {
  if (externalId === undefined && reference === undefined) return "";
  return JSON.stringify(externalId === undefined ? { reference } : { externalId });
}
