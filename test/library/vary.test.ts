import { expect, it } from "vitest";
import { type Sandbox, vary } from "../../src/index.js";

const orderOf = (amount: number) => ({ type: "transfer", amount, msisdn: "+2250700000001", reference: "salary-1" });

/** Depends on 201, and on 409 for a reference that is taken. */
async function pays(sandbox: Sandbox): Promise<void> {
  const first = await sandbox.fetch("/v1/transactions", { json: orderOf(20_000) });
  if (first.status !== 201) throw new Error(`not created: ${first.status}`);
  const second = await sandbox.fetch("/v1/transactions", { json: orderOf(20_000) });
  if (second.status !== 409) throw new Error(`paid twice: ${second.status}`);
}

it("names the settings that a function depends on, with the questions for the provider", async () => {
  const { settings, questions, counts } = await vary(pays, { only: ["http", "transfers"], workers: 4 });
  const depends = settings.filter(({ verdict }) => verdict === "depends");
  expect(depends.map(({ path }) => path)).toEqual(["http.createdStatus", "transfers.duplicateReference"]);
  expect(depends[0]?.change).toContain("It prints: not created: 200.");
  expect(questions.map(({ path }) => path)).toEqual(["http.createdStatus", "transfers.duplicateReference"]);
  expect(counts.independent).toBeGreaterThan(5);
});

it("shows no secret that an error of the function has", async () => {
  const pay = async ({ fetch, accessToken, secretKey }: Sandbox): Promise<void> => {
    const { status } = await fetch("/v1/transactions", { json: orderOf(20_000) });
    if (status !== 201) throw new Error(`${accessToken} ${secretKey}`);
  };
  const report = await vary(pay, { only: ["http.createdStatus"] });
  expect(JSON.stringify(report)).toContain("It prints: [redacted] [redacted].");
});

it("depends on a setting under which an invariant does not hold", async () => {
  let paid = false;
  const run = async (sandbox: Sandbox): Promise<void> => {
    const { status } = await sandbox.fetch("/v1/transactions", { json: orderOf(20_000) });
    paid = status === 201;
  };
  const { settings } = await vary(run, { only: ["http.createdStatus"], check: () => paid });
  expect(settings).toMatchObject([{ verdict: "depends", change: expect.stringMatching(/^The invariant of --check/) }]);
});

it("blames no request for a difference when they come in another order in each run", async () => {
  const create = async (sandbox: Sandbox, paths: readonly string[]): Promise<number> => {
    for (const path of paths) await sandbox.fetch(path);
    return (await sandbox.fetch("/v1/transactions", { json: orderOf(20_000) })).status;
  };
  const changeOf = async (isShuffled: boolean): Promise<string> => {
    const paths = ["/v1/balance", "/v1/webhooks"];
    let runs = 0;
    const run = async (sandbox: Sandbox): Promise<void> => {
      const status = await create(sandbox, isShuffled && runs++ % 2 === 1 ? paths.toReversed() : paths);
      if (status !== 201) throw new Error(`not created: ${status}`);
    };
    const { settings } = await vary(run, { only: ["http.createdStatus"] });
    return settings.map(({ change }) => change ?? "").join();
  };
  expect(await changeOf(false)).toContain("The first request that differs: createTransaction#1");
  expect(await changeOf(true)).toMatch(/not created: 200\.$/);
});

it("does not take a payout for made that fails otherwise and is still pending", async () => {
  const run = async (sandbox: Sandbox): Promise<void> => {
    for (const [at, msisdn] of ["+2250700000001", "+2250700000002"].entries())
      await sandbox.fetch("/v1/transactions", { json: { ...orderOf(20_000), msisdn, reference: `salary-${at}` } });
  };
  const { settings } = await vary(run, { only: ["transfers.settlement"], sandbox: { clock: "frozen" } });
  expect(settings.map(({ verdict }) => verdict)).toEqual(["independent", "independent", "independent", "independent"]);
});

it("rejects an unknown option and an unknown setting", async () => {
  await expect(vary(pays, Object.assign({ workers: 1 }, { pair: true }))).rejects.toThrow(/pair is not an option/);
  await expect(vary(pays, { only: ["transfer"] })).rejects.toThrow(/Unknown setting "transfer"/);
});
