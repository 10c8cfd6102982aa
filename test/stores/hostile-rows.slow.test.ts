import { expect, it } from "vitest";
import { createMemoryStore, type StoreEntry } from "../../src/adapters/store/store.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { fromXof } from "../../src/domain/values/money.js";
import { setupFor } from "../../src/sandbox/config/options.js";
import type { CompanySetup } from "../../src/sandbox/state/fixture.js";
import { createStoredSandbox, createStoreFormat } from "../../src/sandbox/state/store-format.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { createScriptedTransport } from "../support/scripted-transport.js";
import { createWorld, type LooseJson, WORLD_START } from "../support/world.js";

const format = createStoreFormat(systemClock);

/** The entries of a store that has records of every kind. */
async function createEntries(): Promise<readonly StoreEntry[]> {
  const data = createStoredSandbox();
  const transport = createScriptedTransport((_, index) => (index % 2 === 0 ? 500 : 200));
  const world = createWorld({ store: createMemoryStore(data), transport });
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
  const entries = structuredClone(format.dump(data));
  await world.close();
  return JSON.parse(JSON.stringify(entries)) as readonly StoreEntry[];
}

function problemsOf(entries: readonly StoreEntry[]): readonly string[] {
  const data = format.createEmpty();
  try {
    for (const entry of entries) format.apply(data, structuredClone(entry));
  } catch (error) {
    return [String(error)];
  }
  return format.check?.(data) ?? [];
}

/** The entries of a company with a setup that has everything, and with a snapshot. */
async function createSetupEntries(): Promise<readonly StoreEntry[]> {
  const data = createStoredSandbox();
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
  const world = createWorld({ store: createMemoryStore(data), companies: [setup] });
  await world.control("POST", "/snapshots/before");
  const entries = JSON.stringify(format.dump(data));
  await world.close();
  return JSON.parse(entries) as readonly StoreEntry[];
}

/** Each member of an object and of what it contains: its path, and the object that it is in. */
function* membersOf(value: LooseJson, path = ""): Generator<readonly [path: string, owner: LooseJson, key: string]> {
  for (const key of Object.keys(value)) {
    const name = `${path}.${Array.isArray(value) ? "" : key}`;
    yield [name, value, key];
    if (typeof value[key] === "object" && value[key] !== null) yield* membersOf(value[key], name);
  }
}

it("a stored record of which any member has another type is refused", async () => {
  const entries = await createEntries();
  expect(problemsOf(entries)).toEqual([]);
  const tables = new Set<string>();
  const accepted = new Set<string>();
  for (const [kind, , table, rows] of entries as LooseJson[]) {
    if (kind !== "rows") continue;
    tables.add(table);
    for (const [path, owner, key] of membersOf(rows)) {
      const before = owner[key];
      owner[key] = typeof before === "number" ? "x" : -0.5;
      if (problemsOf(entries).length === 0) accepted.add(table + path);
      owner[key] = before;
    }
  }
  expect([...tables]).toHaveLength(13);
  // A rule may match anything.
  expect([...accepted]).toEqual(["rules..match.amount", "rules..match.data", "rules..match.data.amount"]);
});

it("a company's setup and a snapshot of which any member has another type are refused", async () => {
  const entries = await createSetupEntries();
  expect(problemsOf(entries)).toEqual([]);
  const accepted = new Set<string>();
  let tried = 0;
  for (const [kind, , content] of entries as LooseJson[]) {
    if (kind === "rows") continue;
    for (const [path, owner, key] of membersOf(content)) {
      const before = owner[key];
      owner[key] = typeof before === "number" ? "x" : -0.5;
      if (problemsOf(entries).length === 0) accepted.add(kind + path);
      owner[key] = before;
      tried++;
    }
  }
  expect(tried).toBeGreaterThan(50);
  // Metadata may be anything.
  expect([...accepted]).toEqual(["company.setup.fixtures..charges..metadata.size"]);
});
