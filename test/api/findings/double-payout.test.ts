import { Agent, fetch } from "undici";
import { describe, expect, it, vi } from "vitest";
import { gate, startLive } from "../../support/live.js";
import { transferRequest } from "../../support/requests.js";
import { findingsOf, kindsOf } from "./findings.js";
import { nameCharges, openWith, order, pay } from "./payouts.js";

describe("double-payout", () => {
  it.each(["reset", "empty", "malformed"])(
    "reports a new reference after an answer was lost, though the work was done (%s)",
    async (fault) => {
      const live = await openWith({ fault, commit: true });
      expect(await pay(live, "first")).toBe(undefined);
      expect(await pay(live, "second")).toBe(201);
      const [found, ...rest] = await findingsOf(live);
      expect(rest).toEqual([]);
      expect(found).toMatchObject({ kind: "double-payout", severity: "critical" });
      expect(found?.why).toMatch(
        /10000 XOF to \+2250700000010 .*"first" \(req_1, whose answer was lost after the work was done\).*"second" \(req_2\)/,
      );
      expect(found?.fix).toContain('"first"');
      expect(found?.requests).toEqual([
        {
          id: "req_1",
          method: "POST",
          path: "/v1/transactions",
          summary: 'reference "first", msisdn "+2250700000010", amount 10000, its answer was lost',
        },
        {
          id: "req_2",
          method: "POST",
          path: "/v1/transactions",
          summary: 'reference "second", msisdn "+2250700000010", amount 10000, answered 201',
        },
      ]);
    },
  );

  it("tells pairs of references with spaces apart", async () => {
    const live = await startLive();
    const pairs = [
      ["a b", "c"],
      ["a", "b c"],
    ] as const;
    for (const [index, references] of pairs.entries()) {
      const rule = { on: "request", match: { path: "/v1/transactions" }, then: { status: 503 }, times: 1 };
      await live.control("POST", "/rules", rule);
      for (const reference of references)
        await live.http("POST", "/v1/transactions", transferRequest({ msisdn: `+225070000001${index}`, reference }));
    }
    expect(await kindsOf(live)).toEqual(["double-payout", "double-payout"]);
  });

  it("is not cleared by a 409 in between", async () => {
    const live = await openWith({ fault: "reset", commit: true });
    expect([await pay(live, "first"), await pay(live, "first"), await pay(live, "second")]).toEqual([
      undefined,
      409,
      201,
    ]);
    expect((await findingsOf(live)).map(({ kind, requests }) => [kind, ...requests.map(({ id }) => id)])).toEqual([
      ["double-payout", "req_1", "req_3"],
    ]);
  });

  it.each([
    ["that stood in the place of the work", { status: 503 }, /answered 503 and was not done this time/],
    ["after the work was done", { status: 502, commit: true }, /answered 502 after the work was done/],
  ])("reports a new reference after a 5xx %s", async (_, then, why) => {
    const live = await openWith(then);
    await pay(live, "first");
    await pay(live, "second");
    const [found] = await findingsOf(live);
    expect(found?.why).toMatch(why);
  });

  it("also reports a client that gives up before the answer comes", async () => {
    const live = await openWith({ delay: "10m" });
    const agent = new Agent();
    const giveUp = new AbortController();
    const lost = gate();
    live.sandbox.events.on("exchange", ({ exchange }) => exchange.onLost(() => lost.open()));
    const headers = { authorization: "Bearer at_sandbox", "content-type": "application/json" };
    const init = {
      method: "POST",
      headers,
      body: JSON.stringify(order("first")),
      signal: giveUp.signal,
      dispatcher: agent,
    };
    const answer = fetch(`${live.url}/v1/transactions`, init).catch(() => "none");
    await live.until(() => live.company.world.transfers.size === 1);
    giveUp.abort();
    expect(await answer).toBe("none");
    expect(await pay(live, "second")).toBe(201);
    await lost.opened;
    expect(
      (await findingsOf(live)).map(({ kind, requests }) => [
        kind,
        ...requests.map(({ summary }) => summary.slice(0, 19)),
      ]),
    ).toEqual([["double-payout", 'reference "first", ', 'reference "second",']]);
    await live.advance("2s");
    live.sandbox.endRun(true);
    const unlearned = (await findingsOf(live)).find(({ kind }) => kind === "outcome-never-learned");
    expect(unlearned?.requests[0]?.summary).toBe(
      'reference "first", msisdn "+2250700000010", amount 10000, its answer was lost',
    );
    await agent.destroy();
  });

  it("reports each item of a batch", async () => {
    const live = await startLive();
    const match = { path: "/v1/transactions/batch" };
    await live.control("POST", "/rules", { on: "request", match, then: { fault: "reset", commit: true }, times: 1 });
    const send = (...references: string[]) =>
      live.http("POST", "/v1/transactions/batch", { transactions: references.map(order) }).catch(() => undefined);
    await send("a1", "a2");
    await send("b1", "b2");
    expect((await findingsOf(live)).map(({ why }) => /"(\w+)" .*"(\w+)"/.exec(why)?.slice(1))).toEqual([
      ["a1", "b1"],
      ["a2", "b2"],
    ]);
  });
});

