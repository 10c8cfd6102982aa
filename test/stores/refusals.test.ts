import { rm } from "node:fs/promises";
import { expect, it } from "vitest";
import { openFileStore } from "../../src/adapters/store/file-store.js";
import { silentLog } from "../../src/kernel/log.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { createStoreFormat } from "../../src/sandbox/state/store-format.js";
import { createFaultyFiles } from "../support/faulty-files.js";
import { newStorePath } from "../support/letter-store.js";
import { chargeRequest } from "../support/requests.js";
import { DASHBOARD, signIn, visit } from "../support/dashboard.js";
import { createWorld, type WorldOptions } from "../support/world.js";

async function openStored(options: WorldOptions = {}) {
  const path = await newStorePath();
  const fs = createFaultyFiles();
  let now = systemClock.now();
  // The lock is not checked by itself.
  const system = { ...systemClock, now: () => now, after: () => () => undefined };
  const store = await openFileStore({ path, format: createStoreFormat(system), system, log: silentLog, fs });
  const world = createWorld({ store, ...options });
  await store.writable();
  return { path, fs, world, passMs: (ms: number) => void (now += ms) };
}

it("a request is refused for another one only after that one is stored", async () => {
  const { fs, world } = await openStored();
  const { id } = (await world.api("POST", "/v1/charges", chargeRequest({ externalId: "paid" }))).body;
  await world.api("POST", `/v1/charges/${id}/pay`);
  const release = fs.holdSync();
  const answered: string[] = [];
  const note = (name: string, answer: Promise<{ status: number }>): Promise<unknown> =>
    answer.then(({ status }) => answered.push(`${name} ${status}`));
  const order = chargeRequest({ externalId: "order-1" });
  const answers = [
    note("create", world.api("POST", "/v1/charges", order)),
    note("create again", world.api("POST", "/v1/charges", order)),
    note("refund", world.api("POST", `/v1/charges/${id}/refund`)),
    note("refund again", world.api("POST", `/v1/charges/${id}/refund`)),
    note("refund by hand", world.control("POST", `/charges/${id}/refund`)),
  ];
  for (let turn = 0; turn < 50; turn++) await systemClock.yieldToEventLoop();
  expect(answered).toEqual([]);
  release();
  await Promise.all(answers);
  expect(answered.toSorted()).toEqual([
    "create 201",
    "create again 409",
    "refund 200",
    "refund again 422",
    "refund by hand 422",
  ]);
  await world.close();
});

it("a process that lost its lock answers neither that something is missing, nor by a rule", async () => {
  const { path, world, passMs } = await openStored();
  const rule = { on: "request", match: { path: "/v1/balance" }, then: { status: 503 } };
  expect((await world.control("POST", "/rules", rule)).status).toBe(201);
  await rm(`${path}.lock`);
  passMs(100);
  expect((await world.api("GET", "/v1/charges/nope")).status).toBe(500);
  expect((await world.control("GET", "/deliveries/nope")).status).toBe(500);
  expect((await world.api("GET", "/v1/balance")).status).toBe(500);
  await expect(world.close()).rejects.toThrow("was removed");
});

it("a rule does not answer for work that cannot be stored", async () => {
  const { fs, world } = await openStored();
  const then = { status: 201, body: { id: "of the rule" }, commit: true };
  await world.control("POST", "/rules", { on: "request", match: { path: "/v1/charges" }, then });
  fs.fail("ENOSPC: no space left on device, write");
  for (let request = 1; request <= 2; request++)
    expect((await world.api("POST", "/v1/charges", chargeRequest())).status).toBe(500);
  fs.fail(undefined);
  await world.close();
});

const ADMIN = "s3cret-admin-token";
const TENANCY = { tenancy: true, adminToken: ADMIN, autoProvision: true };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

it("a tenant is turned away, and a page shows a payment, only after the reason is stored", async () => {
  const { fs, world } = await openStored(TENANCY);
  const { app, api, control } = world;
  const [opening, rotated, removed] = ["at_opening_6f0d9c2b8a7e", "at_rotated_4d5109c2b8a7", "at_removed_0d9c2b8a7e4d"];
  for (const [companyId, accessToken] of [
    ["company_rotated", rotated],
    ["company_removed", removed],
  ] as const)
    expect((await control("POST", "/companies", { companyId, accessToken }, bearer(ADMIN))).status).toBe(201);
  const { id } = (await api("POST", "/v1/charges", chargeRequest())).body;
  const desk = visit(app);
  await signIn(desk, "at_sandbox");
  // The code of the pages is loaded now.
  for (const page of [`/checkout/${id}`, `${DASHBOARD}/charges/${id}`]) expect((await desk.get(page)).status).toBe(200);
  const release = fs.holdSync();
  const answered: string[] = [];
  const pass = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn++) await systemClock.yieldToEventLoop();
  };
  const note = async (name: string, answer: Response | Promise<{ status: number }>): Promise<unknown> =>
    answered.push(`${name} ${(await answer).status}`);
  const open = () => control("POST", "/companies", undefined, bearer(opening));
  const answers = [
    note("open", open()),
    note("rotate", control("POST", "/companies/company_rotated/rotate", { accessToken: true }, bearer(rotated))),
    note("remove", control("DELETE", "/companies/company_removed", undefined, bearer(ADMIN))),
    note("pay", api("POST", `/v1/charges/${id}/pay`)),
  ];
  await pass();
  answers.push(
    note("open again", open()),
    note("rotated", control("GET", "/clock", undefined, bearer(rotated))),
    note("rotated API", api("GET", "/v1/balance", undefined, bearer(rotated))),
    note("removed", control("GET", "/clock?company=company_removed", undefined, bearer(ADMIN))),
    note("removed API", api("GET", "/v1/balance", undefined, bearer(removed))),
    note("payment page", Promise.resolve(app.request(`/checkout/${id}`))),
    note("dashboard", desk.get(`${DASHBOARD}/charges/${id}`)),
  );
  await pass();
  expect(answered).toEqual([]);
  release();
  await Promise.all(answers);
  expect(answered.toSorted()).toEqual([
    "dashboard 200",
    "open 201",
    "open again 403",
    "pay 200",
    "payment page 200",
    "remove 204",
    "removed 404",
    "removed API 401",
    "rotate 200",
    "rotated 401",
    "rotated API 401",
  ]);
  await world.close();
});

it("a process that lost its lock turns no tenant away", async () => {
  const { path, world, passMs } = await openStored(TENANCY);
  const { app, api, control } = world;
  const desk = visit(app);
  await signIn(desk, "at_sandbox");
  await rm(`${path}.lock`);
  passMs(100);
  const nobody = bearer("at_nobody_6f0d9c2b8a7e");
  const answers = [
    await api("GET", "/v1/balance", undefined, nobody),
    await control("GET", "/clock", undefined, nobody),
    await control("GET", "/clock?company=nope", undefined, bearer(ADMIN)),
    await control("POST", "/companies", undefined, bearer("at_sandbox")),
    await app.request("/checkout/nope"),
    await desk.get(`${DASHBOARD}/charges/nope`),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 500));
  await expect(world.close()).rejects.toThrow("was removed");
});
