import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FileSystem, nodeFileSystem } from "../../../src/adapters/store/file-system.js";
import { openFileStore } from "../../../src/adapters/store/file-store.js";
import { silentLog } from "../../../src/kernel/log.js";
import { systemClock } from "../../../src/kernel/time/system-clock.js";
import { setupFor } from "../../../src/sandbox/config/options.js";
import { createStoreFormat } from "../../../src/sandbox/state/store-format.js";
import { createFaultyFiles } from "../../support/faulty-files.js";
import { folderWith } from "../../support/folder.js";
import { createFakeSystem } from "../../support/fake-system.js";
import { createHeldStore } from "../../support/held-store.js";
import { call, gate } from "../../support/live.js";
import { startReceiver } from "../../support/receiver.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import {
  createWorld,
  type GivenHeaders,
  type LooseJson,
  openWorld,
  type TestWorld,
  type WorldOptions,
} from "../../support/world.js";

const shop: GivenHeaders = { authorization: "Bearer at_shop", "x-company-id": "company_shop" };
const SHOP = "?company=company_shop";

/** A sandbox with the company `company_shop`, which has a charge. */
async function openShop(world = openWorld()): Promise<TestWorld> {
  await world.control("POST", "/companies", { companyId: "company_shop", secretKey: "a secret" });
  await world.api("POST", "/v1/charges", chargeRequest({ externalId: "order-1" }), shop);
  return world;
}

/** A sandbox that keeps its state in a file. */
async function openStored(
  path: string,
  { fs = nodeFileSystem, ...options }: WorldOptions & { readonly fs?: FileSystem } = {},
): Promise<TestWorld> {
  const format = createStoreFormat(options.system ?? systemClock);
  const store = await openFileStore({ path, format, system: systemClock, log: silentLog, fs });
  return createWorld({ ...options, store });
}

async function exportShop(world: TestWorld, close = true): Promise<LooseJson> {
  const { status, body } = await world.control("POST", "/companies/company_shop/export", { close });
  expect(status).toBe(200);
  return body;
}

describe("POST /companies/:id/export and PUT /companies/:id", () => {
  it("move a company with its records, credentials, snapshots and clock", async () => {
    const [source, target] = [await openShop(), openWorld()];
    await source.api("POST", "/v1/transactions", transferRequest(), shop);
    await source.control("POST", `/snapshots/before${SHOP}`);
    await source.control("PATCH", `/profile${SHOP}`, { charges: { payNotDue: 409 } });
    await source.control("POST", `/clock/advance${SHOP}`, { by: "59m" });
    const before = await source.control("GET", `/state${SHOP}`);

    const imported = await target.control("PUT", "/companies/company_shop", await exportShop(source));
    expect(imported.status).toBe(201);
    expect(imported.body).toMatchObject({ companyId: "company_shop", accessToken: "at_shop", secretKey: "a secret" });
    expect((await target.control("GET", `/state${SHOP}`)).body).toEqual(before.body);
    expect((await target.control("GET", `/snapshots/before${SHOP}`)).status).toBe(200);
    const next = await target.api("POST", "/v1/charges", chargeRequest({ externalId: "order-1" }), shop);
    expect(next.status).toBe(409);
    await target.control("POST", `/clock/advance${SHOP}`, { by: "1m" });
    const [charge] = (await target.control("GET", `/charges${SHOP}`)).body.data;
    expect(charge.status).toBe("dropped");
    await target.control("POST", `/reset${SHOP}`);
    expect((await target.control("GET", `/charges${SHOP}`)).body.count).toBe(0);
  });

  it("have each record by itself, because several may together be longer than a text can be", async () => {
    const { entries }: { entries: [string, string, string, unknown[]][] } = await exportShop(await openShop());
    const rows = entries.filter(([kind]) => kind === "rows");
    expect(rows.length).toBeGreaterThan(4);
    for (const [, , , records] of rows) expect(records).toHaveLength(1);
  });

  it("without close do not change the company", async () => {
    const source = await openShop();
    await exportShop(source, false);
    expect((await source.api("GET", "/v1/balance", undefined, shop)).status).toBe(200);
  });

  it("move a pending delivery to the new sandbox", async () => {
    const [source, target] = [await openShop(), openWorld()];
    const hung = gate();
    const receiver = await startReceiver(() => hung.opened.then(() => ({})));
    await source.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url }, shop);
    const [charge] = (await source.control("GET", `/charges${SHOP}`)).body.data;
    await source.api("POST", `/v1/charges/${charge.id}/pay`, undefined, shop);
    await receiver.waitFor(1);
    const file = await exportShop(source);
    hung.open();
    await target.control("PUT", "/companies/company_shop", file);
    const [first, second] = await receiver.waitFor(2);
    expect(second?.raw).toEqual(first?.raw);
    await target.control("POST", `/settle${SHOP}`);
    const { body } = await target.control("GET", `/deliveries${SHOP}`);
    expect(body.data.map(({ status }: LooseJson) => status)).toEqual(["succeeded"]);
  });
});

