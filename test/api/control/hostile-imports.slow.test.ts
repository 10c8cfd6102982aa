import { expect, it } from "vitest";
import { fromXof } from "../../../src/domain/values/money.js";
import { setupFor } from "../../../src/sandbox/config/options.js";
import type { CompanySetup } from "../../../src/sandbox/state/fixture.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { createScriptedTransport } from "../../support/scripted-transport.js";
import { type LooseJson, openWorld, type TestWorld, WORLD_START } from "../../support/world.js";

/** The export of a company that has records of every kind. */
async function exportRecords(): Promise<LooseJson> {
  const transport = createScriptedTransport((_, index) => (index % 2 === 0 ? 500 : 200));
  const world = openWorld({ transport });
  const { api, control } = world;
  await control("PUT", "/customers/+2250700000010", { firstName: "Awa", lastName: "Koné" });
  for (const topic of ["charges/events", "transactions/failed"])
    await api("POST", "/v1/webhooks", { topic, url: "http://shop.test/hook" });
  for (const rule of [
    { on: "payment", match: { amount: 700 }, then: { outcome: "paid", after: "10m" } },
    { on: "transfer", match: { amount: 7000 }, then: { outcome: "failed", reason: "odd", after: "1h" } },
    { on: "delivery", match: { data: { amount: 900 } }, then: { reverse: true } },
  ])
    await control("POST", "/rules", rule);
  for (const amount of [700, 800, 900]) {
    const { id } = (await api("POST", "/v1/charges", chargeRequest({ amount }))).body;
    await api("POST", `/v1/charges/${id}/pay`, { msisdn: "+2250700000001" });
    if (amount === 800) await api("POST", `/v1/charges/${id}/refund`, { amount: 100 });
  }
  for (const amount of [5050, 7000]) await api("POST", "/v1/transactions", transferRequest({ amount }));
  await api("POST", "/v1/transactions/batch", { transactions: [transferRequest()] });
  await control("POST", "/settle");
  return (await control("POST", "/companies/company_sandbox/export", {})).body;
}

/** A sandbox that has no company of the given id. */
async function openTarget(): Promise<TestWorld> {
  const target = openWorld();
  await target.control("POST", "/companies", { companyId: "company_other" });
  await target.control("DELETE", "/companies/company_sandbox");
  return target;
}

/** Whether the target accepts the export. Removes the company afterwards. */
async function isTaken({ control }: TestWorld, file: LooseJson): Promise<boolean> {
  const company = `/companies/${file.companyId}`;
  const { status } = await control("PUT", company, file);
  expect([201, 400]).toContain(status);
  if (status === 201) await control("DELETE", company);
  return status === 201;
}

/** The export of a company with a setup that has everything, and with a snapshot. */
async function exportSetup(): Promise<LooseJson> {
  const setup: CompanySetup = {
    ...setupFor("at_shop"),
    balance: fromXof(5000),
    frozenAt: Date.parse(WORLD_START),
    profile: { webhooks: { timeout: "1s" } },
    fixtures: [
      {
        customers: [{ msisdn: "+2250700000010", firstName: "Awa", lastName: "Koné", kycStatus: "complete" }],
        charges: [
          {
            externalId: "order-1",
            amount: fromXof(5000),
            description: "Shoes",
            status: "paid",
            msisdn: "+2250700000011",
            createdAt: { beforeStartMs: 60_000 },
            onCompletedRedirectionUrl: "https://shop.test/yes",
            onCanceledRedirectionUrl: "https://shop.test/no",
            metadata: { size: 42 },
          },
        ],
        transactions: [
          {
            msisdn: "+2250700000012",
            amount: fromXof(5000),
            reference: "salary-1",
            status: "failed",
            failureReason: "odd",
          },
        ],
        subscriptions: [{ topic: "charges/events", url: "http://shop.test/hook" }],
      },
    ],
    rules: [{ name: "slow", on: "request", match: { path: "/v1/charges" }, then: { delayMs: 1 }, times: 3 }],
  };
  const { control } = openWorld({ companies: [setup] });
  await control("POST", "/snapshots/before");
  return (await control("POST", `/companies/${setup.id}/export`, {})).body;
}

