import { describe, expect, it } from "vitest";
import type { HttpExchange } from "../../src/adapters/har/http-exchange.js";
import type { ProfileInput, Sandbox } from "../../src/index.js";
import { calibrateAll, chargeOf, recordWith, sellOne, settingsIn, transferOf } from "../support/calibrate.js";
import { type Receiver, startReceiver } from "../support/receiver.js";

const HOOKS = "http://127.0.0.1:9/hooks";
const only = ["http", "paging", "webhooks.duplicateSubscription"];

async function subscribe(sandbox: Sandbox, ...subscriptions: readonly (readonly [string, string])[]): Promise<void> {
  for (const [topic, url] of subscriptions) await sandbox.fetch("/v1/webhooks", { json: { topic, url } });
}

function withBody(exchange: HttpExchange, change: (body: Record<string, unknown>) => unknown): HttpExchange {
  const { answer } = exchange;
  if (answer === undefined) return exchange;
  const body = JSON.stringify(change(JSON.parse(Buffer.from(answer.body).toString()) as Record<string, unknown>));
  return { ...exchange, answer: { ...answer, body: Buffer.from(body) } };
}

/** Two subscriptions from before, of which another system has one; then a list, one more, a sale, and a list again. */
async function recordListed(): Promise<HttpExchange[]> {
  const recorded = await recordWith({}, async (sandbox) => {
    await subscribe(sandbox, ["charges/events", "http://127.0.0.1:9/other"], ["charges/events", HOOKS]);
    await sandbox.clock.advance("1h");
    await sandbox.fetch("/v1/webhooks?limit=1");
    await subscribe(sandbox, ["transactions/completed", HOOKS]);
    await sellOne(sandbox);
    await sandbox.fetch("/v1/webhooks");
  });
  return recorded.slice(2).filter(({ url }) => !url.endsWith("/other"));
}

describe("subscriptions from before a recording", () => {
  it.each([
    ["whose webhooks it has", (exchanges: readonly HttpExchange[]) => exchanges],
    [
      "whose webhooks come by way of a tunnel",
      (exchanges: readonly HttpExchange[]) =>
        exchanges.map((exchange) =>
          exchange.url === HOOKS ? { ...exchange, url: "http://127.0.0.1:3000/" } : exchange,
        ),
    ],
    [
      "whose webhooks it does not have",
      (exchanges: readonly HttpExchange[]) => exchanges.filter(({ url }) => url !== HOOKS),
    ],
  ])("are no drift of a list: one %s", async (_, change) => {
    const report = await calibrateAll([change(await recordListed())], { only });
    expect([report.drift, settingsIn(report, "set")]).toEqual([[], {}]);
    expect(report.assumptions.filter((text) => /^The subscription .* was made before/.test(text))).toHaveLength(2);
  });

  it("are no drift of a target that is probed", async () => {
    const recorded = await recordWith({}, async (sandbox) => {
      await subscribe(sandbox, ["charges/events", HOOKS]);
      await subscribe(sandbox, ["charge/events", HOOKS], ["charge/events", HOOKS]);
      await sandbox.fetch("/v1/webhooks");
    });
    const report = await calibrateAll([recorded.slice(1)], { only, source: { target: "https://staging.example" } });
    expect([report.drift, settingsIn(report, "set")]).toEqual([[], {}]);
  });

  it("come in a list before those that it does not show", async () => {
    const recorded = await recordWith({ paging: { limit: 2 } }, async (sandbox) => {
      await subscribe(sandbox, ["transactions/started", HOOKS], ["transactions/failed", HOOKS]);
      await subscribe(sandbox, ["charges/events", HOOKS]);
      await sandbox.fetch("/v1/webhooks");
      await sellOne(sandbox);
    });
    const report = await calibrateAll([recorded.slice(3)], { only, profile: { paging: { limit: 2 } } });
    expect(report.drift).toEqual([]);
  });

  it("are distinguished from one that the recording makes and deletes", async () => {
    const recorded = await recordWith({}, async (sandbox) => {
      await subscribe(sandbox, ["charges/events", HOOKS]);
      const other = { topic: "charges/events", url: "http://127.0.0.1:9/other" };
      const made = await sandbox.fetch<{ id: string }>("/v1/webhooks", { json: other });
      await sandbox.fetch(`/v1/webhooks/${(await made.json()).id}`, { method: "DELETE" });
      await sellOne(sandbox);
    });
    const report = await calibrateAll([recorded.slice(1)], { only });
    expect([report.drift, settingsIn(report, "set")]).toEqual([[], {}]);
    expect(report.assumptions).toContain("A subscription to charges/events was made before the recording.");
  });

  it.each([
    ["no id", ({ id: _, ...body }: Record<string, unknown>) => body, "POST /v1/webhooks /body/id missing"],
    [
      "another id",
      (body: Record<string, unknown>) => ({ ...body, id: `${String(body["id"])}-1` }),
      "GET /v1/webhooks /body/data/*/id value",
    ],
  ])("are not taken for one whose creation shows %s", async (_, change, drift) => {
    const recorded = await recordWith({}, async (sandbox) => {
      await subscribe(sandbox, ["charges/events", HOOKS], ["transactions/completed", HOOKS]);
      await sandbox.fetch("/v1/webhooks");
    });
    const changed = recorded.map((exchange) => (exchange.method === "POST" ? withBody(exchange, change) : exchange));
    const report = await calibrateAll([changed], { only });
    expect(settingsIn(report, "set")).toEqual({});
    expect(report.drift.map(({ operation, pointer, kind }) => `${operation} ${pointer} ${kind}`)).toEqual([drift]);
  });

  it("are not taken for one whose creation got no answer", async () => {
    const recorded = await recordWith({}, async (sandbox) => {
      await subscribe(sandbox, ["charges/events", HOOKS]);
      await sandbox.fetch("/v1/webhooks");
    });
    const report = await calibrateAll([[{ ...recorded[0]!, answer: undefined }, recorded[1]!]], { only });
    expect([report.drift, report.assumptions]).toEqual([[], []]);
  });
});

