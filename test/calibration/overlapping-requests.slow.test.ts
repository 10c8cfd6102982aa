import { describe, expect, it } from "vitest";
import type { HttpExchange } from "../../src/adapters/har/http-exchange.js";
import type { ProfileInput, Sandbox } from "../../src/index.js";
import { calibrateAll, chargeOf, recordWith, settingsIn, transferOf } from "../support/calibrate.js";

describe("a recording of concurrent clients", () => {
  /** What a service that is asked at these instants records, ms. `before` and `after`: how much earlier the request started and later its answer came, ms. */
  const recordAt = async (
    profile: ProfileInput,
    asked: readonly {
      readonly at: number;
      readonly before?: number;
      readonly after?: number;
      readonly ask: (sandbox: Sandbox) => Promise<unknown>;
    }[],
  ): Promise<HttpExchange[]> => {
    const sorted = asked.toSorted((a, b) => a.at - b.at);
    const recorded = await recordWith(profile, async (sandbox) => {
      const begin = sandbox.clock.now.getTime();
      for (const { at, ask } of sorted) {
        await sandbox.clock.advance(begin + at - sandbox.clock.now.getTime());
        await ask(sandbox);
      }
    });
    return recorded.map((exchange, place) => {
      const { before = 0, after = 0 } = sorted[place] ?? {};
      return { ...exchange, startedAt: exchange.startedAt - before, ms: before + after + 0.25 };
    });
  };

  const textOf = (body: Uint8Array = Buffer.of()): string => Buffer.from(body).toString();
  const truncateTimes = (exchange: HttpExchange): HttpExchange => {
    const text = textOf(exchange.answer!.body).replaceAll(/(T\d\d:\d\d:\d\d)\.\d{3}Z/g, "$1.000Z");
    return { ...exchange, answer: { ...exchange.answer!, body: Buffer.from(text) } };
  };

  it("shows the time of settlement although creations are slow", async () => {
    const asked = Array.from({ length: 10 }, (_, client) => {
      let id = "";
      const at = 1_000 + client * 70;
      const create = async (sandbox: Sandbox) => {
        const made = await sandbox.fetch<{ id: string }>("/v1/transactions", { json: transferOf(`salary-${client}`) });
        ({ id } = await made.json());
      };
      return [
        { at, before: 900, after: 5, ask: create },
        ...[400, 800, 1_200, 1_600, 2_000, 2_400, 2_980, 3_020].slice(client % 4).map((age) => ({
          at: at + age,
          after: 3,
          ask: (sandbox: Sandbox) => sandbox.fetch(`/v1/transactions/${id}`),
        })),
      ];
    }).flat();
    const recorded = await recordAt({ transfers: { settlement: { after: "3s" } } }, asked);
    const report = await calibrateAll([recorded], { only: ["http", "transfers", "testNumbers"] });
    expect([report.drift, settingsIn(report, "set"), settingsIn(report, "contradicted")]).toEqual([
      [],
      { "transfers.settlement": { after: "3s" } },
      {},
    ]);
  });

  it("dates a slow read by what it shows", async () => {
    let id = "";
    const create = async (sandbox: Sandbox) => {
      const made = await sandbox.fetch<{ id: string }>("/v1/transactions", { json: transferOf("salary-1") });
      ({ id } = await made.json());
    };
    const read = (sandbox: Sandbox) => sandbox.fetch(`/v1/transactions/${id}`);
    const asked = [
      { at: 0, ask: create },
      { at: 1_900, after: 3, ask: read },
      { at: 2_100, before: 300, after: 3, ask: read },
    ];
    const report = await calibrateAll([await recordAt({}, asked)]);
    expect([report.drift, settingsIn(report, "set")]).toEqual([[], {}]);
  });

  it("dates no webhook before the request that it reports, although the clocks drift apart", async () => {
    const profile = { webhooks: { retry: "none" } } as const;
    const pay = (reference: string) => (sandbox: Sandbox) =>
      sandbox.fetch("/v1/transactions", { json: transferOf(reference) });
    const recorded = await recordAt(profile, [
      {
        at: 7,
        ask: (sandbox) =>
          sandbox.fetch("/v1/webhooks", { json: { topic: "transactions/started", url: "http://127.0.0.1:9/hooks" } }),
      },
      { at: 207, ask: pay("salary-1") },
      { at: 60_007, ask: pay("salary-2") },
    ]);
    const begin = recorded[0]!.startedAt;
    const drifting = recorded.map((exchange) => {
      const passed = exchange.startedAt - begin;
      return { ...exchange, startedAt: begin + Math.round(passed * 0.9999), ms: 100 };
    });
    const report = await calibrateAll([drifting], { only: ["http"], profile });
    expect([report.source.webhooks, report.drift]).toEqual([2, []]);
  });

  it("dates a slow payment by the webhook that reports it", async () => {
    let id = "";
    const asked = [
      {
        at: 0,
        ask: (sandbox: Sandbox) =>
          sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: "http://127.0.0.1:9/hooks" } }),
      },
      {
        at: 10,
        ask: async (sandbox: Sandbox) => {
          const made = await sandbox.fetch<{ id: string }>("/v1/charges", { json: chargeOf("order-1") });
          ({ id } = await made.json());
        },
      },
      {
        at: 1_700,
        before: 1_600,
        after: 20,
        ask: (sandbox: Sandbox) => sandbox.fetch(`/v1/charges/${id}/pay`, { json: { msisdn: "+2250700000001" } }),
      },
    ];
    const recorded = await recordAt({ webhooks: { retry: "none" } }, asked);
    const report = await calibrateAll([recorded], { only: ["http"], profile: { webhooks: { retry: "none" } } });
    expect([report.source.webhooks, report.drift]).toEqual([1, []]);
  });

  it("dates a slow batch by the first webhook of any of its transfers", async () => {
    const json = { transactions: [transferOf("salary-1"), transferOf("salary-2", 6_000)] };
    const asked = [
      {
        at: 0,
        ask: (sandbox: Sandbox) =>
          sandbox.fetch("/v1/webhooks", { json: { topic: "transactions/started", url: "http://127.0.0.1:9/hooks" } }),
      },
      {
        at: 1_700,
        before: 100,
        after: 200,
        ask: (sandbox: Sandbox) => sandbox.fetch("/v1/transactions/batch", { json }),
      },
    ];
    const profile = { webhooks: { retry: "none" } } as const;
    const recorded = (await recordAt(profile, asked)).map((exchange) => {
      if (!exchange.url.endsWith("/hooks")) return truncateTimes(exchange);
      return textOf(exchange.body).includes("salary-1")
        ? { ...exchange, startedAt: exchange.startedAt + 50 }
        : exchange;
    });
    const report = await calibrateAll([recorded], { only: ["http", "transfers.duplicateReference"], profile });
    expect([report.drift, settingsIn(report, "set"), report.assumptions]).toEqual([[], {}, []]);
  });

  it("reads times that a service truncates to seconds", async () => {
    const ids: string[] = [];
    const asked = [410, 930, 1_250, 1_980].flatMap((at, client) => [
      {
        at,
        before: 3,
        after: 3,
        ask: async (sandbox: Sandbox) => {
          const made = await sandbox.fetch<{ id: string }>("/v1/transactions", {
            json: transferOf(`salary-${client}`),
          });
          ids[client] = (await made.json()).id;
        },
      },
      ...[1_950, 2_050].map((age) => ({
        at: at + age,
        before: 3,
        after: 3,
        ask: (sandbox: Sandbox) => sandbox.fetch(`/v1/transactions/${ids[client]}`),
      })),
    ]);
    const recorded = (await recordAt({}, asked)).map(truncateTimes);
    const report = await calibrateAll([recorded], { only: ["http", "transfers"] });
    expect([report.drift, settingsIn(report, "set"), settingsIn(report, "contradicted")]).toEqual([[], {}, {}]);
  });

  it("does not compare a balance if the recording does not show whether money had moved, and says so", async () => {
    const balance = (sandbox: Sandbox) => sandbox.fetch("/v1/balance");
    const pay = (sandbox: Sandbox) => sandbox.fetch("/v1/transactions", { json: transferOf("salary-1", 1_000) });
    const asked = [
      { at: 10, before: 5, after: 1, ask: balance },
      { at: 100, before: 90, after: 50, ask: pay },
      // It began before the transfer, and shows what was left after it.
      { at: 101, before: 99, after: 1, ask: balance },
      { at: 300, after: 1, ask: balance },
    ];
    const recorded = await recordAt({}, asked);
    const report = await calibrateAll([recorded], { only: ["http"] });
    expect(report.drift).toEqual([]);
    expect(report.assumptions).toEqual([
      expect.stringContaining("held 10000000 XOF at the beginning"),
      "Where a read of the balance overlaps a movement of money, the balance is not compared.",
    ]);
  });

  it("does not compare a balance that is read while a transfer may be returning its money", async () => {
    let id = "";
    const asked = [
      { at: 10, after: 3, ask: (sandbox: Sandbox) => sandbox.fetch("/v1/balance") },
      {
        at: 400,
        before: 300,
        after: 200,
        ask: async (sandbox: Sandbox) => {
          const json = { ...transferOf("salary-1"), msisdn: "+2250700000002" };
          ({ id } = await (await sandbox.fetch<{ id: string }>("/v1/transactions", { json })).json());
        },
      },
      { at: 2_450, before: 200, after: 200, ask: (sandbox: Sandbox) => sandbox.fetch("/v1/balance") },
      { at: 2_900, after: 3, ask: (sandbox: Sandbox) => sandbox.fetch(`/v1/transactions/${id}`) },
      { at: 3_000, after: 3, ask: (sandbox: Sandbox) => sandbox.fetch("/v1/balance") },
    ];
    const report = await calibrateAll([await recordAt({}, asked)], { only: ["http", "transfers"] });
    expect([report.drift, settingsIn(report, "set"), settingsIn(report, "contradicted")]).toEqual([[], {}, {}]);
    expect(report.assumptions.join()).toContain("the balance is not compared");
  });
});
