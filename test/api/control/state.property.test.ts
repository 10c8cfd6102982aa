import { expect, it } from "vitest";
import fc, { runs } from "../../support/fast-check.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { createWorld, type LooseJson, type TestWorld } from "../../support/world.js";

/** One action of a client. It may be refused, for any reason. */
type Step = (world: TestWorld, made: { charges: string[]; transfers: string[] }) => Promise<unknown>;

const roles = ["success", "failure", "pending", "late", "silent", "limit", "refused", "unverified"];
const msisdn = fc.nat(roles.length - 1).map((index) => `+225070000000${index + 1}`);
const xof = fc.integer({ min: 5000, max: 500_000 });
const pick = fc.nat(5);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ amount: xof }).map(({ amount }): Step => async (world, made) => {
    made.charges.push(
      (await world.api("POST", "/v1/charges", chargeRequest({ amount, metadata: { amount } }))).body.id,
    );
  }),
  fc.tuple(pick, msisdn).map(
    ([index, msisdn]): Step =>
      (world, { charges }) =>
        world.api("POST", `/v1/charges/${charges[index]}/pay`, { msisdn }),
  ),
  fc.tuple(pick, xof).map(
    ([index, amount]): Step =>
      (world, { charges }) =>
        world.api("POST", `/v1/charges/${charges[index]}/refund`, { amount }),
  ),
  fc.tuple(xof, msisdn).map(([amount, msisdn]): Step => async (world, made) => {
    made.transfers.push((await world.api("POST", "/v1/transactions", transferRequest({ amount, msisdn }))).body.id);
  }),
  fc.array(msisdn, { minLength: 1, maxLength: 3 }).map(
    (numbers): Step =>
      (world) =>
        world.api("POST", "/v1/transactions/batch", {
          transactions: numbers.map((msisdn) => transferRequest({ msisdn })),
        }),
  ),
  fc.constantFrom("charge/events", "transactions/started", "transactions/failed").map(
    (topic): Step =>
      (world) =>
        world.api("POST", "/v1/webhooks", { topic, url: "http://127.0.0.1:9/hook" }),
  ),
  pick.map(
    (index): Step =>
      (world, { transfers }) =>
        world.control("POST", `/transactions/${transfers[index]}/complete`),
  ),
  pick.map(
    (index): Step =>
      (world, { charges }) =>
        world.control("POST", `/charges/${charges[index]}/drop`),
  ),
  fc.integer({ min: 0, max: 1e7 }).map(
    (units): Step =>
      (world) =>
        world.control("PUT", "/balance", { balance: units / 10_000 }),
  ),
  fc.constantFrom("immediate", "manual", { polls: 2 }, null).map(
    (settlement): Step =>
      (world) =>
        world.control("PATCH", "/profile", { transfers: { settlement } }),
  ),
  fc.integer({ min: 0, max: 4_000_000 }).map(
    (by): Step =>
      (world) =>
        world.control("POST", "/clock/advance", { by }),
  ),
);

function createSeededWorld(clock: string): TestWorld {
  let attempts = 0;
  // One attempt in three succeeds.
  const send = async () =>
    ++attempts % 3 === 0
      ? { status: 200, latencyMs: 1, error: null, response: { headers: { a: "b" }, body: "" } }
      : { status: null, latencyMs: 0.001, error: "ECONNREFUSED: nobody there", response: null };
  return createWorld({ clock, seed: 1, transport: { send, close: async () => undefined } });
}

async function stateOf(world: TestWorld): Promise<LooseJson> {
  return (await world.control("GET", "/state")).body;
}

it("putting a dumped state back changes nothing, even in another company", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const [world, other] = [createSeededWorld("2026-01-15T09:00:00Z"), createSeededWorld("2040-01-01")];
      const made = { charges: [], transfers: [] };
      for (const act of steps) await act(world, made);
      await world.control("POST", "/settle");
      const state = await stateOf(world);
      for (const target of [world, other]) {
        const answer = await target.control("PUT", "/state", state);
        expect(answer.body).toEqual(state);
        expect(await stateOf(target)).toEqual(state);
      }
      await world.close();
      await other.close();
    }),
    { numRuns: runs(60) },
  );
});