describe("a company that was closed", () => {
  it("answers 503 with Retry-After, whatever else the sandbox does", async () => {
    const source = await openShop();
    await exportShop(source);
    // In process, since the API description has no 503.
    const answer = await source.app.request("/v1/balance", { headers: { authorization: "Bearer at_shop" } });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await answer.json()).toMatchObject({ statusCode: 503, path: "/v1/balance" });
    expect((await source.control("GET", `/clock${SHOP}`)).status).toBe(404);
    expect((await source.api("GET", "/v1/balance")).status).toBe(200);
  });

  it("answers its tenant's control calls with 503, too", async () => {
    const admin = { authorization: "Bearer hush" };
    const tenant = { authorization: "Bearer at_shop" };
    const source = openWorld({ tenancy: true, adminToken: "hush" });
    await source.control("POST", "/companies", { companyId: "company_shop" }, admin);
    expect((await source.control("GET", "/clock", undefined, tenant)).status).toBe(200);
    expect((await source.control("POST", "/companies/company_shop/export", {}, tenant)).status).toBe(403);
    await source.control("POST", "/companies/company_shop/export", { close: true }, admin);
    const refused = await source.control("GET", "/clock", undefined, tenant);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  });

  it("answers 503 also when it is imported here again while the answer waits for the store", async () => {
    const admin = { authorization: "Bearer hush" };
    const store = createHeldStore();
    const source = openWorld({ tenancy: true, adminToken: "hush", store });
    await source.control("POST", "/companies", { companyId: "company_shop" }, admin);
    const { body } = await source.control("POST", "/companies/company_shop/export", { close: true }, admin);
    const letGo = store.hold();
    const refused = source.control("GET", "/clock", undefined, { authorization: "Bearer at_shop" });
    await store.held(1);
    const imported = source.control("PUT", "/companies/company_shop", body, admin);
    await store.held(2);
    letGo(0);
    letGo(1);
    expect([(await refused).status, (await imported).status]).toEqual([503, 201]);
  });

  it("keeps its id and tokens until it is removed, even with auto-provision", async () => {
    const source = await openShop(openWorld({ autoProvision: true }));
    await exportShop(source);
    expect((await source.control("POST", "/companies", { companyId: "company_shop" })).status).toBe(422);
    expect((await source.control("POST", "/companies", { accessToken: "at_shop", companyId: "b" })).status).toBe(422);
    expect((await source.control("DELETE", "/companies/company_shop")).status).toBe(204);
    expect((await source.control("DELETE", "/companies/company_shop")).status).toBe(404);
    expect((await source.api("GET", "/v1/balance", undefined, shop)).status).toBe(200);
    expect((await source.control("GET", `/charges${SHOP}`)).body.count).toBe(0);
  });

  it("is not opened by another token that names it", async () => {
    const source = await openShop(openWorld({ autoProvision: true }));
    await source.control("POST", "/companies/company_shop/rotate", { accessToken: "another" });
    await exportShop(source);
    for (const token of ["at_shop", "shop"]) {
      const headers = { authorization: `Bearer ${token}` };
      expect((await source.api("GET", "/v1/balance", undefined, headers)).status).toBe(401);
    }
  });

  it("begins in 1970 if its clock would be earlier", async () => {
    const target = openWorld();
    const { entries, ...file } = await exportShop(await openShop());
    const [[kind, id, head, replaces], ...rows] = entries;
    const clock = { mode: "running", offsetMs: -1e14 };
    const early = { ...file, entries: [[kind, id, { ...head, clock }, replaces], ...rows] };
    expect((await target.control("PUT", "/companies/company_shop", early)).status).toBe(201);
    const { status, body } = await target.control("GET", `/state${SHOP}`);
    expect(status).toBe(200);
    expect(body.clock.now).toBe("1970-01-01T00:00:00.000Z");
    expect((await target.control("POST", `/clock/advance${SHOP}`, { by: "1h" })).body.now).toBe(
      "1970-01-01T01:00:00.000Z",
    );
  });

  it("is listed by closed=true alone, until it is imported or removed", async () => {
    const world = await openShop();
    const listed = async (query: string): Promise<string[]> =>
      (await world.control("GET", `/companies${query}`)).body.data.map(({ companyId }: LooseJson) => companyId);
    const exported = await exportShop(world);
    const { body } = await world.control("GET", "/companies?closed=true&limit=1");
    const accessTokens = [{ accessToken: "at_shop", expiresAt: null }];
    expect(body).toMatchObject({ count: 1, limit: 1, cursor: { prev: null, next: null } });
    expect(body.data).toEqual([
      { companyId: "company_shop", accessToken: "at_shop", secretKey: "a secret", accessTokens },
    ]);
    expect(await listed("")).toEqual(["company_sandbox"]);
    expect(await listed("?closed=false")).toEqual(["company_sandbox"]);
    await world.control("PUT", "/companies/company_shop", exported);
    expect(await listed("?closed=true")).toEqual([]);
    await exportShop(world);
    await world.control("DELETE", "/companies/company_shop");
    expect(await listed("?closed=true")).toEqual([]);
    expect((await world.control("GET", "/companies?closed=yes")).status).toBe(400);
  });

  it("can be exported again, and comes back when it is imported where it was", async () => {
    const source = await openShop();
    const first = await exportShop(source);
    expect(await exportShop(source)).toEqual(first);
    expect((await source.control("PUT", "/companies/company_shop", first)).status).toBe(201);
    expect((await source.control("GET", `/charges${SHOP}`)).body.count).toBe(1);
  });

  it("does not come back from an older export, which lacks acknowledged writes", async () => {
    const source = await openShop();
    const older = await exportShop(source, false);
    await source.api("POST", "/v1/charges", chargeRequest(), shop);
    const latest = await exportShop(source);
    const refused = await source.control("PUT", "/companies/company_shop", older);
    expect([refused.status, refused.body.message[0]]).toEqual([
      422,
      'Failed to import the company "company_shop": it was exported before the one here was closed. Export that one again, or remove it first.',
    ]);
    expect((await source.control("PUT", "/companies/company_shop", latest)).status).toBe(201);
    expect((await source.control("GET", `/charges${SHOP}`)).body.count).toBe(2);
  });

  it.each(["reset", "restored"])("comes back after it was %s elsewhere, and through restarts", async (how) => {
    const path = join(await folderWith({}), "store.json");
    const source = await openShop();
    await source.control("POST", `/snapshots/before${SHOP}`);
    await source.api("POST", "/v1/charges", chargeRequest(), shop);
    const first = await exportShop(source);
    const target = await openStored(path);
    await target.control("PUT", "/companies/company_shop", first);
    if (how === "reset") await target.control("POST", `/reset${SHOP}`);
    else await target.control("PUT", `/snapshots/before${SHOP}`);
    const { count } = (await target.control("GET", `/charges${SHOP}`)).body;
    await target.close();
    const again = await openStored(path);
    const second = await exportShop(again);
    await again.close();

    expect((await source.control("PUT", "/companies/company_shop", second)).status).toBe(201);
    expect((await source.control("GET", `/charges${SHOP}`)).body.count).toBe(count);
    await exportShop(source);
    expect((await source.control("PUT", "/companies/company_shop", first)).status).toBe(422);
  });

  it("keeps its clock through a restart when an advance was under way", async () => {
    const path = join(await folderWith({}), "store.json");
    const system = createFakeSystem();
    const source = await openShop(await openStored(path, { system, clock: "running" }));
    const hung = gate();
    const receiver = await startReceiver(() => hung.opened.then(() => ({})));
    await source.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url }, shop);
    const advance = source.control("POST", `/clock/advance${SHOP}`, { by: "2h" });
    await receiver.waitFor(1);
    const { clock } = (await exportShop(source)).entries[0][2];
    hung.open();
    await Promise.all([advance, source.close()]);
    system.pass(10_000);
    const again = await openStored(path, { system, clock: "running" });
    expect((await exportShop(again)).entries[0][2].clock).toEqual(clock);
    await again.close();
  });

  it("is removed by a reset of all companies", async () => {
    const source = await openShop();
    await exportShop(source);
    await source.control("POST", "/reset?company=*");
    expect((await source.control("POST", "/companies", { companyId: "company_shop" })).status).toBe(201);
  });

  it("stays closed in the store, and the imported one open", async () => {
    const folder = await folderWith({});
    const open = (name: string) => openStored(join(folder, name));
    const [source, target] = [await openShop(await open("a")), await open("b")];
    await target.control("PUT", "/companies/company_shop", await exportShop(source));
    await Promise.all([source.close(), target.close()]);
    const [sourceAgain, targetAgain] = [await open("a"), await open("b")];
    expect((await sourceAgain.control("GET", `/charges${SHOP}`)).status).toBe(404);
    expect((await targetAgain.control("GET", `/charges${SHOP}`)).body.count).toBe(1);
    await exportShop(sourceAgain);
    await sourceAgain.control("DELETE", "/companies/company_shop");
    await Promise.all([sourceAgain.close(), targetAgain.close()]);
    const emptied = await open("a");
    expect((await emptied.control("POST", "/companies", { companyId: "company_shop" })).status).toBe(201);
    await emptied.close();
  });
});