interface Made {
  readonly id: string;
  readonly transactions: readonly { readonly id: string }[];
}

/** Sends a request and returns the body of its answer. */
type Post = (path: string, json?: object) => Promise<Made>;

interface Session {
  readonly profile?: ProfileInput;
  readonly receiver?: Receiver;
  readonly later?: string;
  readonly before: (post: Post) => Promise<Made>;
  readonly after: (sandbox: Sandbox, made: Made) => Promise<void>;
}

/** What comes some time after `before`. */
async function recordLater({ profile = {}, receiver, later = "30s", before, after }: Session): Promise<HttpExchange[]> {
  const { url } = receiver ?? (await startReceiver());
  const recorded = await recordWith(profile, async (sandbox) => {
    const topics = ["charges/events", "transactions/started", "transactions/completed", "transactions/failed"];
    await subscribe(sandbox, ...topics.map((topic) => [topic, url] as const));
    const made = await before(async (path, json) => {
      const answer = await sandbox.fetch<Made>(path, {
        method: "POST",
        ...(json === undefined ? {} : { json }),
      });
      return answer.json();
    });
    await sandbox.clock.advance(later);
    await sandbox.fetch("/v1/balance");
    await after(sandbox, made);
  });
  return recorded.slice(recorded.findIndex((exchange) => exchange.url.endsWith("/v1/balance")));
}

async function readTwice(sandbox: Sandbox, path: string): Promise<void> {
  await sandbox.fetch(path);
  await sandbox.clock.advance("90m");
  await sandbox.fetch(path);
}

const declined = { msisdn: "+2250700000002" };
const batch = { transactions: [transferOf("a"), transferOf("b")] };

const refundSome = async (post: Post) => {
  const charge = await post("/v1/charges", chargeOf("o"));
  await post(`/v1/charges/${charge.id}/pay`);
  await post(`/v1/charges/${charge.id}/refund`, { amount: 1_000 });
  return charge;
};

const readAll = async (sandbox: Sandbox, { transactions }: Made): Promise<void> => {
  for (const { id } of transactions) await sandbox.fetch(`/v1/transactions/${id}`);
};

describe("webhooks of changes from before a recording", () => {
  it.each<[string, string, (post: Post) => Promise<Made>]>([
    ["a drop", "62m", (post) => post("/v1/charges", chargeOf("o"))],
    [
      "a payment",
      "2h",
      async (post) => {
        const charge = await post("/v1/charges", chargeOf("o"));
        await post(`/v1/charges/${charge.id}/pay`);
        return charge;
      },
    ],
    [
      "a payment and refunds",
      "10m",
      async (post) => {
        const charge = await refundSome(post);
        await post(`/v1/charges/${charge.id}/refund`, { amount: 2_000 });
        return charge;
      },
    ],
    [
      "a payout",
      "10m",
      async (post) => {
        await post("/v1/transactions", transferOf("a"));
        return post("/v1/charges", chargeOf("o"));
      },
    ],
  ])("are no drift when they are repeated: those of %s", async (_, later, before) => {
    const receiver = await startReceiver({ status: 503 });
    const recorded = await recordLater({
      profile: { webhooks: { retry: "realistic" } },
      receiver,
      later,
      before,
      after: async (sandbox, { id }) => {
        receiver.reply({});
        await sandbox.clock.advance("30m");
        await sandbox.fetch(`/v1/charges/${id}`);
        await sandbox.fetch("/v1/transactions", { json: transferOf("b") });
        await sandbox.clock.advance("1h");
      },
    });
    const report = await calibrateAll([recorded], { only: ["charges.ttl", "transfers.settlement"] });
    expect([report.drift, settingsIn(report, "set")]).toEqual([[], {}]);
    expect(report.assumptions.join("\n")).toContain("report what happened before the recording");
  });
});

