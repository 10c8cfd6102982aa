import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { ARCHIVES_MAX } from "../../../src/http/control/observation-routes.js";
import { TEXT_MAX } from "../../../src/kernel/fields.js";
import { Table } from "../../../src/kernel/records/table.js";
import type { JournalEntry } from "../../../src/sandbox/observation/journal.js";
import { followingDeliveries } from "../../../src/sandbox/observation/verify-requests.js";
import { signIn, visit } from "../../support/dashboard.js";
import { startLive } from "../../support/live.js";
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
    // With pages of 16 MiB it took 2 s.
    expect(await longestStop(list)).toBeLessThan(1200);
  });

  it("does not stop the sandbox for long when a page of a thousand ends with a large one", async () => {
    const { world } = await withCharges(1000, 1);
    const { charges } = world.sandbox.defaultCompany.world;
    const oldest = charges.values().find(({ id }) => id === "charge-0");
    charges.set({ ...oldest!, metadata: { filler: "x".repeat(3 * MIB) } });
    const cursor = Buffer.from("prev:999").toString("base64url");
    const list = async () =>
      expect((await world.control("GET", `/charges?limit=1000&cursor=${cursor}`)).body.count).toBe(1);
    expect(await longestStop(list)).toBeLessThan(500);
  });

  it("shows a record that is larger than a page by itself", async () => {
    const { world } = await withCharges(2, 20 * MIB);
    const { body } = await world.control("GET", "/charges?limit=10");
    expect([body.count, body.data[0].id, body.cursor.next === null]).toEqual([1, "charge-1", false]);
  });
});

describe("a text that no request could bring", () => {
  const long = "x".repeat(TEXT_MAX);

  it.each([
    ["charges[0].metadata must have at most 8388608 bytes as JSON", "charges", { metadata: { long } }],
    ["charges[0].description must have at most 8388608 characters", "charges", { description: `${long}x` }],
    ["charges[0].droppedReason must have at most 8388608 characters", "charges", { droppedReason: `${long}x` }],
    ["customers[0].firstName must have at most 8388608 characters", "customers", { firstName: `${long}x` }],
  ])("%s, in a state and in an import", async (message, table, change) => {
    const { api, control } = openWorld();
    await api("POST", "/v1/charges", chargeRequest());
    await control("PUT", "/customers/0700000001", { firstName: "Awa", lastName: "Koné" });
    const { body: state } = await control("GET", "/state");
    Object.assign(state[table][0], change);
    const put = await control("PUT", "/state", state);
    expect([put.status, put.body.message]).toEqual([400, [expect.stringContaining(message)]]);
    expect(put.text.length).toBeLessThan(1000);
    const { body: exported } = await control("POST", "/companies/company_sandbox/export", {});
    for (const [, , name, rows] of exported.entries) if (name === table) Object.assign(rows[0], change);
    await control("DELETE", "/companies/company_sandbox");
    const imported = await control("PUT", "/companies/company_sandbox", exported);
    expect([imported.status, imported.body.message]).toEqual([400, [expect.stringContaining(message)]]);
  });

  it("is refused as metadata of a request, where 1e20 counts with all its digits", async () => {
    const { api } = openWorld({ profile: { server: { bodyLimit: TEXT_MAX } } });
    const metadata = { numbers: Array.from({ length: 390_000 }, () => 1e20) };
    const body = JSON.stringify(chargeRequest({ metadata })).replaceAll("100000000000000000000", "1e20");
    const { status, body: problem } = await api("POST", "/v1/charges", body);
    expect([status, problem.message]).toEqual([
      400,
      ["metadata must have at most 8388608 bytes as JSON, got an object"],
    ]);
  });
});

