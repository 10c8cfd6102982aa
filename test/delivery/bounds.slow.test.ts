import { describe, expect, it } from "vitest";
import type { Transport } from "../../src/adapters/delivery/transport.js";
import { advance, settle } from "../../src/sandbox/company/advance.js";
import { HELD_MAX, WEBHOOKS_OF_WORK_MAX } from "../../src/domain/deliveries/enqueue-deliveries.js";
import { holdId, WEBHOOK_BYTES_OF_WORK_MAX } from "../../src/domain/model/delivery.js";
import { isChangeOf } from "../../src/kernel/records/unit-of-work.js";
import { DEFAULT_LIMITS } from "../../src/sandbox/company/limits.js";
import { CONCURRENT_ATTEMPTS_PER_RECEIVER } from "../../src/sandbox/company/dispatcher.js";
import { createHeldStore } from "../support/held-store.js";
import { answerAfter, gate, startLive } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { createScriptedTransport } from "../support/scripted-transport.js";
import { longestStop } from "../support/loop-stops.js";
import { openWorld, type WorldOptions } from "../support/world.js";

function started(options: WorldOptions) {
  const world = openWorld(options);
  return { ...world, company: world.sandbox.defaultCompany };
}

describe("data that only grows is bounded", () => {
  it("the oldest finished deliveries are forgotten, pending ones are kept", async () => {
    const transport = createScriptedTransport((_, index) => (index === 0 || index === 2 ? 500 : 200));
    const { api, company } = started({ transport, limits: { ...DEFAULT_LIMITS, events: 100, deliveries: 3 } });
    await api("POST", "/v1/webhooks", { topic: "transactions/started", url: "http://hook.test/" });
    const made: string[] = [];
    for (let n = 0; n < 8; n++) {
      made.push((await api("POST", "/v1/transactions", transferRequest())).body.id.slice(4));
      await settle(company);
    }
    const kept = company.world.deliveries.values().map(({ resource, status }) => [resource, status]);
    expect(kept).toEqual([
      [made[0], "pending"],
      [made[2], "pending"],
      [made[7], "succeeded"],
    ]);
    await advance(company, { byMs: 10_000 });
    expect(company.world.deliveries.values().map(({ status }) => status)).toEqual([
      "succeeded",
      "succeeded",
      "succeeded",
    ]);
  });

  it("no more attempts are made at a time than the store can write", async () => {
    const store = createHeldStore();
    let letGo: ((index: number) => void) | undefined;
    const transport = createScriptedTransport(() => {
      letGo ??= store.hold();
      return 200;
    });
    const { api, company } = started({ store, transport });
    await api("POST", "/v1/webhooks", { topic: "transactions/started", url: "http://hook.test/" });
    const transactions = Array.from({ length: 100 }, () => transferRequest());
    await api("POST", "/v1/transactions/batch", { transactions });
    await store.held(CONCURRENT_ATTEMPTS_PER_RECEIVER);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(transport.sent).toHaveLength(CONCURRENT_ATTEMPTS_PER_RECEIVER);
    for (let index = 0; index < CONCURRENT_ATTEMPTS_PER_RECEIVER; index++) letGo?.(index);
    await settle(company);
    expect(transport.sent).toHaveLength(100);
  });

  it.each([2, 100])(
    "the oldest pending deliveries are cancelled beyond their own limit, with a warning: of %i",
    async (deliveries) => {
      const logged: unknown[] = [];
      const transport = createScriptedTransport(() => 500);
      const limits = { ...DEFAULT_LIMITS, events: 100, deliveries, pendingDeliveries: 4 };
      const log = { write: (...line: unknown[]) => void logged.push(line) };
      const { api, company } = started({ transport, limits, log });
      await api("POST", "/v1/webhooks", { topic: "transactions/started", url: "http://hook.test/" });
      const made: string[] = [];
      for (let n = 0; n < 9; n++) {
        made.push((await api("POST", "/v1/transactions", transferRequest())).body.id.slice(4));
        await settle(company);
      }
      expect(company.world.deliveries.values().map(({ resource }) => resource)).toEqual(made.slice(-4));
      const timers = company.world.due.values().filter(({ kind }) => kind === "delivery.attempt");
      expect(timers).toHaveLength(4);
      expect(logged.filter((line) => Array.isArray(line) && line[1] === "deliveries-given-up")).toEqual(
        Array.from({ length: 5 }, () => [
          "warn",
          "deliveries-given-up",
          {
            company: "company_sandbox",
            count: 1,
            message: "more than 4 deliveries are pending: the oldest are given up",
          },
        ]),
      );
    },
  );

  it("held deliveries are cancelled with their used-up rule, and the state stays consistent", async () => {
    const limits = { ...DEFAULT_LIMITS, events: 100, deliveries: 1, pendingDeliveries: 2 };
    const { api, control, company } = started({ transport: createScriptedTransport(() => 200), limits });
    await api("POST", "/v1/webhooks", { topic: "transactions/started", url: "http://hook.test/" });
    const rule = { on: "delivery", match: { topic: "transactions/started" }, then: { reverse: true }, times: 1 };
    expect((await control("POST", "/rules", rule)).status).toBe(201);
    await api("POST", "/v1/transactions", transferRequest({ msisdn: "+2250700000004" }));
    expect(company.world.holds.size).toBe(1);
    expect((await control("POST", "/rules", { ...rule, times: undefined })).status).toBe(201);
    for (let n = 0; n < 4; n++) await api("POST", "/v1/transactions", transferRequest());
    expect(company.world.deliveries.size).toBe(2);
    expect(company.world.holds.values().flatMap(({ deliveryIds }) => deliveryIds)).toHaveLength(2);
    expect(company.world.rules.size).toBe(1);
    const state = (await control("GET", "/state")).body;
    expect((await control("PUT", "/state", state)).status).toBe(200);
  });

  it("a held delivery is written once for each request, however many webhooks it waits for", async () => {
    const { api, control, company } = started({ transport: createScriptedTransport(() => 200) });
    await api("POST", "/v1/webhooks", { topic: "transactions/started", url: "http://hook.test/" });
    await control("POST", "/rules", { on: "delivery", then: { hold: 150 } });
    const transactions = Array.from({ length: 100 }, () => transferRequest({ msisdn: "+2250700000003" }));
    const { holds } = company.world;
    let written = 0;
    company.events.on("changed", ({ changes }) => {
      written += changes.filter((change) => isChangeOf(holds, change)).length;
    });
    await api("POST", "/v1/transactions/batch", { transactions });
    expect(holds.values().map(({ left }) => left)).toEqual(Array.from({ length: 100 }, (_, at) => 51 + at));
    expect(written).toBeLessThanOrEqual(200);
  });

  it("rules hold back 1000 webhooks of a company, and the others are sent, with a warning", async () => {
    const logged: unknown[] = [];
    const log = { write: (...line: unknown[]) => void logged.push(line) };
    const transport = createScriptedTransport(() => 200);
    const { api, control, company } = started({ transport, log });
    for (let n = 0; n < 10; n++)
      await api("POST", "/v1/webhooks", { topic: "charges/events", url: `http://hook.test/${n}` });
    await control("POST", "/rules", { on: "delivery", then: { reverse: true, duplicate: 100 } });
    const { body: charge } = await api("POST", "/v1/charges", chargeRequest());
    await api("POST", `/v1/charges/${charge.id}/pay`);
    await settle(company);
    const heldIds = () => company.world.holds.values().flatMap(({ deliveryIds }) => deliveryIds);
    expect(heldIds()).toHaveLength(HELD_MAX);
    expect(transport.sent).toHaveLength(10);
    const message = "rules hold back at most 1000 webhooks of a company: the others are sent";
    expect(logged).toContainEqual(["warn", "deliveries-not-held", { company: "company_sandbox", message }]);
    const state = (await control("GET", "/state")).body;
    expect((await control("PUT", "/state", state)).status).toBe(200);
  });

  it("holds whose webhooks were sent by hand count too, since each event goes through them", async () => {
    const transport = createScriptedTransport(() => 200);
    const { sandbox, api, control, company } = started({ transport });
    await api("POST", "/v1/webhooks", { topic: "transactions/started", url: "http://hook.test/" });
    await control("POST", "/rules", { on: "delivery", then: { hold: "end" } });
    const payout = (reference: string) =>
      api("POST", "/v1/transactions", { type: "transfer", amount: 5000, msisdn: "+2250700000003", reference });
    await payout("payout-1");
    const [held] = company.world.deliveries.values();
    await control("POST", `/deliveries/${held?.id}/redeliver`);
    await settle(company);
    const { body: state } = await control("GET", "/state");
    const withHolds = (count: number) => {
      const holds = Array.from({ length: count }, (_, at) => ({
        ...state.holds[0],
        seq: state.seq + at,
        eventId: `evt_${at}`,
      }));
      return control("PUT", "/state", { ...state, seq: state.seq + count, holds });
    };
    expect((await withHolds(HELD_MAX + 1)).body.message).toEqual([
      "holds must have at most 1000 deliveries together, got 1001",
    ]);
    expect((await withHolds(HELD_MAX)).status).toBe(200);
    await payout("payout-2");
    await settle(sandbox.defaultCompany);
    expect(sandbox.defaultCompany.world.holds.size).toBe(HELD_MAX);
    expect(transport.sent).toHaveLength(2);
  });

  it("a rule that could hold nothing for lack of room is removed once it is used up", async () => {
    const { api, control } = started({ transport: createScriptedTransport(() => 200) });
    for (let n = 0; n < 10; n++)
      await api("POST", "/v1/webhooks", { topic: "charges/events", url: `http://hook.test/${n}` });
    await control("POST", "/rules", { on: "delivery", then: { hold: "end", duplicate: 100 } });
    const { body: charge } = await api("POST", "/v1/charges", chargeRequest());
    await api("POST", `/v1/charges/${charge.id}/pay`);
    for (const then of [{ hold: "next" }, { hold: 1, duplicate: 2 }, { reverse: true }])
      await control("POST", "/rules", { on: "delivery", then, times: 1 });
    expect((await api("POST", `/v1/charges/${charge.id}/refund`, { amount: 1 })).status).toBe(200);
    expect((await control("GET", "/rules")).body.data).toMatchObject([{ times: null }]);
    const state = (await control("GET", "/state")).body;
    expect((await control("PUT", "/state", state)).status).toBe(200);
  });

  it("a used-up rule that holds events of a charge costs little at its next webhooks, however many holds there are", async () => {
    const { api, control, company } = started({ transport: createScriptedTransport(() => 200) });
    for (let n = 0; n < 500; n++)
      await api("POST", "/v1/webhooks", { topic: "charges/events", url: `http://hook.test/${n}` });
    for (const times of [undefined, 1])
      await control("POST", "/rules", { on: "delivery", then: { reverse: true }, times });
    const { body: charge } = await api("POST", "/v1/charges", chargeRequest());
    await api("POST", `/v1/charges/${charge.id}/pay`);
    const [own] = company.world.holds.values();
    const [other] = company.world.rules.values();
    // As of webhooks that were redelivered by hand, before that of the charge.
    for (let n = 0; n < 100_000; n++) {
      const hold = { ruleId: other!.id, resource: `charge-${n}`, eventId: null };
      company.world.holds.set({ ...own!, ...hold, id: holdId(hold), deliveryIds: [], seq: own!.seq - 1 - n / 1e6 });
    }
    const stopMs = await longestStop(async () => {
      expect((await api("POST", `/v1/charges/${charge.id}/refund`, { amount: 1 })).status).toBe(200);
    });
    expect(stopMs).toBeLessThan(300);
  });

  it("a delivery keeps its newest 200 attempts", async () => {
    const transport = createScriptedTransport(() => 200);
    const { api, control, company } = started({ transport });
    await api("POST", "/v1/webhooks", { topic: "transactions/started", url: "http://hook.test/" });
    await api("POST", "/v1/transactions", transferRequest());
    await settle(company);
    const [first] = company.world.deliveries.values();
    for (let n = 0; n < 205; n++) {
      expect((await control("POST", `/deliveries/${first?.id}/redeliver`)).status).toBe(200);
      await settle(company);
    }
    expect(transport.sent).toHaveLength(206);
    expect(company.world.deliveries.get(first?.id ?? "")?.attempts).toHaveLength(200);
    const { attempts } = (await control("GET", `/deliveries/${first?.id}`)).body;
    const shown = attempts.map(({ request }: { request: { body: string } }) => request.body !== "");
    expect(shown).toEqual(Array.from({ length: 200 }, (_, at) => at >= 180));
  });

  const message =
    "one request or due item has at most 20000 webhooks, with bodies of 64 MiB together: the others are not sent";
  const leftOut = ["warn", "deliveries-left-out", { company: "company_sandbox", message }];

  it("the webhooks of one request are limited, with a warning", async () => {
    const logged: unknown[] = [];
    const log = { write: (...line: unknown[]) => void logged.push(line) };
    const { api, control, company } = started({ transport: createScriptedTransport(() => 200), log });
    for (let n = 0; n < 3; n++)
      await api("POST", "/v1/webhooks", { topic: "transactions/started", url: "http://hook.test/" });
    await control("POST", "/rules", { on: "delivery", then: { duplicate: 99 } });
    const transactions = Array.from({ length: 100 }, () => transferRequest());
    expect((await api("POST", "/v1/transactions/batch", { transactions })).status).toBe(201);
    expect(company.world.deliveries.size).toBe(WEBHOOKS_OF_WORK_MAX);
    expect(logged).toContainEqual(leftOut);
  });

  it("the bodies of the webhooks of one request are limited, with a warning", async () => {
    const logged: unknown[] = [];
    const log = { write: (...line: unknown[]) => void logged.push(line) };
    const { api, company } = started({ transport: createScriptedTransport(() => 200), log });
    for (let n = 0; n < 80; n++)
      await api("POST", "/v1/webhooks", { topic: "charges/events", url: "http://hook.test/" });
    const { body: charge } = await api("POST", "/v1/charges", chargeRequest({ metadata: { a: "x".repeat(1e6) } }));
    expect((await api("POST", `/v1/charges/${charge.id}/pay`)).status).toBe(200);
    expect(company.world.deliveries.size).toBe(67);
    expect(logged).toContainEqual(leftOut);
  });

  it("a webhook whose body alone is too large is not sent, with a warning", async () => {
    const logged: unknown[] = [];
    const log = { write: (...line: unknown[]) => void logged.push(line) };
    const { api, control, company } = started({ transport: createScriptedTransport(() => 200), log });
    await api("POST", "/v1/webhooks", { topic: "charges/events", url: "http://hook.test/" });
    const { body: charge } = await api("POST", "/v1/charges", chargeRequest());
    // As a charge of a million refunds would be.
    const { charges } = company.world;
    charges.set({ ...charges.get(charge.id)!, metadata: { a: "x".repeat(WEBHOOK_BYTES_OF_WORK_MAX) } });
    expect((await api("POST", `/v1/charges/${charge.id}/pay`)).status).toBe(200);
    expect((await control("GET", "/deliveries")).body.count).toBe(0);
    expect(logged).toContainEqual(leftOut);
  });

  it("a company has at most 1000 rules", async () => {
    const { control } = started({});
    const rule = { on: "transfer", then: { outcome: "failed" } };
    for (let n = 0; n < 1_000; n++) expect((await control("POST", "/rules", rule)).status).toBe(201);
    const { status, body } = await control("POST", "/rules", rule);
    expect(status).toBe(422);
    expect(body.message).toEqual([
      "Failed to add the rule: a company has at most 1000 rules. Remove one with DELETE /_sandbox/rules/:id, or all.",
    ]);
    expect((await control("DELETE", "/rules")).status).toBe(204);
    expect((await control("POST", "/rules", rule)).status).toBe(201);
  });

  it("the rules of a company have at most 1 MiB, in a state and in its coverage too", async () => {
    const { control } = started({});
    const rule = (n: number) => ({ on: "request", then: { status: 503, body: `${n} ${"x".repeat(500_000)}` } });
    for (const n of [1, 2]) expect((await control("POST", "/rules", rule(n))).status).toBe(201);
    const { status, body } = await control("POST", "/rules", rule(3));
    expect([status, body.message[0]]).toEqual([422, expect.stringContaining("at most 1048576 bytes of rules")]);
    const { body: state } = await control("GET", "/state");
    state.rules[0].rule.then.body += "x".repeat(100_000);
    const put = await control("PUT", "/state", state);
    expect([put.status, put.body.message]).toEqual([400, ["rules must have at most 1048576 bytes together"]]);
    expect((await control("DELETE", "/rules")).status).toBe(204);
    expect((await control("POST", "/rules", rule(3))).status).toBe(201);
    expect((await control("GET", "/coverage")).body.rules).toHaveLength(2);
  });

  it("the values of settings in the coverage of a company have at most 1 MiB", async () => {
    const { api, control } = started({});
    const label = "x".repeat(60);
    for (let n = 0; n < 7; n++) {
      const allow = Array.from({ length: 1_000 }, (_, at) => `${n}-${at}.${label}.${label}.${label}.test`);
      expect((await control("PATCH", "/profile", { webhooks: { allow } })).status).toBe(200);
      await api("POST", "/v1/webhooks", { topic: "transactions/started", url: "http://hook.test/" });
    }
    const { body } = await control("GET", "/coverage");
    expect(JSON.stringify(body.openPoints).length).toBeLessThan(1.1 * 1024 ** 2);
    expect(JSON.stringify(body.openPoints)).toContain("0-999.x");
  });

  it("a page of companies has at most 2 MiB", async () => {
    const { control } = started({});
    const label = "x".repeat(60);
    const allow = Array.from({ length: 1_000 }, (_, at) => `${at}.${label}.${label}.${label}.test`);
    for (let n = 0; n < 15; n++) await control("POST", "/companies", { profile: { webhooks: { allow } } });
    const { body: first } = await control("GET", "/companies?limit=1000");
    expect(JSON.stringify(first).length).toBeLessThan(2.1 * 1024 ** 2);
    const { body: second } = await control("GET", `/companies?limit=1000&cursor=${first.cursor.next}`);
    const ids = [...first.data, ...second.data].map(({ companyId }) => companyId);
    expect([ids.length, new Set(ids).size, second.cursor.next]).toEqual([16, 16, null]);
  });

  it("the coverage of many companies with large rules does not stop the sandbox", async () => {
    const { control } = started({});
    const body = "x".repeat(1_000_000);
    for (let n = 0; n < 60; n++) {
      const companyId = `company_${n}`;
      await control("POST", "/companies", { companyId });
      await control("POST", `/rules?company=${companyId}`, { on: "request", name: companyId, then: { body } });
    }
    const stopMs = await longestStop(async () => {
      const { status, body } = await control("GET", "/coverage?company=*");
      expect([status, body.rules.length]).toEqual([200, 1]);
    });
    expect(stopMs).toBeLessThan(500);
  });

  it("a company has at most 100 access tokens, the newest", async () => {
    const { control, sandbox, company } = started({});
    for (let n = 0; n < 110; n++) {
      const request = { accessToken: `at_new_${n}`, overlap: "1d" };
      expect((await control("POST", "/companies/company_sandbox/rotate", request)).status).toBe(200);
    }
    expect(company.record.identity.tokens).toHaveLength(100);
    expect([sandbox.isTokenTaken("at_sandbox"), sandbox.isTokenTaken("at_new_10")]).toEqual([false, true]);
  });

  it("the oldest events are forgotten", async () => {
    const { api, company } = started({ limits: { ...DEFAULT_LIMITS, events: 3, deliveries: 3 } });
    for (let n = 0; n < 5; n++) await api("POST", "/v1/transactions", transferRequest());
    expect(company.world.events.size).toBe(3);
    expect(company.world.events.values().at(-1)?.type).toBe("transaction.started");
  });

  it("a delivery that was forgotten during its attempt is not recorded again", async () => {
    const hold = gate();
    const live = await startLive({ limits: { ...DEFAULT_LIMITS, events: 100, deliveries: 1 } });
    const receiver = await startReceiver(answerAfter(hold));
    const { id } = await live.subscribe("transactions/started", receiver.url);
    await live.createTransfer();
    await receiver.waitFor(1);
    await live.http("DELETE", `/v1/webhooks/${id}`);
    await live.subscribe("transactions/started", receiver.url);
    await live.createTransfer();
    expect(live.deliveries()).toHaveLength(1);
    hold.open();
    await live.settle();
    expect(live.deliveries()).toMatchObject([{ status: "succeeded" }]);
  });
});