it("a payment that the service refuses shows that the charge was paid before the recording", async () => {
  const receiver = await startReceiver({ status: 503 });
  const recorded = await recordLater({
    profile: { webhooks: { retry: "realistic" } },
    receiver,
    before: async (post) => {
      const charge = await post("/v1/charges", chargeOf("o"));
      await post(`/v1/charges/${charge.id}/pay`);
      return charge;
    },
    after: async (sandbox, { id }) => {
      receiver.reply({});
      await sandbox.fetch(`/v1/charges/${id}/pay`, { method: "POST" });
      await sandbox.clock.advance("10m");
    },
  });
  const report = await calibrateAll([recorded], { only: ["charges.payField", "charges.payEndpoint"] });
  expect([report.drift, report.counts.set, report.counts.contradicted]).toEqual([[], 0, 0]);
});

it("a new member in the payment of a charge from before the recording is drift, not a missing endpoint", async () => {
  const exchanges = await recordWith({}, async (sandbox) => {
    const { id } = await (await sandbox.fetch<{ id: string }>("/v1/charges", { json: chargeOf("o") })).json();
    await sandbox.fetch(`/v1/charges/${id}/pay`, { method: "POST" });
  });
  const recorded = exchanges.slice(1).map((exchange) => withMember(exchange, "customerName", "Awa"));
  const report = await calibrateAll([recorded], { only: ["charges.payEndpoint"] });
  expect(report.drift).toMatchObject([{ pointer: "/body/customerName", kind: "added" }]);
  expect(settingsIn(report, "confirmed")).toEqual({ "charges.payEndpoint": "present" });
});

function withMember(exchange: HttpExchange, name: string, value: string): HttpExchange {
  const { answer } = exchange;
  if (answer === undefined) return exchange;
  const body = { ...(JSON.parse(Buffer.from(answer.body).toString()) as object), [name]: value };
  return { ...exchange, answer: { ...answer, body: Buffer.from(JSON.stringify(body)) } };
}

describe("charges and transfers from before a recording", () => {
  it.each<[string, Session]>([
    ["of a batch", { before: (post) => post("/v1/transactions/batch", batch), after: readAll }],
    [
      "of a batch that ends later",
      {
        profile: { transfers: { settlement: { after: "1m" } } },
        before: (post) => post("/v1/transactions/batch", batch),
        after: async (sandbox, made) => {
          await sandbox.clock.advance("5m");
          await readAll(sandbox, made);
        },
      },
    ],
    [
      "with a reference that another has, too",
      {
        profile: { transfers: { duplicateReference: "allow" } },
        before: (post) => post("/v1/transactions/batch", { transactions: [transferOf("a"), transferOf("a")] }),
        after: async (sandbox, made) => {
          await readAll(sandbox, made);
          await sandbox.fetch("/v1/transactions", { json: transferOf("a") });
        },
      },
    ],
    [
      "that had failed",
      {
        before: (post) => post("/v1/transactions", { ...transferOf("a"), ...declined }),
        after: async (sandbox, { id }) => void (await sandbox.fetch(`/v1/transactions/${id}`)),
      },
    ],
    [
      "whose end is read",
      {
        profile: { transfers: { settlement: { after: "1m" } } },
        before: (post) => post("/v1/transactions", transferOf("a")),
        after: (sandbox, { id }) => readTwice(sandbox, `/v1/transactions/${id}`),
      },
    ],
    [
      "whose reference is refused",
      {
        before: (post) => post("/v1/transactions", transferOf("a")),
        after: async (sandbox, { id }) => {
          await sandbox.fetch("/v1/transactions", { json: transferOf("a") });
          await sandbox.fetch("/v1/transactions/batch", { json: batch });
          await sandbox.fetch("/v1/transactions", { json: transferOf("b") });
          await sandbox.fetch(`/v1/transactions/${id}`);
        },
      },
    ],
    [
      "whose externalId is refused",
      {
        before: (post) => post("/v1/charges", chargeOf("o")),
        after: async (sandbox) => {
          await sandbox.fetch("/v1/charges", { json: chargeOf("o") });
          await sandbox.fetch("/v1/charges", { json: chargeOf("o") });
        },
      },
    ],
    [
      "that is paid now",
      {
        before: async (post) => {
          const charge = await post("/v1/charges", chargeOf("o"));
          await post(`/v1/charges/${charge.id}/pay`, declined);
          return charge;
        },
        after: async (sandbox, { id }) => {
          await sandbox.fetch("/v1/charges", { json: chargeOf("o") });
          await sandbox.fetch(`/v1/charges/${id}/pay`, { json: declined });
          await sandbox.fetch(`/v1/charges/${id}/pay`, { method: "POST" });
          await sandbox.fetch(`/v1/charges/${id}`);
        },
      },
    ],
    [
      "that was refunded in part",
      {
        before: refundSome,
        after: async (sandbox, { id }) => {
          await sandbox.fetch(`/v1/charges/${id}/refund`, { json: { amount: 2_000 } });
          await sandbox.fetch(`/v1/charges/${id}`);
        },
      },
    ],
    [
      "that was refunded in part, but reads as paid",
      {
        profile: { charges: { partialStatusOnRead: "paid" } },
        before: refundSome,
        after: async (sandbox, { id }) => void (await sandbox.fetch(`/v1/charges/${id}`)),
      },
    ],
    [
      "that is dropped later than usual",
      {
        profile: { charges: { ttl: "2h" } },
        before: (post) => post("/v1/charges", chargeOf("o")),
        after: async (sandbox, { id }) => {
          await readTwice(sandbox, `/v1/charges/${id}`);
          await readTwice(sandbox, `/v1/charges/${id}`);
        },
      },
    ],
  ])("are no drift: one %s", async (_, session) => {
    const set = Object.entries(session.profile ?? {}).flatMap(([group, members]) =>
      Object.entries(members as object).map(([name, value]): [string, unknown] => [`${group}.${name}`, value]),
    );
    const report = await calibrateAll([await recordLater(session)], { only: ["http", ...set.map(([path]) => path)] });
    expect([report.drift, settingsIn(report, "set")]).toEqual([[], Object.fromEntries(set)]);
  });
});

