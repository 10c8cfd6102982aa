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
import { anyText, count, keptInstant, listOf, object, sentence, storedInstant, word } from "../../kernel/fields.js";
import { LATEST, toIso } from "../../kernel/time/instant.js";
import { messagesOf } from "../../contract/parse.js";
import type { Row } from "../../kernel/records/table.js";
import type { CompanyRecord } from "./company-record.js";
import { inMemory } from "./checks/in-memory.js";
import type { Records } from "./checks/records.js";
import { ruleRow } from "./rules.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";

/** Raised when an older state does not say everything, or says it in another way. */
export const STATE_VERSION = 1;

/** In the order in which the records were created, `due` in the order in which it happens. */
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

/** Says what is wrong with the first record that could not be put in with a state. Of the rest nothing is said. */
export type CheckRows = (records: Records) => readonly string[];

/** Its schemas are for many companies: making them takes longer than checking a small one. */
export function createRowsCheck(): CheckRows {
  const checks = stateTables.map((name) => {
    const isStoredForm = name === "rules" || name === "holds";
    return { name, check: isStoredForm ? checkStored(tables[name]) : checkWith(inMemory(tables[name])) };
  });
  return (records) => {
    for (const { name, check } of checks) {
      for (const [index, row] of records[name].entries()) {
        const problems = check(row);
        if (problems.length > 0) return [`${name}[${index}]: ${problems.join("; ")}`];
      }
    }
    return [];
  };
}

function checkWith(list: z.core.$ZodType): (row: Row) => readonly string[] {
  const schema = list instanceof z.ZodArray ? list.element : list;
  return (row) => messagesOf(z.safeParse(schema, row).error?.issues ?? [], row, "it");
}

/** Of a row whose schema only says how it is stored. */
function checkStored(list: z.ZodType): (row: Row) => readonly string[] {
  return (row) => {
    try {
      const { data, error } = list.safeEncode([row]);
      const issues = (error ?? list.safeDecode(data).error)?.issues ?? [];
      const ofRow = issues.map((issue) => ({ ...issue, path: issue.path.slice(1) }));
      return messagesOf(ofRow, row, "it");
    } catch (error) {
      // It lacks what its stored form is made from.
      return [error instanceof Error ? error.message : String(error)];
    }
  };
}

const overrides = z.custom<ProfileOverrides>().superRefine((given, context) => {
  const parsed = parseProfile(given ?? null);
  if (!parsed.ok) for (const { message } of parsed.problems) sentence(context, message);
});

const token = object({ token: anyText(), expiresAt: keptInstant.nullable() });
const head = z.object({
  identity: object({ id: anyText(), tokens: listOf(token), secretKey: anyText() }),
  overrides,
  seq: count,
  idPosition: count,
});

/** What is wrong with a company's record, without its clock and its records. */
export function checkHead(
  record: Pick<CompanyRecord, "identity" | "overrides" | "seq" | "idPosition">,
): readonly string[] {
  return messagesOf(head.safeParse(record).error?.issues ?? [], record, "it");
}

const fields = object({
  schemaVersion: z.literal(STATE_VERSION, { error: `must be ${STATE_VERSION}` }),
  /** For information only. */
  companyId: anyText(),
  clock: object({
    mode: word(["running", "frozen"]),
    now: storedInstant.refine((now) => now <= LATEST, { error: `must be at most ${toIso(LATEST)}` }),
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

/** Everything of a company but its identity. */
export type State = { readonly [Field in keyof Fields]: Readonly<Fields[Field]> };

/** Reads a state with `decode` and writes it with `encode`. */
export const stateSchema: z.ZodType<State> = fields;
