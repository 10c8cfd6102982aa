import * as z from "zod";
import { accountRow, ledgerRow } from "../../domain/model/account.js";
import { chargeRow, paymentRow } from "../../domain/model/charge.js";
import { customerRow } from "../../domain/model/customer.js";
import { deliveryRow, holdRow } from "../../domain/model/delivery.js";
import { eventRow } from "../../domain/model/events.js";
import { subscriptionRow } from "../../domain/model/subscription.js";
import { batchRow, transferRow } from "../../domain/model/transfer.js";
import { dueRow } from "../../domain/model/work.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import { anyText, count, keptTimer, listOf, object, sentence, storedInstant, word } from "../../kernel/fields.js";
import { messagesOf } from "../../contract/parse.js";
import type { Row } from "../../kernel/records/table.js";
import type { CompanyRecord } from "./company-record.js";
import type { Records } from "./checks/records.js";
import { ruleRow } from "./rules.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";

/** Raise it when older states lack something, or have it in another form. */
export const STATE_VERSION = 1;

/** Records in the order in which they were created, except `due`, which is in the order in which it fires. */
const tables = {
  accounts: listOf(accountRow),
  ledger: listOf(ledgerRow),
  customers: listOf(customerRow),
  charges: listOf(chargeRow),
  transactions: listOf(transferRow),
  batches: listOf(batchRow),
  subscriptions: listOf(subscriptionRow),
  deliveries: listOf(deliveryRow),
  events: listOf(eventRow),
  rules: listOf(ruleRow),
  payments: listOf(paymentRow),
  holds: listOf(holdRow),
  due: listOf(dueRow),
};

export type StateTable = keyof typeof tables;
export const stateTables = Object.keys(tables) as readonly StateTable[];

/** What is wrong with the records of the first table that does not fit the schema of a state. */
export function checkRows(records: Records): readonly string[] {
  for (const name of stateTables) {
    const problems = checkTable(name, records[name]);
    if (problems.length > 0) return problems;
  }
  return [];
}

function checkTable(name: StateTable, rows: readonly Row[]): readonly string[] {
  const table: z.ZodType = tables[name];
  const { data: stored, error } = table.safeEncode(rows);
  const issues = (error ?? table.safeDecode(stored).error)?.issues ?? [];
  const ofTable = issues.map((issue) => ({ ...issue, path: [name, ...issue.path] }));
  return messagesOf(ofTable, { [name]: stored ?? rows }, "it");
}

const overrides = z.custom<ProfileOverrides>().superRefine((given, context) => {
  const parsed = parseProfile(given ?? null);
  if (!parsed.ok) for (const { message } of parsed.problems) sentence(context, message);
});

const token = object({ token: anyText(), expiresAt: keptTimer.nullable() });
const head = z.object({
  identity: object({ id: anyText(), tokens: listOf(token), secretKey: anyText() }),
  overrides,
  seq: count,
  idPosition: count,
  closings: listOf(anyText()).optional(),
  /** An export opens a company again. */
  moving: z.undefined({ error: "must not be given" }).optional(),
});

/** What is wrong with a company's record, without its clock and its records. */
export function checkHead(
  record: Pick<CompanyRecord, "identity" | "overrides" | "seq" | "idPosition" | "closings" | "moving">,
): readonly string[] {
  return messagesOf(head.safeParse(record).error?.issues ?? [], record, "it");
}

const fields = object({
  schemaVersion: z.literal(STATE_VERSION, { error: `must be ${STATE_VERSION}` }),
  /** For information only. */
  companyId: anyText(),
  clock: object({
    mode: word(["running", "frozen"]),
    now: storedInstant,
  }),
  /** Settings that differ from the defaults. */
  profile: overrides,
  /** The `seq` of the newest record. */
  seq: count,
  /** The position in the seeded stream of ids. */
  idPosition: count,
  ...tables,
});

type Fields = z.output<typeof fields>;

/** Everything of a company except its identity. */
export type State = { readonly [Field in keyof Fields]: Readonly<Fields[Field]> };

/** Reads a state with `decode` and writes it with `encode`. */
export const stateSchema: z.ZodType<State> = fields;
