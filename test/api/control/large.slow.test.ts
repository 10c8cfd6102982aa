import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { Table } from "../../../src/kernel/records/table.js";
import type { JournalEntry } from "../../../src/sandbox/observation/journal.js";
import { followingDeliveries } from "../../../src/sandbox/observation/verify-requests.js";
import { signIn, visit } from "../../support/dashboard.js";
import { longestStop } from "../../support/loop-stops.js";
import { connectTo } from "../../support/raw-http.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { openWorld, type TestWorld, type WorldOptions } from "../../support/world.js";

const MIB = 1024 * 1024;

/** A world with so many charges that share one large text, so that only their JSON is large. */
const withCharges = (count: number, bytes: number, options?: WorldOptions) =>
  withMetadata(count, { filler: "x".repeat(bytes) }, options);

async function withMetadata(
  count: number,
  metadata: Record<string, unknown>,
  options?: WorldOptions,
): Promise<{ world: TestWorld; ids: string[] }> {
  const world = openWorld(options);
  await world.api("POST", "/v1/charges", chargeRequest());
  const { charges } = world.sandbox.defaultCompany.world;
  const [first] = charges.values();
  if (first === undefined) throw new Error("There is no charge.");
  for (let index = 0; index < count; index++) {
    charges.set({ ...first, id: `charge-${index}`, externalId: `large-${index}`, seq: 1000 + index, metadata });
  }
  return { world, ids: charges.values().map(({ id }) => id) };
}

describe("a list of large records", () => {
  it("comes in pages of fewer rows than the limit, in both directions", async () => {
    const { world, ids } = await withCharges(40, MIB);
    const walk = async (direction: "next" | "prev", from: string): Promise<string[][]> => {
      const pages: string[][] = [];
      for (let cursor: string | null = from; cursor !== null;) {
        const { status, text, body } = await world.control("GET", `/charges?limit=1000${cursor}`);
        expect([status, body.limit, body.count, text.length < 3 * MIB]).toEqual([200, 1000, body.data.length, true]);
        pages.push(body.data.map(({ id }: { id: string }) => id));
        const following: string | null = body.cursor[direction];
        cursor = following === null ? null : `&cursor=${following}`;
      }
      return pages;
    };
    const newestFirst = ids.toReversed();
    const forth = await walk("next", "");
    expect(forth.flat()).toEqual(newestFirst);
    expect(forth.length).toBe(40);
    const oldest = Buffer.from("prev:0").toString("base64url");
    const back = await walk("prev", `&cursor=${oldest}`);
    expect(back.toReversed().flat()).toEqual(newestFirst);
  });

  it("does not stop the sandbox for long when the records have tens of thousands of short values", async () => {
    const metadata = Object.fromEntries(Array.from({ length: 90_000 }, (_, n) => [`a${n}`, 0]));
    const { world } = await withMetadata(20, metadata);
    const list = async () => expect((await world.control("GET", "/charges?limit=1000")).body.count).toBe(2);
    // It was 2 s with pages of 16 MiB.
    expect(await longestStop(list)).toBeLessThan(1200);
  });

  it("shows a record alone that is larger than a page", async () => {
    const { world } = await withCharges(2, 20 * MIB);
    const { body } = await world.control("GET", "/charges?limit=10");
    expect([body.count, body.data[0].id, body.cursor.next === null]).toEqual([1, "charge-1", false]);
  });
});

describe("more than a string can hold", () => {
  it.each([
    ["GET", "/state", "Failed to write the state: it has more than 268435456 bytes. Reset the company now and then."],
    [
      "POST",
      "/snapshots/a",
      'Failed to save the snapshot "a": it has more than 267386880 bytes. Reset the company now and then.',
    ],
  ])("%s %s is 422 before anything is built", async (method, path, message) => {
    const { world } = await withCharges(600, MIB);
    const before = process.memoryUsage().heapUsed;
    const { status, body } = await world.control(method, path);
    expect([status, body.message]).toEqual([422, [message]]);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * MIB);
    expect((await world.control("GET", "/snapshots")).body.count).toBe(0);
    expect((await world.api("GET", "/v1/balance")).status).toBe(200);
  });

  it("a single record is 422 in its list, and the others can be read", async () => {
    const { world } = await withCharges(1, 300 * MIB);
    const { status, body } = await world.control("GET", "/charges?limit=1");
    expect([status, body.message]).toEqual([
      422,
      [
        "Failed to write the answer: it has more than 268435456 bytes. Ask for less, or reset the company now and then.",
      ],
    ]);
    expect((await world.control("GET", "/ledger")).status).toBe(200);
  });
});

