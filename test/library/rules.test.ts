import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/index.js";
import { startReceiver } from "../support/receiver.js";
import type { LooseJson } from "../support/world.js";
import { create, payout } from "./sandboxes.js";

const pay = (reference: string) => ({ json: payout(reference) });

describe("sandbox.rules", () => {
  it("can be added, listed, removed and cleared", async () => {
    const sandbox = await create();
    const first = sandbox.rules.add({ name: "down", on: "request", then: { status: 503 } });
    const second = sandbox.rules.add({ on: "transfer", then: { outcome: "failed", after: "90s" }, times: 2 });
    expect(second).toMatchObject({ on: "transfer", then: { outcome: "failed", after: "1m30s" }, times: 2, fired: 0 });
    expect(sandbox.rules.list().map(({ id }) => id)).toEqual([second.id, first.id]);
    expect((await sandbox.fetch("/v1/balance")).status).toBe(503);
    expect(sandbox.rules.list()[1]).toMatchObject({
      name: "down",
      fired: 1,
      createdAt: new Date("2026-01-15T09:00:00Z"),
    });
    sandbox.rules.remove(first.id);
    expect((await sandbox.fetch("/v1/balance")).status).toBe(200);
    sandbox.rules.clear();
    expect(sandbox.rules.list()).toEqual([]);
  });

  it("can lose an answer after the work is done", async () => {
    const sandbox = await create();
    sandbox.rules.add({ on: "request", match: { method: "POST" }, then: { fault: "reset", commit: true }, times: 1 });
    await expect(sandbox.fetch("/v1/transactions", pay("a"))).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
    expect((await sandbox.fetch("/v1/transactions", pay("a"))).status).toBe(409);
  });

  it("can pick the second payout, and show it as pending when it has ended", async () => {
    const sandbox = await create();
    sandbox.rules.add({ on: "transfer", match: { nth: 2 }, then: { outcome: "failed" }, times: 1 });
    sandbox.rules.add({
      on: "request",
      match: { path: "/v1/transactions/:id", nth: 1 },
      then: { stale: true },
      times: 1,
    });
    const ask = async (...request: Parameters<typeof sandbox.fetch>): Promise<LooseJson> =>
      (await sandbox.fetch(...request)).json();
    const [first, second] = [await ask("/v1/transactions", pay("a")), await ask("/v1/transactions", pay("b"))];
    await sandbox.clock.advance("1m");
    const statuses: string[] = [];
    for (const { id } of [second, first, second]) statuses.push((await ask(`/v1/transactions/${id}`)).status);
    expect(statuses).toEqual(["pending", "completed", "failed"]);
  });

  it("can hold a webhook until the rule is removed", async () => {
    const sandbox = await create();
    const receiver = await startReceiver();
    await sandbox.fetch("/v1/webhooks", { json: { topic: "transactions/started", url: receiver.url } });
    const { id } = sandbox.rules.add({ on: "delivery", then: { hold: "end" } });
    await sandbox.fetch("/v1/transactions", pay("a"));
    await sandbox.settle();
    expect(receiver.received).toEqual([]);
    sandbox.rules.remove(id);
    await sandbox.settle();
    expect(receiver.received).toHaveLength(1);
  });

  it("given as options apply to every company, from the start and after a reset", async () => {
    const sandbox = await create({ rules: [{ on: "request", then: { status: 503 }, times: 1 }] });
    const company = await sandbox.company({ rules: [{ on: "request", then: { status: 502 }, times: 1 }] });
    const statuses = async (of: typeof company) => [
      (await of.fetch("/v1/balance")).status,
      (await of.fetch("/v1/balance")).status,
    ];
    expect(await statuses(sandbox)).toEqual([503, 200]);
    expect(await statuses(company)).toEqual([502, 503]);
    await sandbox.reset();
    expect(await statuses(sandbox)).toEqual([503, 200]);
  });

  it("are refused with all problems, and then nothing changes", async () => {
    const sandbox = await create();
    // @ts-expect-error there is no such outcome
    expect(() => sandbox.rules.add({ on: "payment", then: { outcome: "payd" }, tmies: 1 })).toThrow(
      new UsageError("input", [
        'Failed to add the rule: then.outcome must be one of paid, failed (did you mean "paid"?), got "payd".',
        'Failed to add the rule: rule has no "tmies", only name, times, on, match, then. Did you mean "times"?',
      ]),
    );
    expect(() => sandbox.rules.remove("rul_x")).toThrow('No rule has the id "rul_x".');
    await expect(create({ rules: [{ on: "request", then: {} }] })).rejects.toThrow("rules[0]");
    expect(sandbox.rules.list()).toEqual([]);
  });
});