describe("members that records from before a recording lack or have in another form", () => {
  const read = async (sandbox: Sandbox, { id, transactions }: Made): Promise<void> => {
    await sandbox.fetch(`/v1/charges/${id}`);
    await readAll(sandbox, { id, transactions });
  };
  const before = async (post: Post): Promise<Made> => {
    const { transactions } = await post("/v1/transactions/batch", batch);
    return { ...(await refundSome(post)), transactions };
  };

  it.each([
    ["id", undefined, "/body/id missing"],
    ["id", 7, "/body/id type"],
    ["amount", undefined, "/body/amount missing"],
    ["amount", "20000", "/body/amount type"],
    ["createdAt", null, "/body/createdAt value"],
    ["description", 7, "/body/description type"],
    ["externalId", undefined, "/body/externalId missing"],
    ["metadata", null, "/body/metadata value"],
    ["msisdn", 2_250_700_000_010, "/body/msisdn type"],
    ["status", "DONE", "/body/status value"],
  ])("are drift: %s that is %j", async (name, value, drift) => {
    const recorded = await recordLater({ before, after: read });
    const changed = recorded.map((exchange) =>
      withBody(exchange, (body) => (name in body ? { ...body, [name]: value } : body)),
    );
    const report = await calibrateAll([changed], { only: ["http", "charges.fee", "transfers.fee"] });
    expect([report.source.compared, settingsIn(report, "set")]).toEqual([recorded.length, {}]);
    expect(report.drift.map(({ pointer, kind }) => `${pointer} ${kind}`)).toContain(drift);
  });

  it("are drift, and no setting: webhooks of refunds that do not say how much", async () => {
    const receiver = await startReceiver();
    const recorded = await recordLater({
      receiver,
      before: refundSome,
      after: async (sandbox, { id }) => {
        await sandbox.fetch(`/v1/charges/${id}`);
        await sandbox.fetch(`/v1/charges/${id}/refund`, { json: { amount: 500 } });
      },
    });
    const changed = recorded.map((exchange) => {
      if (exchange.url !== receiver.url) return exchange;
      const { topic, data } = JSON.parse(Buffer.from(exchange.body ?? []).toString()) as Record<string, object>;
      return { ...exchange, body: Buffer.from(JSON.stringify({ topic, data: { ...data, refunded: undefined } })) };
    });
    const report = await calibrateAll([changed], { only: ["webhooks.chargeEvents"] });
    expect(settingsIn(report, "set")).toEqual({});
    expect(report.drift.map(({ pointer }) => pointer)).toEqual(["/body/data/refunded"]);
  });
});
