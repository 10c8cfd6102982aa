import { isObject } from "../../kernel/messages/json.js";
import type { Family } from "../wire/events.js";

/** What `--order` has printed about the order's charge or transfer. */
export interface PrintedOrder {
  readonly family: Family;
  readonly id: string;
  readonly reference: string | undefined;
  readonly amount: number | undefined;
  /** Everything by which the application may name the order. */
  readonly names: readonly string[];
  /** Members that its events repeat. */
  readonly members: object;
}

/** Each name is looked for in each text of the state. More ids than these are those of other orders. */
const NAMES_MAX = 100;

const CHARGE_KEYS = /^(charge|payment)(_?id)?$/i;
const TRANSFER_KEYS = /^(transfer|transaction|payout|txn)(_?id)?$/i;
const ID_KEYS = /^(charge|payment|transfer|transaction|payout|txn)_?id$/i;
const REFERENCE_KEYS = ["externalId", "external_id", "externalID", "reference"];

/** Finds the charge or transfer anywhere in what was printed. `family` says which of the two it is; if undefined, the names and members decide. */
export function parsePrintedOrder(state: unknown, family: Family | undefined): PrintedOrder | undefined {
  if (typeof state !== "object") {
    const id = textOf(state);
    return id === undefined ? undefined : render({ id }, id, "", family, state);
  }
  const found = candidatesIn(state).toSorted((one, other) => other.score - one.score)[0];
  return found === undefined ? undefined : render(found.object, found.id, found.key, family, state);
}

interface Candidate {
  readonly object: Readonly<Record<string, unknown>>;
  readonly id: string;
  /** The key of the id, such as `chargeId`; if that is just `id`, the key of the object. */
  readonly key: string;
  readonly score: number;
}

function candidatesIn(value: unknown, key = ""): Candidate[] {
  if (Array.isArray(value)) return value.flatMap((item) => candidatesIn(item, key));
  if (!isObject(value)) return [];
  const nested = Object.entries(value).flatMap(([name, member]) => candidatesIn(member, name));
  const idKey = Object.keys(value).find((name) => ID_KEYS.test(name) && textOf(value[name]) !== undefined);
  const id = textOf(value[idKey ?? "id"]);
  if (id === undefined) return nested;
  const isNamed = CHARGE_KEYS.test(key) || TRANSFER_KEYS.test(key) || idKey !== undefined;
  const score = (isNamed ? 4 : 0) + (referenceOf(value) === undefined ? 0 : 2) + ("status" in value ? 1 : 0);
  return [{ object: value, id, key: idKey ?? key, score }, ...nested];
}

function render(
  object: Readonly<Record<string, unknown>>,
  id: string,
  key: string,
  family: Family | undefined,
  whole: unknown,
): PrintedOrder {
  const { amount, description, metadata, msisdn } = object;
  // PHP prints an empty map as a list.
  const isMetadata = isObject(metadata) || (Array.isArray(metadata) && metadata.length === 0);
  const reference = referenceOf(object);
  return {
    family: family ?? (isTransfer(object, id, key) ? "transfer" : "charge"),
    id,
    reference,
    amount: typeof amount === "number" && Number.isSafeInteger(amount) && amount > 0 ? amount : undefined,
    names: [...new Set([id, reference ?? id, ...idsIn(object), ...idsIn(whole)])].slice(0, NAMES_MAX),
    members: {
      ...(typeof description === "string" ? { description } : {}),
      ...(isMetadata ? { metadata: isObject(metadata) ? metadata : {} } : {}),
      ...(typeof msisdn === "string" ? { msisdn } : {}),
    },
  };
}

function isTransfer(object: Readonly<Record<string, unknown>>, id: string, key: string): boolean {
  if (CHARGE_KEYS.test(key) || "externalId" in object || "external_id" in object || "paymentUrl" in object)
    return false;
  return id.startsWith("txn_") || TRANSFER_KEYS.test(key) || "msisdn" in object || "reference" in object;
}

function referenceOf(object: Readonly<Record<string, unknown>>): string | undefined {
  return REFERENCE_KEYS.map((key) => textOf(object[key])).find((text) => text !== undefined);
}

/** The application's own names for the order, such as its number. */
function idsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const text = textOf(member);
    return text !== undefined && /(^|_)(id|ref|reference|number|no|code)$|(Id|Ref|Number|Reference)$/.test(key)
      ? [text]
      : idsIn(member);
  });
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
