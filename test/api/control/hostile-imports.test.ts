import { expect, it } from "vitest";
import { chargeRequest } from "../../support/requests.js";
import { type LooseJson, openWorld } from "../../support/world.js";

/** Changes the company's own entry, which is the first. */
const headWith =
  (change: object) =>
  ([[kind, id, head, keepsSnapshots], ...rest]: LooseJson): LooseJson => [
    [kind, id, { ...head, ...change }, keepsSnapshots],
    ...rest,
  ];

/** Adds an entry that replaces the first charge. */
const chargeWith =
  (change: object) =>
  (entries: LooseJson): LooseJson => {
    const [kind, id, table, [charge]] = entries.find(([, , name]: LooseJson) => name === "charges");
    return [...entries, [kind, id, table, [{ ...charge, ...change }]]];
  };

/** Changes the rows of the first charge, of which there is one. */
const chargesWith =
  (change: (charge: LooseJson, lastSeq: number) => LooseJson[]) =>
  (entries: LooseJson): LooseJson =>
    entries.flatMap(([kind, id, table, rows]: LooseJson) =>
      table === "charges" ? [[kind, id, table, change(rows[0], entries[0][2].seq)]] : [[kind, id, table, rows]],
    );

const setupWith =
  (change: object) =>
  ([first, ...rest]: LooseJson): LooseJson =>
    headWith({ setup: { ...first[2].setup, ...change } })([first, ...rest]);

it.each([
  [
    "a clock at the end of time",
    headWith({ clock: { mode: "frozen", at: 8.64e15 } }),
    "its clock cannot be at 8640000000000000",
  ],
  [
    "a running clock without a time",
    headWith({ clock: { mode: "running", offsetMs: 1e300 } }),
    "its clock cannot be at 1e+300",
  ],
  [
    "a clock that went wrong by ages",
    headWith({ clock: { mode: "running", offsetMs: Number.MIN_SAFE_INTEGER } }),
    "its clock cannot be at -9007199254740991",
  ],
  ["a clock of no mode", headWith({ clock: { mode: "stopped", offsetMs: 5 } }), "its clock must be running or frozen"],
  ["no clock", headWith({ clock: null }), "its clock must be running or frozen"],
  [
    "money that does not hold together",
    chargeWith({ paid: 50_000 }),
    "charges[0].paid must be 0 when the status is due, got 5",
  ],
  [
    "an invalid token",
    headWith({ identity: { id: "company_sandbox", tokens: [5], secretKey: "s" } }),
    "identity.tokens[0] must be",
  ],
  ["an unknown setting", headWith({ overrides: { odd: 1 } }), "overrides: "],
  [
    "a position that cannot be counted on",
    headWith({ idPosition: 2 ** 53 }),
    "idPosition must be a whole number from 0",
  ],
  ["a sequence that cannot be counted on", headWith({ seq: 0.5 }), "seq must be a whole number from 0"],
  ["a sequence without room to count on", headWith({ seq: 2e14 }), "seq must be a whole number from 0"],
  ["a position without room to count on", headWith({ idPosition: 2e14 }), "idPosition must be a whole number from 0"],
  ["a company that would be closed after a restart", headWith({ moving: true }), "moving must not be given"],
  [
    "a record with text for a number",
    chargeWith({ amount: "5" }),
    'charges[0].amount must be a whole number of ten-thousandths of XOF, got "5"',
  ],
  ["a record with a member too many", chargeWith({ odd: 1 }), 'charges[0] has no "odd"'],
  ["a record that lacks a member", chargeWith({ description: undefined }), "charges[0].description must be"],
  [
    "a record that another one with the same place hides",
    chargesWith((charge) => [{ ...charge, id: "hidden", externalId: "hidden", paid: 50_000 }, charge]),
    "charges: several records have the same seq",
  ],
  [
    "a record that is hidden behind its earlier form",
    chargesWith((charge, seq) => [
      charge,
      { ...charge, seq, paid: 50_000 },
      { ...charge, seq, id: "other", externalId: "other", status: "dropped", droppedReason: "late" },
    ]),
    "charges: several records have the same seq",
  ],
  [
    "two snapshots of the same place",
    (entries: LooseJson) => [
      ...entries,
      ...["one", "two"].map((id) => [
        "snapshot",
        "company_sandbox",
        { id, seq: 1, savedAt: 0, now: 0, json: "{}", bytes: 2 },
      ]),
    ],
    "snapshots: several records have the same seq",
  ],
  [
    "a setup that cannot be used",
    setupWith({ balance: "5" }),
    'a reset is not possible: balance must be a whole number of ten-thousandths of XOF, got "5"',
  ],
  [
    "a setup whose fixtures are refused",
    setupWith({
      fixtures: [{ charges: [], transactions: [], customers: [], subscriptions: [{ topic: "odd", url: 5 }] }],
    }),
    "a reset is not possible: ",
  ],
  ["a setup of another company", setupWith({ id: "other" }), 'a reset is not possible: identity.id must be "company_'],
  [
    "a snapshot of a time that cannot be shown",
    (entries: LooseJson) => [
      ...entries,
      ["snapshot", "company_sandbox", { id: "before", seq: 1, savedAt: 0, now: 2 ** 53 - 1, json: "{}", bytes: 2 }],
    ],
    'snapshot "before": now must be a whole number of milliseconds since 1970',
  ],
  [
    "an invalid snapshot",
    (entries: LooseJson) => [...entries, ["snapshot", "company_sandbox", { id: "before", seq: 1, json: 5 }]],
    'snapshot "before": savedAt must be',
  ],
])("an export with %s is refused, and changes nothing", async (_, change, message) => {
  const source = openWorld();
  await source.api("POST", "/v1/charges", chargeRequest());
  const { entries, ...file } = (await source.control("POST", "/companies/company_sandbox/export", {})).body;
  const target = openWorld();
  await target.control("POST", "/companies", { companyId: "company_other" });
  await target.control("DELETE", "/companies/company_sandbox");
  const refused = await target.control("PUT", "/companies/company_sandbox", { ...file, entries: change(entries) });
  expect([refused.status, refused.body.message]).toEqual([
    400,
    [expect.stringContaining(`Failed to import the company: ${message}`)],
  ]);
  expect((await target.control("GET", "/companies")).body.count).toBe(1);
  expect((await target.control("PUT", "/companies/company_sandbox", { ...file, entries })).status).toBe(201);
});
