import { expect, it } from "vitest";
import { chargeRequest } from "../../support/requests.js";
import { openWorld, type TestWorld } from "../../support/world.js";
import { findingsOf, kindsOf } from "./findings.js";

/** Pays charges that are dropped: one finding each. */
async function payDropped(world: TestWorld, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const { id } = (await world.api("POST", "/v1/charges", chargeRequest({ externalId: `late-${index}` }))).body;
    await world.control("POST", `/charges/${id}/drop`);
    await world.api("POST", `/v1/charges/${id}/pay`);
  }
}

it("is a page of findings, oldest first, with the documented members", async () => {
  const world = openWorld();
  expect((await world.control("GET", "/findings")).body).toEqual({
    count: 0,
    limit: 15,
    cursor: { prev: null, next: null },
    data: [],
  });
  await payDropped(world, 3);
  const first = (await world.control("GET", "/findings?limit=2")).body;
  expect([first.count, first.limit, first.cursor.prev]).toEqual([2, 2, null]);
  const second = (await world.control("GET", `/findings?limit=2&cursor=${first.cursor.next}`)).body;
  const all = [...first.data, ...second.data];
  expect(all.map(({ requests }) => requests[0].summary)).toEqual([
    expect.stringContaining("late-0"),
    expect.stringContaining("late-1"),
    expect.stringContaining("late-2"),
  ]);
  for (const finding of all) {
    expect(Object.keys(finding)).toEqual(["kind", "severity", "why", "fix", "requests"]);
    expect(finding.requests.map(Object.keys)).toEqual([["id", "method", "path", "summary"]]);
  }
});

it("refuses unknown parameters and companies", async () => {
  const { control } = openWorld();
  expect((await control("GET", "/findings?kind=x")).status).toBe(400);
  expect((await control("GET", "/findings?limit=1001")).status).toBe(400);
  expect((await control("GET", "/findings?company=nobody")).status).toBe(404);
  expect((await control("POST", "/findings")).status).toBe(405);
});

it("belongs to one company, and is cleared by its reset", async () => {
  const world = openWorld();
  await world.control("POST", "/companies", { companyId: "other" });
  await payDropped(world, 1);
  expect(await kindsOf(world)).toEqual(["pay-after-drop"]);
  expect((await world.control("GET", "/findings?company=other")).body.count).toBe(0);
  await world.control("POST", "/reset");
  expect(await kindsOf(world)).toEqual([]);
  await payDropped(world, 1);
  expect(await kindsOf(world)).toEqual(["pay-after-drop"]);
  await world.control("POST", "/reset?company=*");
  expect(await kindsOf(world)).toEqual([]);
});

it("emits an event for each new finding of any company, including findings that a reset forgets", async () => {
  const world = openWorld();
  const reported: string[] = [];
  const stop = world.sandbox.events.on("finding", ({ companyId, finding }) =>
    reported.push(`${companyId} ${finding.kind}`),
  );
  await payDropped(world, 1);
  await world.control("POST", "/reset");
  await payDropped(world, 1);
  const kinds = ["pay-after-drop", "outcome-never-learned", "pay-after-drop"];
  expect(reported).toEqual(kinds.map((kind) => `company_sandbox ${kind}`));
  stop();
  await payDropped(world, 1);
  expect(reported).toHaveLength(3);
});

it("reports the same mistake once, even after a snapshot was restored", async () => {
  const world = openWorld();
  const { id } = (await world.api("POST", "/v1/charges", chargeRequest())).body;
  await world.control("POST", `/charges/${id}/drop`);
  await world.api("POST", `/v1/charges/${id}/pay`);
  await world.control("PUT", "/state", (await world.control("GET", "/state")).body);
  await world.api("POST", `/v1/charges/${id}/pay`);
  const [found, ...rest] = await findingsOf(world);
  expect(rest).toEqual([]);
  expect(found?.requests.map(({ id: request }) => request)).toEqual(["req_2"]);
});

it("judges what a restored snapshot lacks, and nothing that it has", async () => {
  const world = openWorld();
  const drop = async (externalId: string): Promise<void> => {
    const { id } = (await world.api("POST", "/v1/charges", chargeRequest({ externalId }))).body;
    await world.control("POST", `/charges/${id}/drop`);
  };
  await drop("kept");
  await world.control("POST", "/snapshots/clean");
  await world.control("PUT", "/snapshots/clean");
  expect(await kindsOf(world)).toEqual([]);
  await drop("gone");
  await world.control("PUT", "/snapshots/clean");
  world.sandbox.endRun(true);
  const [found, ...rest] = await findingsOf(world);
  expect(rest).toEqual([]);
  expect(found?.kind).toBe("outcome-never-learned");
  expect(found?.requests.map(({ summary }) => summary)).toEqual([expect.stringContaining("gone")]);
});

it("judges at the end of the run what a restored snapshot has", async () => {
  const world = openWorld();
  const { id } = (await world.api("POST", "/v1/charges", chargeRequest({ externalId: "kept" }))).body;
  await world.control("POST", `/charges/${id}/drop`);
  await world.control("POST", "/snapshots/dropped");
  await world.control("PUT", "/snapshots/dropped");
  world.sandbox.endRun(true);
  expect(await kindsOf(world)).toEqual(["outcome-never-learned"]);
  await world.api("GET", `/v1/charges/${id}`);
  world.sandbox.endRun(true);
  expect(await kindsOf(world)).toEqual([]);
});
