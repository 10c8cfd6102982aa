import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Sandbox, UsageError, explore, vary } from "../../src/index.js";
import { tableOf } from "../support/experiments.js";
import { careful, careless, pay, payout, quick } from "./payers.js";

describe("explore", () => {
  it("finds the faults that make a function pay twice", async () => {
    const report = await explore(careless, quick);
    const unsafe = report.runs.filter(({ verdict }) => verdict === "unsafe");
    expect(tableOf({ runs: unsafe })).toEqual([
      "createTransaction#1 answer-lost: unsafe",
      "createTransaction#1 500-after: unsafe",
      "createTransaction#1 request-lost: unsafe",
      "createTransaction#1 500-before: unsafe",
      "createTransaction#1 503: unsafe",
    ]);
    expect(unsafe[0]?.summary).toContain("+2250700000010 received 5 000 XOF twice.");
    expect(report).toMatchObject({ verb: "explore", command: ["careless"], counts: { unsafe: 5, lost: 0, flaky: 0 } });
  });

  it("ignores an allowed finding, and still sees money that moved", async () => {
    const sandbox = { ...quick.sandbox, findings: { allow: ["double-payout"] } };
    const { runs } = await explore(careless, { only: ["answer-lost", "500-before"], sandbox });
    expect(tableOf({ runs })).toEqual([
      "createTransaction#1 answer-lost: unsafe",
      "createTransaction#1 500-before: safe",
    ]);
  });

  describe("two equal payouts that are always made", () => {
    const two = (references: () => readonly string[], suffix: () => string) => async (sandbox: Sandbox) => {
      for (const reference of references())
        await pay(sandbox, (attempt) => (attempt === 1 ? reference : reference + suffix()));
    };
    const fixed = () => ["6f1c1b60-8f0e-4c39-9d0e-1f2d3c4b5a69", "0b7d2f1e-5a3c-4e8d-b6a7-9c8d7e6f5a4b"];
    const random = () => [randomUUID(), randomUUID()];

    it.each([
      ["fixed", fixed],
      ["new in each run", random],
    ])("are two orders, with references that are %s", async (_, references) => {
      const { runs } = await explore(
        two(references, () => ""),
        { ...quick, only: ["createTransaction"] },
      );
      expect(runs.filter(({ verdict }) => verdict === "unsafe")).toEqual([]);
      const lost = runs.find(({ fault }) => fault === "answer-lost");
      expect(lost?.summary).toContain("The program sent the same request again.");
    });

    it.each([
      ["fixed", fixed, () => "-again"],
      ["new in each run", random, randomUUID],
    ])("do not hide a third one, with references that are %s", async (_, references, suffix) => {
      const { runs } = await explore(two(references, suffix), { ...quick, only: ["answer-lost", "503"] });
      expect(runs.map(({ verdict }) => verdict)).toEqual(["unsafe", "unsafe", "unsafe", "unsafe"]);
      expect(runs[0]?.summary).toMatch(/The program sent it again under a new reference/);
    });
  });

  describe("a refund in two parts", () => {
    const refund = (goesOnAfter: (status: number) => boolean) => async (sandbox: Sandbox) => {
      const post = (path: string, body?: object) =>
        sandbox.fetch(path, { method: "POST", ...(body && { json: body }) });
      const order = { externalId: "order-1", description: "Shoes", amount: 10_000 };
      const pages = { onCanceledRedirectionUrl: "https://a.test/", onCompletedRedirectionUrl: "https://a.test/" };
      const { id } = (await (await post("/v1/charges", { ...order, ...pages })).json()) as { id: string };
      await post(`/v1/charges/${id}/pay`);
      for (const amount of [2000, 3000]) {
        const { status } = await post(`/v1/charges/${id}/refund`, { amount });
        if (!goesOnAfter(status)) throw new Error(`refund of ${amount}: ${status}`);
      }
    };
    const options = { ...quick, only: ["500-after", "500-before"], skip: ["createCharge", "payCharge"] };

    it("is noticed when the function stops after the first part", async () => {
      const { runs } = await explore(
        refund((status) => status === 200),
        options,
      );
      expect(new Set(runs.map(({ verdict }) => verdict))).toEqual(new Set(["noticed"]));
    });

    it("is lost when the function goes on without a part", async () => {
      const { runs } = await explore(
        refund(() => true),
        options,
      );
      const lost = runs.filter(({ verdict }) => verdict === "lost");
      expect(tableOf({ runs: lost })).toEqual(["refundCharge#1 500-before: lost", "refundCharge#2 500-before: lost"]);
      expect(lost[0]?.summary).toContain("2 000 XOF of order-1 was not refunded.");
    });
  });

  it.each<[string, (sandbox: Sandbox) => Promise<unknown>]>([
    ["reset", (sandbox) => sandbox.reset()],
    ["snapshot", (sandbox) => sandbox.fetch("/_sandbox/snapshots/start", { method: "PUT" })],
  ])("judges each part of a suite that goes back by a %s in between", async (_, goBack) => {
    const order = { type: "transfer", amount: 5000, msisdn: "+2250700000010" };
    const suite = async (sandbox: Sandbox): Promise<void> => {
      await sandbox.fetch("/_sandbox/snapshots/start", { method: "POST" });
      await sandbox.fetch("/v1/transactions", { json: { ...order, reference: "salary-1" } });
      await goBack(sandbox);
      await sandbox.fetch("/v1/balance");
      await goBack(sandbox);
    };
    const { runs } = await explore(suite, { ...quick, only: ["500-before"] });
    expect(tableOf({ runs })).toEqual(["createTransaction#1 500-before: lost", "getBalance#1 500-before: safe"]);
  });

  it("names a fault that is repeated after a reset by its first place", async () => {
    const suite = async (sandbox: Sandbox): Promise<void> => {
      for (const amount of [5000, 6000]) {
        await sandbox.fetch("/v1/transactions", { json: { ...payout(`salary-${amount}`), amount } });
        await sandbox.reset();
      }
    };
    const { runs } = await explore(suite, { ...quick, only: ["429"] });
    expect(runs.map(({ point }) => point.about)).toEqual(["salary-5000"]);
  });

  it("tries the faults of requests without a fixed order, and names the request that was hit", async () => {
    const payees = [
      { reference: "salary-awa", amount: 5000 },
      { reference: "salary-kouassi", amount: 6000 },
    ];
    const reversed = [false, true, true, true, false];
    const shuffled = async (sandbox: Sandbox): Promise<void> => {
      for (const one of reversed.shift() ? payees.toReversed() : payees) {
        const json = { ...payout(one.reference), amount: one.amount };
        const answer = await sandbox.fetch("/v1/transactions", { json }).catch(() => null);
        if (answer !== null) continue;
        const isCareless = one.reference === "salary-awa";
        await sandbox.fetch("/v1/transactions", { json: isCareless ? { ...json, reference: "again" } : json });
      }
    };
    const report = await explore(shuffled, { only: ["answer-lost"], sandbox: { clock: "frozen" } });
    expect(report.notes.join()).toContain("come in another order in each run");
    const named = report.runs.map(({ point, verdict }) => `${point.name} (${point.about}): ${verdict}`);
    // The second run of the bug hits the other payout, which says nothing about this one.
    expect(named).toEqual(["createTransaction#1 (salary-kouassi): safe", "createTransaction#2 (salary-awa): unsafe"]);
    expect(report.runs[1]?.summary).toContain("(salary-awa) was lost after the payout was made");
  });

  it("tries the faults of requests that are for another recipient and amount in each run", async () => {
    let run = 0;
    const toAnyone = (sandbox: Sandbox): Promise<void> => {
      const order = { amount: 5000 + ++run, msisdn: `+22507000001${10 + run}` };
      return pay(sandbox, (attempt) => `salary-${run}-${attempt}`, order);
    };
    const { runs, notes } = await explore(toAnyone, { only: ["answer-lost"], sandbox: { clock: "frozen" } });
    expect(tableOf({ runs })).toEqual(["createTransaction#1 answer-lost: unsafe"]);
    expect(notes.join()).toContain("differ from run to run");
  });

  it("names requests in the order in which they are handled, however long their bodies take", async () => {
    const slowAndQuick = async (sandbox: Sandbox): Promise<void> => {
      const { readable, writable } = new TransformStream<string, string>();
      const body = readable.pipeThrough(new TextEncoderStream());
      const headers = { "content-type": "application/json" };
      const slow = sandbox.fetch("/v1/transactions", { method: "POST", headers, body, duplex: "half" });
      await sandbox.fetch("/v1/transactions", { json: payout("quick") });
      const writer = writable.getWriter();
      await writer.write(JSON.stringify({ ...payout("slow"), amount: 6000 }));
      await writer.close();
      await slow;
    };
    const { runs } = await explore(slowAndQuick, { only: ["429"], sandbox: { clock: "frozen" } });
    expect(runs.map(({ point }) => `${point.name} ${point.about}`)).toEqual([
      "createTransaction#1 quick",
      "createTransaction#2 slow",
    ]);
  });

  it("judges a function that does not end as hung", async () => {
    const hangs = async (sandbox: Sandbox): Promise<void> => {
      const { status } = await sandbox.fetch("/v1/transactions", { json: payout("salary-1") });
      if (status === 503) await new Promise(() => undefined);
    };
    const { runs } = await explore(hangs, { only: ["503"], timeout: 200 });
    expect(runs.map(({ verdict }) => verdict)).toEqual(["hung"]);
  });

  it("reports the worse one if two runs show different bugs", async () => {
    const showing = async (...ways: readonly ((sandbox: Sandbox) => unknown)[]): Promise<string[]> => {
      const left = [careful, careful, ...ways];
      const run = async (sandbox: Sandbox): Promise<void> => void (await left.shift()?.(sandbox));
      return tableOf(await explore(run, { only: ["500-before"], sandbox: { clock: "frozen" } }));
    };
    const skips = (): void => undefined;
    expect(await showing(skips, careless)).toEqual(["createTransaction#1 500-before: unsafe"]);
    expect(await showing(careless, skips)).toEqual(["createTransaction#1 500-before: unsafe"]);
    expect(await showing(careless, careful)).toEqual(["createTransaction#1 500-before: flaky"]);
  });

  it("does not report a fault as survived if it did not happen", async () => {
    let calls = 0;
    const run = async (sandbox: Sandbox): Promise<void> => {
      await careful(sandbox);
      if (++calls <= 2) await sandbox.fetch("/v1/balance");
    };
    const report = await explore(run, { only: ["429"], sandbox: { clock: "frozen" } });
    const [payout, balance] = report.runs;
    expect(payout?.summary).toContain("was answered with 429");
    expect(balance?.summary).toContain("This run did not reach GET /v1/balance, so 429 did not happen.");
    expect(report.notes).toContain(
      `${balance?.id}: the run did not reach the point of its fault, so the fault did not happen and its verdict says nothing about it.`,
    );
    expect(report.notes.join()).not.toContain(`${payout?.id}`);
  });

  it.each<[string, (paid: number) => unknown]>([
    ["is false", (paid) => paid === 1],
    ["throws", (paid) => assert.equal(paid, 1)],
    ["rejects", async (paid) => assert.equal(paid, 1)],
  ])("judges an invariant that %s", async (_, holds) => {
    let paid = 0;
    const run = async (sandbox: Sandbox): Promise<void> => {
      paid = 0;
      const { ok } = await sandbox.fetch("/v1/transactions", { json: payout("salary-1") });
      if (ok) paid++;
    };
    const { runs } = await explore(run, { only: ["500-after"], check: () => holds(paid) });
    expect(tableOf({ runs })).toEqual(["createTransaction#1 500-after: unsafe"]);
  });

  it("does not say that money moved as it should when a payout that was accepted failed", async () => {
    const run = async (sandbox: Sandbox): Promise<void> => {
      await sandbox.fetch("/v1/transactions", { json: payout("salary-1") });
    };
    const { runs } = await explore(run, { only: ["outcome-failed"] });
    expect(runs.map(({ verdict, summary }) => [verdict, summary])).toEqual([
      ["safe", expect.stringMatching(/did not receive .* XOF\. The program reported success\.$/)],
    ]);
  });

  it("does not keep a payout pending that fails without a fault", async () => {
    const failing = async (sandbox: Sandbox): Promise<void> => {
      const json = { ...payout("salary-1"), msisdn: "+2250700000002" };
      const { id } = await (await sandbox.fetch<{ id: string }>("/v1/transactions", { json })).json();
      await sandbox.clock.advance("1m");
      const { status } = await (await sandbox.fetch<{ status: string }>(`/v1/transactions/${id}`)).json();
      assert.equal(status, "failed");
    };
    const { runs } = await explore(failing, { ...quick, only: ["outcome-failed", "outcome-pending", "outcome-late"] });
    expect(tableOf({ runs })).toEqual([
      "createTransaction#1 outcome-failed: safe",
      "createTransaction#1 outcome-late: noticed",
    ]);
  });

  it("does not take a payout for made that fails without a fault, in whatever order they come", async () => {
    const payees = ["+2250700000001", "+2250700000002"];
    let runs = 0;
    const shuffled = async (sandbox: Sandbox): Promise<void> => {
      for (const msisdn of runs++ < 2 ? payees : payees.toReversed()) {
        const json = { ...payout(`salary-${msisdn}`), msisdn };
        const { id } = await (await sandbox.fetch<{ id: string }>("/v1/transactions", { json })).json();
        await sandbox.clock.advance("1m");
        const { status } = await (await sandbox.fetch<{ status: string }>(`/v1/transactions/${id}`)).json();
        assert.equal(status, msisdn === payees[0] ? "completed" : "failed");
      }
    };
    const { runs: judged } = await explore(shuffled, { ...quick, only: ["outcome-pending"] });
    expect(tableOf({ runs: judged })).toEqual(["createTransaction#1 outcome-pending: noticed"]);
  });

  it("says that a run without a fault already has critical findings, except allowed ones", async () => {
    const pays = async (sandbox: Sandbox): Promise<void> => {
      for (const reference of ["salary", "salary", "salary-retry"])
        await sandbox.fetch("/v1/transactions", { json: payout(reference) });
    };
    const only = ["createTransaction#3", "503"];
    const critical = expect.stringContaining("The command has critical findings as it is: double-payout.");
    expect((await explore(pays, { only })).notes).toContainEqual(critical);
    const sandbox = { findings: { allow: ["double-payout"] } };
    expect((await explore(pays, { only, sandbox })).notes).not.toContainEqual(critical);
  });

  it("ends at an abort, with the results so far", async () => {
    const stop = new AbortController();
    let runs = 0;
    const run = async (sandbox: Sandbox): Promise<void> => {
      if (++runs === 4) stop.abort();
      await careful(sandbox);
    };
    const report = await explore(run, { ...quick, signal: stop.signal });
    expect(report.stopped).toBe("signal");
    expect(report.runs).toHaveLength(1);
  });

  it.each([explore, vary])("does not begin when it is aborted already", async (experiment) => {
    const never = (): Promise<never> => new Promise(() => undefined);
    await expect(experiment(never, { signal: AbortSignal.abort() })).rejects.toThrow("It was stopped before");
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ["a function that fails", () => explore(() => Promise.reject(new Error("no"))), /fails without any fault/],
    ["a function that calls nothing", () => explore(() => undefined), /The sandbox was never called/],
    [
      "a function with a wrong path",
      () => explore(async ({ url }) => void (await fetch(`${url}/api/v1/balance`))),
      /The sandbox was never called, or only with unknown paths\./,
    ],
    [
      "a function that is turned away",
      () => explore(async ({ url }) => void (await fetch(`${url}/v1/balance`))),
      /accepted no request of the command: it answered 401\./,
    ],
    [
      "faults that a function does not meet",
      () => explore(async ({ fetch }) => void (await fetch("/v1/balance")), { only: ["503"] }),
      /Failed to explore: Nothing was tried: only and skip leave no fault\./,
    ],
    [
      "settings that a function does not read",
      () => vary(async ({ fetch }) => void (await fetch("/v1/balance")), { only: ["transfers.settlement"] }),
      /Failed to vary: Nothing was varied: the function reads none of the settings that were asked for\./,
    ],
    ["no function", () => explore(Object.assign({})), /Failed to explore: what is run must be a function, got \{\}/],
    ["no options", () => explore(careful, null as never), /the options must be an object, got null/],
    ["an unknown option", () => explore(careful, Object.assign({ workers: 1 }, { dept: 2 })), /dept is not an option/],
    ["an unknown fault", () => explore(careful, { only: ["answer-lots"] }), /Unknown name "answer-lots"/],
  ])("rejects %s", async (_, work, message) => {
    const error = await work().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toMatch(message);
  });
});