describe("what cannot be moved", () => {
  it("is a company that is not there", async () => {
    const world = openWorld();
    expect((await world.control("POST", "/companies/company_nobody/export", {})).status).toBe(404);
  });

  it("is a company whose id or token is taken at the target", async () => {
    const file = await exportShop(await openShop());
    const sameId = await openShop();
    expect((await sameId.control("PUT", "/companies/company_shop", file)).status).toBe(422);
    const sameToken = openWorld();
    await sameToken.control("POST", "/companies", { companyId: "company_other", accessToken: "at_shop" });
    const refused = await sameToken.control("PUT", "/companies/company_shop", file);
    expect([refused.status, refused.body.message]).toEqual([
      422,
      ['Failed to import the company "company_shop": the company "company_other" has one of its access tokens.'],
    ]);
    expect((await sameToken.control("GET", `/charges${SHOP}`)).status).toBe(404);
  });

  it.each<[string, (file: LooseJson) => unknown]>([
    ["nothing", () => ({})],
    ["a list", () => []],
    ["an export of a newer version", (file) => ({ ...file, exportVersion: 2 })],
    ["no entries", (file) => ({ ...file, entries: [] })],
    ["another company's entries", (file) => ({ ...file, companyId: "company_other" })],
    [
      "an entry of another kind",
      ({ entries, ...file }) => ({ ...file, entries: [...entries, ["gone", "company_shop", true]] }),
    ],
    [
      "an unknown table",
      ({ entries, ...file }) => ({ ...file, entries: [...entries, ["rows", "company_shop", "__proto__", [{}]]] }),
    ],
    [
      "a row that is not a record",
      ({ entries, ...file }) => ({ ...file, entries: [...entries, ["rows", "company_shop", "charges", [1]]] }),
    ],
    ["money from nowhere", (file) => JSON.parse(JSON.stringify(file).replace(/"amount":100000000\b/, '"amount":1'))],
    [
      "a token that is not a text",
      (file) => JSON.parse(JSON.stringify(file).replaceAll('"token":"at_shop"', '"token":7')),
    ],
  ])("is %s: 400, and nothing changes", async (_, change) => {
    const file = await exportShop(await openShop());
    const wrong = change(file);
    expect(wrong).not.toEqual(file);
    const target = openWorld();
    expect((await target.control("PUT", "/companies/company_shop", wrong)).status).toBe(400);
    expect((await target.control("GET", "/companies")).body.count).toBe(1);
    expect((await target.control("PUT", "/companies/company_shop", file)).status).toBe(201);
  });
});