describe("a bug affects one item only", () => {
  it("an attempt that throws is logged; its receiver, its resource and the clock continue", async () => {
    const logged: unknown[] = [];
    const scripted = createScriptedTransport(() => 200);
    const transport: Transport = {
      ...scripted,
      send: (request) =>
        request.body.toString().includes('"amount":6666')
          ? Promise.reject(new Error("broken"))
          : scripted.send(request),
    };
    const log = { write: (...line: unknown[]) => void logged.push(line) };
    const { api, company } = started({ transport, log });
    for (const topic of ["transactions/started", "transactions/completed"]) {
      await api("POST", "/v1/webhooks", { topic, url: "http://hook.test/" });
    }
    await api("POST", "/v1/transactions", transferRequest({ amount: 6_666 }));
    await api("POST", "/v1/transactions", transferRequest({ amount: 7_777 }));
    const result = await advance(company, { byMs: 3_600_000 });
    expect([result.firedCount, result.unfinished]).toEqual([2, []]);
    expect(company.world.deliveries.values().map(({ status }) => status)).toEqual([
      "pending",
      "succeeded",
      "pending",
      "succeeded",
    ]);
    expect(logged).toEqual([
      [
        "error",
        "bug",
        { company: "company_sandbox", delivery: expect.any(String), error: expect.stringContaining("broken") },
      ],
      [
        "error",
        "bug",
        { company: "company_sandbox", delivery: expect.any(String), error: expect.stringContaining("broken") },
      ],
    ]);
  });

  it("a due item that throws is logged and dropped; the others happen", async () => {
    const logged: unknown[] = [];
    const log = { write: (...line: unknown[]) => void logged.push(line) };
    const { api, company } = started({ log });
    const first = (await api("POST", "/v1/transactions", transferRequest())).body.id.slice(4);
    const second = (await api("POST", "/v1/transactions", transferRequest())).body.id.slice(4);
    const account = company.world.accounts.get("pending");
    const get = company.world.accounts.get.bind(company.world.accounts);
    let reads = 0;
    company.world.accounts.get = (id) => {
      if (reads++ === 0) throw new Error("broken");
      return get(id);
    };
    await advance(company, { byMs: 2_000 });
    expect(account?.amount).toBeGreaterThan(0);
    expect(company.world.transfers.get(first)?.status).toBe("pending");
    expect(company.world.transfers.get(second)?.status).toBe("completed");
    expect(company.world.due.size).toBe(0);
    expect(logged).toHaveLength(1);
  });
});

describe("work that is due now does not wait for a receiver that hangs", () => {
  it.each(["frozen", "running"])("during an advance of a %s clock", async (mode) => {
    const live = await startLive({
      profile: { transfers: { settlement: { after: 0 } } },
      ...(mode === "running" ? { clock: mode } : {}),
    });
    const hold = gate();
    const receiver = await live.receiverFor("charges/events", answerAfter(hold));
    await live.createCharge();
    const advanced = live.advance("next");
    await receiver.waitFor(1);
    const now = live.now();
    await live.createTransfer();
    await live.until(() => live.events().at(-1)?.type === "transaction.completed");
    expect(live.now()).toBe(now);
    hold.open();
    expect((await advanced).fired.map(({ kind }) => kind)).toEqual(["charge.expire", "transfer.settle"]);
  });
});