describe("large answers to a tenant that does not read them", () => {
  it.each([
    ["/_sandbox/state", () => ({ authorization: `Bearer ${TOKEN}` })],
    [
      "/_sandbox/dashboard/state.json",
      async (world: TestWorld, url: string) => ({ cookie: await cookieOf(world, url) }),
    ],
  ])("%s is 429 while there is no room, and the tenant's other calls are answered", async (path, credentials) => {
    const { world } = await withCharges(150, MIB, { tenancy: true, adminToken: "s3cret-admin" });
    const url = await world.listen();
    const headers = await credentials(world, url);
    const first = await connectTo(url);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    first.write([`GET ${path} HTTP/1.1`, `host: ${new URL(url).host}`, ...lines, "", ""].join("\r\n"));
    await once(first, "readable");
    expect(String(first.read(15))).toBe("HTTP/1.1 200 OK");
    const statusOf = async (wanted: string): Promise<number> => {
      const answer = await fetch(url + wanted, { headers });
      await answer.body?.cancel();
      return answer.status;
    };
    expect(await statusOf(path)).toBe(429);
    expect(await statusOf(path.replace(/state.*/, "clock"))).toBe(200);
    first.destroy();
    await expect.poll(() => statusOf(path)).toBe(200);
  });

  const TOKEN = "at_sandbox";

  async function cookieOf(world: TestWorld, url: string): Promise<string> {
    const visitor = visit(world.app, url);
    await signIn(visitor, TOKEN);
    return [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
  }
});

it("the requests of large batches name their webhooks without a long stop", async () => {
  const { api, control, sandbox } = openWorld();
  await api("POST", "/v1/webhooks", { topic: "transactions/completed", url: "http://127.0.0.1:9/" });
  await control("PATCH", "/profile", { transfers: { settlement: "immediate" } });
  await api("POST", "/v1/transactions", transferRequest());
  const { world } = sandbox.defaultCompany;
  const { journal } = sandbox.observationOf("company_sandbox");
  const [delivery] = world.deliveries.values();
  const entry = journal.entries.values().at(-1);
  if (delivery === undefined || entry === undefined) throw new Error("There is no webhook.");
  const created = Array.from({ length: 30_000 }, (_, n) => `transfer-${n}`);
  for (const [n, resource] of created.entries())
    world.deliveries.set({ ...delivery, id: `del_${n}`, seq: 1_000 + n, resource });
  const entries = new Table<JournalEntry>("requests");
  const large = { ...entry, created, enqueued: [] };
  entries.set(large);
  const stopMs = await longestStop(async () => {
    expect(followingDeliveries(world, { entries }, [large])(large)).toHaveLength(30_000);
  });
  expect(stopMs).toBeLessThan(1_500);
});

it("pages of the journal that are asked for at the same time are made one after the other, since each takes memory", async () => {
  const { api, control } = openWorld();
  const members = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`member${n}`, "x"]));
  for (let n = 0; n < 300; n++) await api("POST", "/v1/charges", { ...members, n });
  const start = performance.now();
  const done: number[] = [];
  const ask = async (): Promise<void> => {
    expect((await control("GET", "/requests?limit=1000")).body.data).toHaveLength(300);
    done.push(performance.now() - start);
  };
  await Promise.all(Array.from({ length: 10 }, ask));
  const [first = Infinity] = done;
  expect(first).toBeLessThan((done.at(-1) ?? 0) / 2);
});
