import { expect, it } from "vitest";
import { hashToSeed } from "../../src/kernel/records/ids.js";
import { useWorlds } from "../support/describe-api.js";
import fc, { runs } from "../support/fast-check.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { createScriptedTransport } from "../support/scripted-transport.js";
import type { TestWorld } from "../support/world.js";

/** One step; `key` makes its request unique. Its answer does not matter here. */
interface Step {
  readonly does: string;
  readonly act: (world: TestWorld, key: string) => Promise<unknown>;
}

const step = (does: string, act: Step["act"]): Step => ({ does, act });
const pick = fc.nat(9);
const xof = fc.integer({ min: 5000, max: 500_000 });
const msisdn = fc.integer({ min: 1, max: 8 }).map((role) => `+225070000000${role}`);
/** Spans around the instants of settlements, retries and expiries. */
const span = fc.oneof(fc.constantFrom(0, 1999, 2000, 10_000, 3_600_000), fc.integer({ min: 0, max: 7_200_000 }));

const steps = fc.array(
  fc.oneof(
    xof.map((amount) =>
      step(`charge ${amount}`, (world, externalId) =>
        world.api("POST", "/v1/charges", chargeRequest({ amount, externalId, metadata: { amount } })),
      ),
    ),
    fc
      .tuple(pick, msisdn)
      .map(([n, payer]) =>
        step(`pay #${n} by ${payer}`, (world) =>
          world.api("POST", `/v1/charges/${chargeAt(world, n)}/pay`, { msisdn: payer }),
        ),
      ),
    fc
      .tuple(pick, xof)
      .map(([n, amount]) =>
        step(`refund ${amount} of #${n}`, (world) =>
          world.api("POST", `/v1/charges/${chargeAt(world, n)}/refund`, { amount }),
        ),
      ),
    fc
      .tuple(pick, fc.constantFrom("pay", "cancel", "drop"))
      .map(([n, action]) =>
        step(`${action} #${n} by hand`, (world) => world.control("POST", `/charges/${chargeAt(world, n)}/${action}`)),
      ),
    fc
      .tuple(xof, msisdn)
      .map(([amount, payee]) =>
        step(`transfer ${amount} to ${payee}`, (world, reference) =>
          world.api("POST", "/v1/transactions", transferRequest({ amount, msisdn: payee, reference })),
        ),
      ),
    fc.array(msisdn, { minLength: 1, maxLength: 3 }).map((payees) =>
      step(`batch to ${payees.join(", ")}`, (world, key) =>
        world.api("POST", "/v1/transactions/batch", {
          transactions: payees.map((payee, n) => transferRequest({ msisdn: payee, reference: `${key}-${n}` })),
        }),
      ),
    ),
    fc
      .tuple(pick, fc.constantFrom("complete", "fail"))
      .map(([n, action]) =>
        step(`${action} transfer #${n} by hand`, (world) =>
          world.control("POST", `/transactions/${transferAt(world, n)}/${action}`),
        ),
      ),
    pick.map((n) =>
      step(`poll transfer #${n}`, (world) => world.api("GET", `/v1/transactions/${transferAt(world, n)}`)),
    ),
    fc
      .constantFrom("immediate", "manual", { polls: 2 }, null)
      .map((settlement) =>
        step(`settlement ${JSON.stringify(settlement)}`, (world) =>
          world.control("PATCH", "/profile", { transfers: { settlement } }),
        ),
      ),
    fc
      .constantFrom(
        { on: "transfer", then: { outcome: "failed", reason: "odd", after: "1h" }, times: 2 },
        { on: "payment", then: { outcome: "paid", after: "1m" }, times: 1 },
        { on: "delivery", then: { delay: "5m", duplicate: 1 }, times: 3 },
        { on: "delivery", match: { topic: "charges/events" }, then: { reverse: true } },
        { on: "request", match: { path: "/v1/transactions" }, then: { delay: 1, commit: true }, times: 1 },
      )
      .map((rule) => step(`rule ${JSON.stringify(rule)}`, (world) => world.control("POST", "/rules", rule))),
    fc
      .integer({ min: 0, max: 1e7 })
      .map((units) =>
        step(`balance of ${units / 10_000}`, (world) => world.control("PUT", "/balance", { balance: units / 10_000 })),
      ),
    span.map((by) => step(`advance ${by} ms`, (world) => world.control("POST", "/clock/advance", { by }))),
  ),
  { maxLength: 12 },
);

function chargeAt({ sandbox }: TestWorld, n: number): string {
  return idAt(sandbox.defaultCompany.world.charges.values(), n);
}

function transferAt({ sandbox }: TestWorld, n: number): string {
  return idAt(sandbox.defaultCompany.world.transfers.values(), n);
}

function idAt(rows: readonly { readonly id: string }[], n: number): string {
  return rows[n % Math.max(1, rows.length)]?.id ?? "none";
}

const openWorld = useWorlds();

/** A frozen, seeded company. Its receivers answer the same attempt in the same way, and acknowledge one attempt in three. */
async function open(): Promise<TestWorld> {
  const transport = createScriptedTransport(({ body, headers }) =>
    hashToSeed(`${String(body)}${JSON.stringify(headers)}`, 0) % 3 === 0 ? 200 : 500,
  );
  const world = await openWorld({ seed: 1, transport });
  for (const topic of ["charges/events", "transaction/started", "transactions/completed", "transactions/failed"]) {
    await world.api("POST", "/v1/webhooks", { topic, url: "http://shop.test/hook" });
  }
  return world;
}

async function play(world: TestWorld, chapter: string, scenario: readonly Step[]): Promise<void> {
  for (const [index, { act }] of scenario.entries()) await act(world, `${chapter}-${index}`);
}

/** Waits until no attempt is in flight, and returns the state as text. */
async function settled(world: TestWorld): Promise<string> {
  await world.control("POST", "/settle");
  return (await world.control("GET", "/state")).text;
}

it("a restore brings back the same state after any changes, also during deliveries", async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, async (before, since) => {
      const world = await open();
      await play(world, "before", before);
      const { text } = await world.control("GET", "/state");
      expect((await world.control("POST", "/snapshots/then")).status).toBe(201);
      await play(world, "since", since);
      const restored = await world.control("PUT", "/snapshots/then");
      expect(restored.text).toBe(text);
      expect((await world.control("GET", "/snapshots/then")).text).toBe(text);
      await world.close();
    }),
    { numRuns: runs(40) },
  );
}, 120_000);

it("a company continues in the same way after a restore, and in another process", async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, steps, async (before, between, after) => {
      const [world, other] = [await open(), await open()];
      await play(world, "before", before);
      await settled(world);
      await world.control("POST", "/snapshots/then");
      await play(world, "after", after);
      const straightOn = await settled(world);
      await play(world, "between", between);
      await world.control("PUT", "/snapshots/then");
      await play(world, "after", after);
      expect(await settled(world)).toBe(straightOn);
      const { text } = await world.control("GET", "/snapshots/then");
      expect((await other.control("PUT", "/state", text)).text).toBe(text);
      await play(other, "after", after);
      expect(await settled(other)).toBe(straightOn);
      for (const each of [world, other]) await each.close();
    }),
    { numRuns: runs(40) },
  );
}, 120_000);
