import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openFileStore } from "../../src/adapters/store/file-store.js";
import { silentLog } from "../../src/kernel/log.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import type { CompanyRecord } from "../../src/sandbox/state/company-record.js";
import { commitEntry, createStoreFormat, headEntry } from "../../src/sandbox/state/store-format.js";
import { folderWith } from "../support/folder.js";
import { chargeRequest } from "../support/requests.js";
import { createWorld } from "../support/world.js";

function openStore(path: string) {
  return openFileStore({ path, format: createStoreFormat(systemClock), system: systemClock, log: silentLog });
}

async function filesIn(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => !name.endsWith(".lock"));
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")])),
  );
}

/** Changes the first charge. */
const chargeWith = (change: object) => (record: CompanyRecord) => {
  const store = record.world.charges;
  const [before] = store.values();
  if (before === undefined) throw new Error("There is no charge.");
  return commitEntry(record, [{ store, before, after: { ...before, ...change } }], 0);
};

const headWith =
  (change: object) =>
  ({ identity }: CompanyRecord) =>
    headEntry(identity.id, change);

/** As if the company had begun with another setup. */
const withSetup = (change: object) => (record: CompanyRecord) => {
  const { identity, clock, overrides, seq, idPosition } = record;
  const { id, tokens, secretKey } = identity;
  const setup = { id, tokens, secretKey, balance: 0, profile: {}, fixtures: [], ...change };
  return ["company", id, { identity, clock, overrides, seq, idPosition, setup }, false] as const;
};

const clockAt = (clock: CompanyRecord["clock"]) => (record: CompanyRecord) => headEntry(record.identity.id, { clock });

it.each([
  ["a clock at the end of time", clockAt({ mode: "frozen", at: 8.64e15 }), "its clock cannot be at 8640000000000000"],
  ["a running clock without a time", clockAt({ mode: "running", offsetMs: 1e300 }), "its clock cannot be at 1e+300"],
  [
    "a clock that went wrong by ages",
    clockAt({ mode: "running", offsetMs: Number.MIN_SAFE_INTEGER }),
    "its clock cannot be at -9007199254740991",
  ],
  ["a clock of no mode", headWith({ clock: { mode: "stopped", offsetMs: 5 } }), "its clock must be running or frozen"],
  [
    "money that does not hold together",
    chargeWith({ paid: 50_000 }),
    "charges[0].paid must be 0 when the status is due, got 5",
  ],
  [
    "a token that is none",
    headWith({ identity: { id: "company_sandbox", tokens: [5], secretKey: "s" } }),
    "identity.tokens[0] must be",
  ],
  ["a setting that is none", headWith({ overrides: { odd: 1 } }), "overrides: "],
  [
    "a position that cannot be counted on",
    headWith({ idPosition: 2 ** 53 }),
    "idPosition must be a whole number from 0",
  ],
  ["a sequence that cannot be counted on", headWith({ seq: 0.5 }), "seq must be a whole number from 0"],
  [
    "a record with text for a number",
    chargeWith({ amount: "5" }),
    'charges[0]: amount must be a whole number of ten-thousandths of XOF, got "5"',
  ],
  [
    "a setup that cannot be used",
    withSetup({ balance: "5" }),
    'a reset is not possible: balance must be a whole number of ten-thousandths of XOF, got "5"',
  ],
  [
    "a setup whose fixtures are refused",
    withSetup({
      fixtures: [{ charges: [], transactions: [], customers: [], subscriptions: [{ topic: "odd", url: 5 }] }],
    }),
    "a reset is not possible: ",
  ],
  ["no clock", headWith({ clock: null }), "Cannot read properties of null"],
  ["a setup of another company", withSetup({ id: "other" }), 'a reset is not possible: identity.id must be "company_'],
  [
    "a snapshot that is none",
    () => ["snapshot", "company_sandbox", { id: "before", seq: 1, json: 5 }] as const,
    'snapshot "before": savedAt must be',
  ],
  ["a record with a member too many", chargeWith({ odd: 1 }), 'charges[0]: it has no "odd"'],
  ["a record that lacks a member", chargeWith({ description: undefined }), "charges[0]: description must be"],
] as const)("with %s is refused, and left as it is", async (_, entryOf, message) => {
  const folder = await folderWith({});
  const path = join(folder, "store.json");
  const store = await openStore(path);
  const world = createWorld({ store });
  await world.api("POST", "/v1/charges", chargeRequest());
  store.note(entryOf(world.sandbox.defaultCompany.record));
  await world.close();
  const before = await filesIn(folder);
  await expect(openStore(path)).rejects.toMatchObject({
    kind: "file",
    message: expect.stringContaining(`the store is damaged: in the company "company_sandbox", ${message}`),
  });
  expect(await filesIn(folder)).toEqual(before);
});
