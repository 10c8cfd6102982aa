import * as z from "zod";
import { messagesOf } from "../contract/parse.js";
import { anyText, listOf, object, word } from "../kernel/fields.js";
import { jsonBytes, valueBytes } from "../kernel/messages/json.js";
import { messageOf, UsageError } from "../kernel/messages/problem.js";
import { quote } from "../kernel/messages/text.js";
import { createIdSource } from "../kernel/records/ids.js";
import { type Row, Table } from "../kernel/records/table.js";
import type { Company } from "./company/company.js";
import type { ReleaseGate } from "./company/release-gate.js";
import type { Sandbox } from "./sandbox.js";
import { checkCompany } from "./state/check-company.js";
import type { Identity, StoredCompany } from "./state/company-record.js";
import { STATE_BYTES_MAX, STATE_VALUE_BYTES_MAX } from "./state/state.js";
import { companyEntries, createStoreFormat } from "./state/store-format.js";

/** An export holds everything durable of a company, as the entries that a store keeps. */
const EXPORT_VERSION = 1;
const exported = object({
  exportVersion: z.literal(EXPORT_VERSION, { error: `must be ${EXPORT_VERSION}` }),
  companyId: anyText(),
  entries: listOf(z.tuple([word(["company", "rows", "snapshot"]), anyText()], z.unknown())),
});

interface Exported extends Omit<z.output<typeof exported>, "entries"> {
  readonly entries: ReturnType<typeof companyEntries>;
}

/**
 * `closes`: the company is closed here in the same step, so that nothing is acknowledged that the export lacks. A company that was closed can be exported
 * again. Throws UsageError("not-found") when there is no such company, and UsageError("state") when the export is too large.
 */
export function exportCompany(sandbox: Sandbox, id: string, closes: boolean): Exported {
  const stored = sandbox.store.data.companies.get(id);
  if (stored === undefined) throw new UsageError("not-found", `No company has the id ${quote(id)}.`);
  const company = sandbox.findCompany(id);
  if (company !== undefined) stored.record.clock = company.clock.save();
  const { closings: before = [] } = stored.record;
  const closings = closes && company !== undefined ? [...before, createIdSource(undefined, id).uuid()] : before;
  const entries = companyEntries({ ...stored.record, moving: undefined, closings }, stored.setup, false);
  const made = { exportVersion: EXPORT_VERSION, companyId: id, entries } as const;
  const problem = isTooLarge(made) ? TOO_LARGE : hasTooManyValues(made) ? TOO_MANY_VALUES : undefined;
  if (problem !== undefined) throw new UsageError("state", `Failed to export the company: ${problem}.`);
  if (closes && company !== undefined) sandbox.closeForMove(company, closings);
  return made;
}

interface ClosedCompany extends Row {
  readonly identity: Identity;
}

const TOO_LARGE = `it has more than ${STATE_BYTES_MAX} bytes. Remove snapshots, or reset it`;

const TOO_MANY_VALUES =
  "its metadata has so many short values that no import would take it. Remove snapshots, or reset it";

function isTooLarge(value: unknown): boolean {
  return jsonBytes(value, STATE_BYTES_MAX) > STATE_BYTES_MAX;
}

/** Whether an import would refuse the export for the memory that it takes. A company that is closed by then could be opened nowhere. */
function hasTooManyValues(exported: Exported): boolean {
  return valueBytes(Buffer.from(JSON.stringify(exported))) > STATE_VALUE_BYTES_MAX;
}

/** The companies that were closed to be moved and are not removed yet. */
export function closedCompanies({ store }: Sandbox): Table<ClosedCompany> {
  const closed = new Table<ClosedCompany>("closed companies");
  for (const [id, { record }] of store.data.companies)
    if (record.moving) closed.set({ id, seq: closed.size + 1, identity: record.identity });
  return closed;
}

/**
 * Throws UsageError("input") when `given` is not an export, UsageError("state") when the id or a token is taken here, or when the company was closed here
 * after the export, and StoreUnavailable when it cannot be stored here. Then it is not open here, and may be used further where it was.
 */
export async function importCompany(sandbox: Sandbox, id: string, given: unknown, gate: ReleaseGate): Promise<Company> {
  const stored = readExport(id, given, sandbox);
  const here = sandbox.store.data.companies.get(id)?.record;
  const closing = here?.closings?.at(-1);
  if (here?.moving && closing !== undefined && !stored.record.closings?.includes(closing)) {
    const why = "it was exported before the one here was closed. Export that one again, or remove it first.";
    throw new UsageError("state", `Failed to import the company ${quote(id)}: ${why}`);
  }
  const company = sandbox.adopt(stored, gate);
  try {
    await sandbox.store.durable();
  } catch (error) {
    // The company will be used where it was, and must not be open in two places.
    const open = sandbox.findCompany(id);
    if (open !== undefined && here?.moving) sandbox.closeForMove(open, open.record.closings);
    else if (open !== undefined) sandbox.remove(open);
    throw error;
  }
  return company;
}

function readExport(id: string, given: unknown, { system }: Sandbox): StoredCompany {
  const parsed = exported.safeParse(given);
  if (!parsed.success) throw new UsageError("input", messagesOf(parsed.error.issues, given, "body"));
  const { companyId, entries } = parsed.data;
  if (isTooLarge(entries)) throw wrongExport(TOO_LARGE);
  const format = createStoreFormat(system);
  const data = format.createEmpty();
  for (const [index, entry] of entries.entries()) {
    try {
      format.apply(data, entry);
    } catch (error) {
      throw wrongExport(`entries[${index}]: ${messageOf(error)}`);
    }
  }
  const stored = data.companies.get(id);
  if (stored === undefined || companyId !== id || data.companies.size > 1)
    throw wrongExport(`it must be of ${quote(id)} alone`);
  const [problem] = checkCompany(id, stored, system);
  if (problem !== undefined) throw wrongExport(problem);
  // The replay that opened the company does not go on here, so the company must not end with it.
  const { ofScenario: _, ...setup } = stored.setup;
  return { ...stored, setup };
}

function wrongExport(why: string): UsageError {
  return new UsageError("input", `Failed to import the company: ${why}.`);
}
