import { rm } from "node:fs/promises";
import { expect, it } from "vitest";
import { openFileStore } from "../../src/adapters/store/file-store.js";
import { journalPath } from "../../src/adapters/store/journal.js";
import { silentLog } from "../../src/kernel/log.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { createStoreFormat } from "../../src/sandbox/state/store-format.js";
import { createFakeSystem } from "../support/fake-system.js";
import { copyOf, newStorePath } from "../support/letter-store.js";
import { gate, startLive } from "../support/live.js";
import { chargeRequest } from "../support/requests.js";
import { createScriptedTransport } from "../support/scripted-transport.js";
import { openWorld, type TestWorld, type WorldOptions, WORLD_START } from "../support/world.js";

const LATER = "2026-01-15T10:00:00.000Z";

async function storedAt(path: string, system = systemClock): Promise<Pick<WorldOptions, "store" | "system">> {
  const format = createStoreFormat(system);
  return { system, store: await openFileStore({ path, format, system: systemClock, log: silentLog }) };
}

it("does not go back when a process is killed that rewrote its store while an advance waited for a receiver", async () => {
  const path = await newStorePath();
  const live = await startLive(await storedAt(path));
  const asked = gate();
  const hung = gate();
  await live.receiverFor("charges/events", async () => {
    asked.open();
    await hung.opened;
    return {};
  });
  await live.createCharge();
  const advanced = live.advance("2h");
  await asked.opened;
  await rm(journalPath(path, 1));
  const { createdAt } = await live.ok("POST", "/v1/charges", chargeRequest());
  expect(createdAt).toMatch(/^20260115T100000/);
  const killed = await copyOf(path);
  hung.open();
  await advanced;

  const next = openWorld({ ...(await storedAt(killed)), transport: createScriptedTransport(() => 200), forges: true });
  expect((await next.control("GET", "/clock")).body.now).toBe(LATER);
});

it.each<[string, (world: TestWorld, path: string) => Promise<void>]>([
  [
    "everything is written anew",
    async ({ api }, path) => {
      await rm(journalPath(path, 1));
      await api("POST", "/v1/charges", chargeRequest());
    },
  ],
  [
    "the clock is set to run",
    async ({ control }) => {
      expect((await control("PUT", "/clock", { mode: "running" })).body.now).toBe(LATER);
    },
  ],
])("does not go back when the machine's clock was set back and %s", async (_, change) => {
  const path = await newStorePath();
  const system = createFakeSystem(Date.parse(LATER));
  const world = openWorld({ ...(await storedAt(path, system)), clock: "running" });
  await world.api("POST", "/v1/charges", chargeRequest());
  system.correctTo(Date.parse(WORLD_START));
  await change(world, path);

  const next = openWorld(await storedAt(await copyOf(path), system));
  expect((await next.control("GET", "/clock")).body.now).toBe(LATER);
});