describe("double-payout does not report", () => {
  it("a client that sends the same reference until it is answered, and then pays again on purpose", async () => {
    const live = await openWith({ fault: "reset" });
    expect([await pay(live, "first"), await pay(live, "first"), await pay(live, "second")]).toEqual([
      undefined,
      201,
      201,
    ]);
    expect(await kindsOf(live)).toEqual([]);
  });

  it("a client that stops at a 409", async () => {
    const live = await openWith({ fault: "reset", commit: true });
    expect([await pay(live, "first"), await pay(live, "first")]).toEqual([undefined, 409]);
    expect(await kindsOf(live)).toEqual([]);
  });

  it("a new reference once the first transfer has failed", async () => {
    const live = await openWith({ fault: "reset", commit: true }, { profile: { transfers: { settlement: "manual" } } });
    await pay(live, "first");
    const [transfer] = live.company.world.transfers.values();
    expect((await live.control("POST", `/transactions/${transfer?.id}/fail`)).status).toBe(200);
    expect(await pay(live, "second")).toBe(201);
    expect(await kindsOf(live)).toEqual([]);
  });

  describe("payouts of two charges,", () => {
    it.each(["id", "externalId"] as const)("whose %s is in the references, after a lost answer", async (name) => {
      const live = await openWith({ fault: "reset", commit: true });
      const [first, second] = await nameCharges(live, name);
      expect([await pay(live, first), await pay(live, second)]).toEqual([undefined, 201]);
      expect(await kindsOf(live)).toEqual([]);
      expect(await pay(live, `${first}-retry`)).toBe(201);
      expect(await kindsOf(live)).toEqual(["double-payout"]);
    });
  });

  it("a payout after a snapshot from before the first was restored", async () => {
    const live = await openWith({ fault: "reset", commit: true });
    await live.control("POST", "/snapshots/before");
    await pay(live, "first");
    await live.control("PUT", "/snapshots/before");
    await live.control("DELETE", "/rules");
    expect(await pay(live, "second")).toBe(201);
    expect(await kindsOf(live)).toEqual([]);
  });
});

it("does not read all transfers, neither for a new reference nor for a used one", async () => {
  const live = await startLive({ profile: { transfers: { duplicateReference: "allow" } } });
  const { transfers } = live.sandbox.defaultCompany.world;
  const goThrough = vi.spyOn(transfers, "values");
  for (const reference of ["first", "second", "first"]) expect(await pay(live, reference)).toBe(201);
  expect(goThrough).not.toHaveBeenCalled();
  expect(await kindsOf(live)).toContain("double-payout");
});
