import { readFile, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { openFileStore } from "../../src/adapters/store/file-store.js";
import { journalPath } from "../../src/adapters/store/journal.js";
import { silentLog } from "../../src/kernel/log.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { createStoreFormat } from "../../src/sandbox/state/store-format.js";
import { copyOf, newStorePath, withChecksum } from "../support/letter-store.js";
import { startReceiver } from "../support/receiver.js";
import { chargeRequest } from "../support/requests.js";
import { openWorld, type TestWorld } from "../support/world.js";

async function openStored(path: string): Promise<TestWorld> {
  const format = createStoreFormat(systemClock);
  return openWorld({ store: await openFileStore({ path, format, system: systemClock, log: silentLog }), forges: true });
}

/** Removes from a journal what version 0.1 did not write. */
async function makeOlder(journal: string): Promise<void> {
  const added = [/,"chained":true/g, /,"matched":0/g, /,"left":null/g, /,"loseAnswers":0,"attempts":null/g];
  const lines = (await readFile(journal, "utf8")).trimEnd().split("\n");
  const older = lines.map((line) => {
    const text = added.reduce((rest, member) => rest.replace(member, ""), line.slice(9));
    return withChecksum(text.replace(/("ruleId":"[^"]+","resource":"[^"]+"),"eventId":null/g, "$1"));
  });
  expect(older.join("")).not.toBe(lines.map((line) => `${line}\n`).join(""));
  await writeFile(journal, older.join(""));
}

it("shows and releases what rules of a store of version 0.1 hold back", async () => {
  const receiver = await startReceiver();
  const path = await newStorePath();
  const world = await openStored(path);
  await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
  await world.control("POST", "/rules", { on: "delivery", then: { reverse: true, corruptSignature: true } });
  const { body: charge } = await world.api("POST", "/v1/charges", chargeRequest());
  await world.api("POST", `/v1/charges/${charge.id}/pay`, {});
  const before = await world.control("GET", "/state");
  const older = await copyOf(path);
  await makeOlder(journalPath(older, 1));

  const next = await openStored(older);
  expect(await next.control("GET", "/state")).toMatchObject({ status: 200, body: before.body });
  await next.api("POST", `/v1/charges/${charge.id}/refund`, {});
  await next.control("POST", "/settle");
  expect(receiver.received.map(({ body }) => body.data.status)).toEqual(["refunded", "paid"]);
});
