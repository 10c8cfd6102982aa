import { describe, expect, it } from "vitest";
import type { Transport, TransportResult } from "../../../src/adapters/delivery/transport.js";
import { AUDIT_HEADER } from "../../../src/domain/model/rule.js";
import { createHeldStore } from "../../support/held-store.js";
import { startLive } from "../../support/live.js";
import { transferRequest } from "../../support/requests.js";
import { createScriptedTransport } from "../../support/scripted-transport.js";
import { findingsOf, kindsOf } from "./findings.js";

const URL = "http://receiver.test/hooks";

describe("webhook-unacknowledged", () => {
  it("reports a webhook once its retries are used up, and the request that caused it", async () => {
    const live = await startLive({ transport: createScriptedTransport(() => 500) });
    await live.subscribe("transactions/started", URL);
    await live.createTransfer({ reference: "payout-x" });
    await live.advance("30m");
    expect(await kindsOf(live)).toEqual([]);
    await live.advance("3h");
    const [found, ...rest] = await findingsOf(live);
    expect(rest).toEqual([]);
    expect(found).toMatchObject({
      kind: "webhook-unacknowledged",
      severity: "warning",
      requests: [{ id: "req_2", path: "/v1/transactions" }],
    });
    expect(found?.why).toMatch(/all 6 attempts failed.*status 500/);
    expect(found?.requests[0]?.summary).toContain('reference "payout-x"');
  });

  it("shows the request of the order when time caused the event, and none when no request did", async () => {
    const live = await startLive({
      transport: createScriptedTransport(() => 500),
      profile: { webhooks: { retry: [] } },
    });
    await live.subscribe("transactions/completed", URL);
    await live.subscribe("charges/events", URL);
    await live.createTransfer();
    await live.advance("2s");
    expect((await findingsOf(live)).map(({ requests }) => requests.map(({ id }) => id))).toEqual([["req_3"]]);
    await live.createCharge();
    const state = (await live.control("GET", "/state")).body;
    await live.control("PUT", "/state", state);
    await live.advance("1h");
    expect((await findingsOf(live)).map(({ requests }) => requests.length)).toEqual([1, 0]);
  });

  it.each([
    ["POST", "/reset"],
    ["PUT", "/snapshots/begin"],
  ])("reports one of a payout that has the id of an audit's payout after %s %s", async (method, path) => {
    const live = await startLive({
      seed: 1,
      transport: createScriptedTransport(() => 500),
      profile: { webhooks: { retry: [] } },
    });
    const payOut = async (headers: Readonly<Record<string, string>>): Promise<string> => {
      await live.subscribe("transactions/started", URL);
      const { id } = (await live.http("POST", "/v1/transactions", transferRequest(), headers)).body;
      await live.settle();
      return id;
    };
    await live.control("POST", "/snapshots/begin");
    const audited = await payOut({ [AUDIT_HEADER]: "1" });
    expect(await kindsOf(live)).toEqual([]);
    expect((await live.control(method, path)).status).toBe(200);
    expect(await payOut({})).toBe(audited);
    expect(await kindsOf(live)).toEqual(["webhook-unacknowledged"]);
  });

  it("does not report a webhook that was acknowledged at last, or cancelled", async () => {
    const live = await startLive({ transport: createScriptedTransport((_, index) => (index < 5 ? 500 : 200)) });
    const { id } = await live.subscribe("transactions/started", URL);
    await live.createTransfer();
    await live.advance("3h");
    expect(live.deliveries().map(({ status }) => status)).toEqual(["succeeded"]);
    await live.http("DELETE", `/v1/webhooks/${id}`);
    expect(await kindsOf(live)).toEqual([]);
  });

  it("does not blame a receiver that refuses what a rule has forged", async () => {
    const live = await startLive({
      transport: createScriptedTransport(() => 401),
      profile: { webhooks: { retry: [] } },
    });
    await live.subscribe("transactions/started", URL);
    await live.control("POST", "/rules", { on: "delivery", then: { corruptSignature: true } });
    await live.createTransfer();
    await live.settle();
    expect(live.deliveries().map(({ status }) => status)).toEqual(["exhausted"]);
    expect(await kindsOf(live)).toEqual([]);
  });

  it.each([
    ["ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:4020", []],
    ["status 500 is not 2xx", ["webhook-unacknowledged"]],
  ])(
    "reports what a rule held back until the end of a run, unless its receiver has ended (%s)",
    async (error, kinds) => {
      const live = await startLive({ transport: slowTransport({ status: null, error, response: null }) });
      await live.subscribe("transactions/started", URL);
      await live.control("POST", "/rules", { on: "delivery", then: { hold: "end" } });
      await live.createTransfer();
      await live.control("DELETE", "/rules");
      await live.settle();
      expect(live.deliveries().map(({ attempts }) => attempts.length)).toEqual([1]);
      expect(live.sandbox.endRun(true)).toBe(undefined);
      expect(await kindsOf(live)).toEqual(kinds);
    },
  );
});