it("a company that was exported while the replay that opened it was under way stays after a restart of the target", async () => {
  const source = openWorld();
  source.sandbox.open({
    ...setupFor("at_shop"),
    balance: 0,
    frozenAt: undefined,
    profile: {},
    fixtures: [],
    rules: [],
    ofScenario: true,
  });
  const path = join(await folderWith({}), "target.json");
  const target = await openStored(path);
  expect((await target.control("PUT", "/companies/company_shop", await exportShop(source))).status).toBe(201);
  expect((await target.api("POST", "/v1/charges", chargeRequest(), shop)).status).toBe(201);
  await target.close();
  const again = await openStored(path);
  expect((await again.control("GET", `/charges${SHOP}`)).body.count).toBe(1);
  await again.close();
});

describe("a company that the disk of the target has no room for", () => {
  const ENOSPC = "ENOSPC: no space left on device, write";

  it("is not open there, and continues where it was", async () => {
    const folder = await folderWith({});
    const fs = createFaultyFiles();
    const [source, target] = [await openShop(), await openStored(join(folder, "b"), { fs })];
    const file = await exportShop(source);
    fs.fail(ENOSPC);
    expect((await target.control("PUT", "/companies/company_shop", file)).status).toBe(500);
    fs.fail(undefined);
    expect((await target.control("GET", `/charges${SHOP}`)).status).toBe(404);
    expect((await source.control("PUT", "/companies/company_shop", file)).status).toBe(201);
    const later = await exportShop(source);
    expect((await target.control("PUT", "/companies/company_shop", later)).status).toBe(201);
    await target.close();
  });

  it("stays closed where it was closed", async () => {
    const fs = createFaultyFiles();
    const path = join(await folderWith({}), "a");
    const source = await openShop(await openStored(path, { fs }));
    const file = await exportShop(source);
    fs.fail(ENOSPC);
    expect((await source.control("PUT", "/companies/company_shop", file)).status).toBe(500);
    fs.fail(undefined);
    expect((await source.app.request("/v1/balance", { headers: { authorization: "Bearer at_shop" } })).status).toBe(
      503,
    );
    await source.close();
    const again = await openStored(path);
    expect((await again.control("PUT", "/companies/company_shop", file)).status).toBe(201);
    expect((await again.control("GET", `/charges${SHOP}`)).body.count).toBe(1);
    await again.close();
  });
});

