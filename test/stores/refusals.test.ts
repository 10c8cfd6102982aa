import { rm } from "node:fs/promises";
import { expect, it } from "vitest";
import { openFileStore } from "../../src/adapters/store/file-store.js";
import { silentLog } from "../../src/kernel/log.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { createStoreFormat } from "../../src/sandbox/state/store-format.js";
import { createFaultyFiles } from "../support/faulty-files.js";
import { newStorePath } from "../support/letter-store.js";
import { chargeRequest } from "../support/requests.js";
import { createWorld } from "../support/world.js";

async function openStored() {
  const path = await newStorePath();
  const fs = createFaultyFiles();
  let now = systemClock.now();
  // The lock is not checked by itself.
  const system = { ...systemClock, now: () => now, after: () => () => undefined };
  const store = await openFileStore({ path, format: createStoreFormat(system), system, log: silentLog, fs });
  const world = createWorld({ store });
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
