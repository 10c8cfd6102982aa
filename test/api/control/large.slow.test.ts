import { describe, expect, it } from "vitest";
import { chargeRequest } from "../../support/requests.js";
import { openWorld, type TestWorld } from "../../support/world.js";

const MIB = 1024 * 1024;

/** A world with so many charges that share one large text, so that only their JSON is large. */
async function withCharges(count: number, bytes: number): Promise<{ world: TestWorld; ids: string[] }> {
  const world = openWorld();
  await world.api("POST", "/v1/charges", chargeRequest());
  const { charges } = world.sandbox.defaultCompany.world;
  const [first] = charges.values();
  if (first === undefined) throw new Error("There is no charge.");
  const metadata = { filler: "x".repeat(bytes) };
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
        expect([status, body.limit, body.count, text.length < 17 * MIB]).toEqual([200, 1000, body.data.length, true]);
        pages.push(body.data.map(({ id }: { id: string }) => id));
        const following: string | null = body.cursor[direction];
        cursor = following === null ? null : `&cursor=${following}`;
      }
      return pages;
    };
    const newestFirst = ids.toReversed();
    const forth = await walk("next", "");
    expect(forth.flat()).toEqual(newestFirst);
    expect(forth.length).toBe(3);
    const oldest = Buffer.from("prev:0").toString("base64url");
    const back = await walk("prev", `&cursor=${oldest}`);
    expect(back.toReversed().flat()).toEqual(newestFirst);
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