describe("a move under load", () => {
  it("loses no acknowledged write, and the target has all of them after a restart", async () => {
    const folder = await folderWith({});
    const [sourcePath, targetPath] = [join(folder, "source.json"), join(folder, "target.json")];
    const [source, target] = [await openShop(await openStored(sourcePath)), await openStored(targetPath)];
    let url = await source.listen();
    const next = await target.listen();
    const moved = gate();
    const acknowledged: string[] = [];
    const refused: number[] = [];
    const over = new AbortController();
    const client = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const answer = await call(`${url}/v1/charges`, "POST", chargeRequest(), {
          authorization: "Bearer at_shop",
          "x-company-id": "company_shop",
        });
        if (answer.status === 201) acknowledged.push(answer.body.id);
        else {
          refused.push(answer.status);
          await moved.opened;
        }
      }
    };
    const clients = Array.from({ length: 8 }, client);
    const enough = async (count: number): Promise<void> => {
      while (acknowledged.length < count) await systemClock.yieldToEventLoop();
    };
    await enough(20);
    const file = await exportShop(source);
    const atSource = acknowledged.length;
    await target.control("PUT", "/companies/company_shop", file);
    url = next;
    moved.open();
    await enough(atSource + 20);
    over.abort();
    await Promise.all(clients);
    expect(new Set(refused)).toEqual(new Set([503]));
    await Promise.all([source.close(), target.close()]);
    const again = await openStored(targetPath);
    const { body } = await again.control("GET", `/charges${SHOP}&limit=1000`);
    await again.close();
    const there = new Set(body.data.map(({ id }: LooseJson) => id));
    expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
  });
});
