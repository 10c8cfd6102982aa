import { expect, it } from "vitest";
import { longestStop } from "../../support/loop-stops.js";
import { chargeRequest } from "../../support/requests.js";
import { exchange } from "../../support/sighting.js";
import { openWorld } from "../../support/world.js";

it("a journal of large texts is listed without a long stop", async () => {
  const { api, control, sandbox } = openWorld();
  const text = "YXRfc2FuYXRfc2Fu ".repeat(13_000);
  await api("POST", "/v1/charges", chargeRequest({ metadata: { text } }));
  const { journal } = sandbox.observationOf(sandbox.defaultCompany.id);
  const [entry] = journal.entries.values();
  if (entry === undefined) throw new Error("The request is not in the journal.");
  while (journal.lastSeq < 4) journal.record(exchange({ ...entry }));
  const stopMs = await longestStop(async () => {
    expect((await control("GET", "/requests")).body.count).toBe(4);
  });
  expect(stopMs).toBeLessThan(3_000);
});