describe("a request that is shorter than what it puts", () => {
  /** In the store 1e20 has 21 characters. */
  const numbers = `[${"1e20,".repeat(350_000)}1]`;
  const createCharges = async (api: TestWorld["api"]) => {
    for (let n = 0; n < 20; n++) await api("POST", "/v1/charges", chargeRequest({ metadata: { numbers: "here" } }));
  };

  it("is refused as a state that would be too large to be read again", async () => {
    const { api, control } = openWorld();
    await createCharges(api);
    const state = await control("GET", "/state");
    const refused = await control("PUT", "/state", state.text.replaceAll('"here"', numbers));
    expect([refused.status, refused.body.message[0]]).toEqual([
      422,
      "Failed to put the state: it has more than 268435456 bytes. Remove records from it. A number such as 1e20 counts with all its digits.",
    ]);
    expect((await control("GET", "/state")).body.charges).toEqual(state.body.charges);
  });

  it("is refused as a company that would be too large to be read again", async () => {
    const { api, control } = openWorld();
    await createCharges(api);
    const exported = await control("POST", "/companies/company_sandbox/export", {});
    await control("DELETE", "/companies/company_sandbox");
    const given = exported.text.replaceAll('"here"', numbers);
    const { status, body } = await control("PUT", "/companies/company_sandbox", given);
    expect([status, body.message[0]]).toEqual([
      400,
      "Failed to import the company: it has more than 268435456 bytes. Remove snapshots, or reset it.",
    ]);
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

it("a company that no import would take is not closed for a move", async () => {
  const { world } = await withMetadata(400, { values: Array.from({ length: 20_000 }, () => []) });
  const { status, body } = await world.control("POST", "/companies/company_sandbox/export", { close: true });
  const why = "its metadata has so many short values that no import would take it. Remove snapshots, or reset it";
  expect([status, body.message]).toEqual([422, [`Failed to export the company: ${why}.`]]);
  expect((await world.api("GET", "/v1/balance")).status).toBe(200);
});

describe("answers that a client does not read", () => {
  const ask = async (url: string, path: string, headers: Record<string, string>): Promise<Socket> => {
    const socket = await connectTo(url);
    onTestFinished(() => void socket.destroy());
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.write([`GET ${path} HTTP/1.1`, `host: ${new URL(url).host}`, ...lines, "", ""].join("\r\n"));
    await once(socket, "readable");
    return socket;
  };
  const statusOf = async (url: string, headers: Record<string, string>): Promise<number> => {
    const answer = await fetch(url, { headers });
    await answer.body?.cancel();
    return answer.status;
  };

  it("are limited for each company, not for each of its tokens", async () => {
    const { world, ids } = await withCharges(1, 100 * MIB, { tenancy: true, adminToken: "s3cret-admin" });
    const url = await world.listen();
    const admin = { authorization: "Bearer s3cret-admin" };
    await world.control("POST", "/companies", { companyId: "company_b", accessToken: "at_b" }, admin);
    await world.control("POST", "/companies/company_sandbox/rotate", { accessToken: "at_2", overlap: "1h" }, admin);
    const path = `/v1/charges/${ids.at(-1)}`;
    const sockets = [];
    for (const token of ["at_sandbox", "at_2", "at_sandbox"])
      sockets.push(await ask(url, path, { authorization: `Bearer ${token}` }));
    for (const token of ["at_sandbox", "at_2"])
      expect(await statusOf(url + path, { authorization: `Bearer ${token}` })).toBe(429);
    expect(await statusOf(`${url}/_sandbox/clock`, { authorization: "Bearer at_sandbox" })).toBe(429);
    expect(await statusOf(`${url}/v1/balance`, { authorization: "Bearer at_b" })).toBe(200);
    sockets[0]?.destroy();
    await expect.poll(() => statusOf(url + path, { authorization: "Bearer at_2" })).toBe(200);
  });

  it("are limited to ten HTTP archives of a company at a time", async () => {
    const world = openWorld();
    const { api, control } = world;
    await control("POST", "/companies", { companyId: "company_b" });
    // More than the system buffers for a client.
    const metadata = { text: "x".repeat(900_000) };
    for (let made = 0; made < 20; made++) await api("POST", "/v1/charges", chargeRequest({ metadata }));
    const url = await world.listen();
    const path = "/_sandbox/requests?format=har";
    const sockets = await Promise.all(Array.from({ length: ARCHIVES_MAX }, () => ask(url, path, {})));
    const refused = await fetch(url + path);
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { message: ["10 HTTP archives are being sent already, which is the most. Read one to its end."] },
    ]);
    expect(await statusOf(`${url}${path}&company=company_b`, {})).toBe(200);
    sockets[0]?.destroy();
    await expect.poll(() => statusOf(url + path, {})).toBe(200);
  });

  it("are limited to one file of the dashboard at a time", async () => {
    const { world } = await withCharges(4, 5 * MIB, { tenancy: true, adminToken: "s3cret-admin" });
    const url = await world.listen();
    const visitor = visit(world.app, url);
    await signIn(visitor, "at_sandbox");
    const headers = { cookie: [...visitor.cookies].map((pair) => pair.join("=")).join("; ") };
    const state = "/_sandbox/dashboard/state.json";
    const socket = await ask(url, state, headers);
    expect(String(socket.read(15))).toBe("HTTP/1.1 200 OK");
    for (const path of [state, "/_sandbox/dashboard/requests.har"])
      expect(await statusOf(url + path, headers)).toBe(429);
    expect(await statusOf(`${url}/_sandbox/dashboard/clock`, headers)).toBe(200);
    socket.destroy();
    await expect.poll(() => statusOf(url + state, headers)).toBe(200);
  });
});

it("a new connection does not wait for all earlier requests of other clients", async () => {
  const { world } = await withCharges(80, MIB);
  const url = await world.listen();
  const health = `${url}/_sandbox/health`;
  await fetch(health);
  let answered = 0;
  const { port } = new URL(url);
  const states = Array.from({ length: 10 }, async () => {
    const socket = connect(Number(port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write("GET /_sandbox/state HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer at_sandbox\r\n\r\n");
    await once(socket, "data");
    answered++;
  });
  expect((await fetch(health, { headers: { connection: "close" } })).status).toBe(200);
  expect(answered).toBeLessThan(5);
  await Promise.all(states);
});

it("large bodies that arrive at the same time do not stop the event loop together", async () => {
  const { url } = await startLive();
  const body = JSON.stringify(chargeRequest({ metadata: { text: "x".repeat(1_000_000) } }));
  const head = "host: localhost\r\nauthorization: Bearer at_sandbox\r\nx-company-id: company_sandbox\r\n";
  const request = `POST /v1/charges HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const sockets = await Promise.all(Array.from({ length: 150 }, () => connectTo(url)));
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  const stopMs = await longestStop(async () => {
    const answers = sockets.map((socket) => once(socket, "readable"));
    for (const socket of sockets) socket.write(request);
    await Promise.all(answers);
  });
  expect(stopMs).toBeLessThan(500);
});

it("companies with long lists of hosts are listed without a long stop", async () => {
  const { control } = openWorld();
  const allow = Array.from({ length: 1000 }, (_, n) => `a${n}.b`);
  for (let n = 0; n < 60; n++)
    await control("POST", "/companies", { companyId: `c${n}`, profile: { webhooks: { allow } } });
  const stopMs = await longestStop(async () => {
    const { body } = await control("GET", "/companies?limit=1000");
    expect(body.count).toBe(61);
  });
  // It took 1.1 s.
  expect(stopMs).toBeLessThan(350);
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

it("pages of the journal that are requested at the same time are made one after the other, since each takes memory", async () => {
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