/** Each member of an object and of what it contains: its path, and the object that it is in. */
function* membersOf(value: LooseJson, path = ""): Generator<readonly [path: string, owner: LooseJson, key: string]> {
  for (const key of Object.keys(value)) {
    const name = `${path}.${Array.isArray(value) ? "" : key}`;
    yield [name, value, key];
    if (typeof value[key] === "object" && value[key] !== null) yield* membersOf(value[key], name);
  }
}

it("an export with a record of which any member has another type is refused", async () => {
  const file = await exportRecords();
  const target = await openTarget();
  expect(await isTaken(target, file)).toBe(true);
  const tables = new Set<string>();
  const accepted = new Set<string>();
  for (const [kind, , table, rows] of file.entries) {
    if (kind !== "rows") continue;
    tables.add(table);
    for (const [path, owner, key] of membersOf(rows)) {
      const before = owner[key];
      owner[key] = typeof before === "number" ? "x" : -0.5;
      if (await isTaken(target, file)) accepted.add(table + path);
      owner[key] = before;
    }
  }
  expect([...tables]).toHaveLength(13);
  // A rule may match anything.
  expect([...accepted]).toEqual(["rules..match.amount", "rules..match.data", "rules..match.data.amount"]);
});

it("an export with a record that lacks any member is refused, or its company can be used", async () => {
  const file = await exportRecords();
  const target = await openTarget();
  const { api, control } = target;
  let tried = 0;
  const accepted = new Set<string>();
  for (const [kind, , table, rows] of file.entries) {
    if (kind !== "rows") continue;
    for (const [path, owner, key] of membersOf(rows)) {
      if (Array.isArray(owner)) continue;
      const { [key]: before } = owner;
      delete owner[key];
      const { status } = await control("PUT", "/companies/company_sandbox", file);
      if (status === 201) {
        accepted.add(table + path);
        const statuses = [
          await api("GET", "/v1/balance"),
          await api("POST", "/v1/charges", chargeRequest()),
          await control("GET", "/coverage?company=company_sandbox"),
          await control("GET", "/state?company=company_sandbox"),
        ].map((answer) => answer.status);
        expect(statuses, table + path).toEqual([200, 201, 200, 200]);
        await control("DELETE", "/companies/company_sandbox");
      } else expect(status, table + path).toBe(400);
      owner[key] = before;
      tried++;
    }
  }
  expect(tried).toBeGreaterThan(100);
  expect([...accepted]).toEqual(expect.arrayContaining(["rules..match", "rules..name"]));
});

it("an export with a setup or a snapshot of which any member has another type is refused", async () => {
  const file = await exportSetup();
  const target = await openTarget();
  expect(await isTaken(target, file)).toBe(true);
  const accepted = new Set<string>();
  let tried = 0;
  for (const [kind, , content] of file.entries) {
    if (kind === "rows") continue;
    for (const [path, owner, key] of membersOf(content)) {
      const before = owner[key];
      owner[key] = typeof before === "number" ? "x" : -0.5;
      if (await isTaken(target, file)) accepted.add(kind + path);
      owner[key] = before;
      tried++;
    }
  }
  expect(tried).toBeGreaterThan(50);
  // Metadata may be anything.
  expect([...accepted]).toEqual(["company.setup.fixtures..charges..metadata.size"]);
});

it("a company whose setup has a rule without a name or a match can be used after a reset", async () => {
  const file = await exportSetup();
  const [, , { setup }] = file.entries[0];
  const [rule] = setup.rules;
  delete rule.name;
  delete rule.match;
  const { control } = await openTarget();
  expect((await control("PUT", `/companies/${file.companyId}`, file)).status).toBe(201);
  expect((await control("POST", `/reset?company=${file.companyId}`)).status).toBe(200);
  const { status, body } = await control("GET", `/rules?company=${file.companyId}`);
  expect([status, body.data]).toMatchObject([200, [{ name: null, match: {} }]]);
  expect((await control("GET", `/coverage?company=${file.companyId}`)).status).toBe(200);
});