describe("webhook-slow", () => {
  it.each([
    ["an acknowledgement slower than 5 s", { latencyMs: 5_200 }, "was acknowledged after 5.2 s"],
    [
      "a time-out",
      { latencyMs: 10_001, status: null, error: "no answer within 10000 ms", response: null },
      "was not acknowledged within 10.0 s",
    ],
  ])("reports %s, once for each receiving URL", async (_, change, why) => {
    const live = await startLive({ transport: slowTransport(change) });
    await live.subscribe("transactions/started", URL);
    await live.createTransfer();
    await live.createTransfer();
    await live.settle();
    const [found, ...rest] = await findingsOf(live);
    expect(rest).toEqual([]);
    expect(found).toMatchObject({ kind: "webhook-slow", severity: "warning", requests: [{ id: "req_2" }] });
    expect(found?.why).toContain(why);
  });

  it("does not report 5 s", async () => {
    const live = await startLive({ transport: slowTransport({ latencyMs: 5_000 }) });
    await live.subscribe("transactions/started", URL);
    await live.createTransfer();
    await live.settle();
    expect(live.deliveries().map(({ status }) => status)).toEqual(["succeeded"]);
    expect(await kindsOf(live)).toEqual([]);
  });
});

describe("duplicate-subscription", () => {
  it("reports each of several that are made before any is answered", async () => {
    const store = createHeldStore();
    const live = await startLive({ store });
    const topics = ["charges/events", "transactions/completed"];
    const subscribe = () => Promise.all(topics.map((topic) => live.subscribe(topic, URL)));
    await subscribe();
    const release = store.hold();
    const again = subscribe();
    await store.held(2);
    for (const index of topics.keys()) release(index);
    await again;
    expect(await kindsOf(live)).toEqual(["duplicate-subscription", "duplicate-subscription"]);
  });
});

describe("outcome-never-learned", () => {
  it.each([
    ["whose acknowledgement a rule loses", "delivery", { loseAnswers: 1 }],
    ["whose signature a rule corrupts at first", "delivery", { corruptSignature: true, attempts: 1 }],
    ["that comes before a slow answer", "request", { delay: "50ms" }],
  ])("does not report a client that acknowledged a webhook %s", async (_, on, then) => {
    const receive = (_request: unknown, index: number) => (index === 0 && "corruptSignature" in then ? 401 : 200);
    const live = await startLive({ transport: createScriptedTransport(receive) });
    await live.subscribe("transactions/completed", URL);
    await live.control("POST", "/rules", { on, then });
    const answered = live.createTransfer();
    await live.until(() => live.company.world.transfers.size === 1);
    await live.advance("20s");
    await answered;
    expect(live.deliveries().map(({ status }) => status)).toEqual(["succeeded"]);
    const found: string[] = [];
    live.sandbox.events.on("finding", ({ finding }) => void found.push(finding.kind));
    await live.control("POST", "/reset");
    expect(found).toEqual([]);
  });
});

/** A network that reports latencies without waiting for them. */
function slowTransport(change: Partial<TransportResult>): Transport {
  const result = { status: 200, latencyMs: 0, error: null, response: { headers: {}, body: "" }, ...change };
  return { send: async () => result, close: async () => undefined };
}
