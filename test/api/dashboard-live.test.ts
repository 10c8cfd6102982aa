import { describe, expect, it } from "vitest";
import { LIVE_MAX } from "../../src/http/pages/dashboard/live.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { type Live, startLive } from "../support/live.js";
import { createFakeSystem } from "../support/fake-system.js";
import { createWorld } from "../support/world.js";

const PATH = "/_sandbox/dashboard/live";

/** The events that came so far, one word each. */
async function follow(app: Live["app"], query = "") {
  const answer = await app.request(PATH + query);
  const reader = answer.body?.getReader();
  const events: string[] = [];
  const ended = (async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) return;
      for (const [, event = ""] of new TextDecoder().decode(value).matchAll(/^event: (\w+)$/gm)) events.push(event);
    }
  })();
  return { status: answer.status, headers: answer.headers, events, ended, leave: () => reader?.cancel() };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await systemClock.yieldToEventLoop();
}

describe("the live updates of a page", () => {
  it("only report that something has changed, at most once in a quarter of a second", async () => {
    const system = createFakeSystem();
    const world = createWorld({ system });
    const { status, headers, events, leave } = await follow(world.app);
    expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    system.pass(1000);
    await turns();
    expect(events).toEqual([]);
    for (let count = 0; count < 10; count++) await world.api("GET", "/v1/balance");
    system.pass(249);
    await turns();
    expect(events).toEqual([]);
    system.pass(1);
    await turns();
    expect(events).toEqual(["changed"]);
    await leave();
    await world.close();
  });

  it.each([
    ["a request", (world: Live) => world.http("GET", "/v1/balance")],
    ["a change", (world: Live) => world.control("PUT", "/balance", { balance: 5 })],
    ["the clock", (world: Live) => world.control("PUT", "/clock", { mode: "running" })],
    ["a rule", (world: Live) => world.control("POST", "/rules", { on: "transfer", then: { after: "1h" } })],
    ["a setting", (world: Live) => world.control("PATCH", "/profile", { charges: { ttl: "2h" } })],
    ["a snapshot", (world: Live) => world.control("POST", "/snapshots/one")],
    ["a reset", (world: Live) => world.control("POST", "/reset")],
  ])("come with %s", async (_, change) => {
    const live = await startLive();
    const { events, leave } = await follow(live.app);
    await change(live);
    while (events.length === 0) await systemClock.yieldToEventLoop();
    expect(events).toEqual(["changed"]);
    await leave();
  });

  it("are limited in number, and a client that leaves makes room", async () => {
    const live = await startLive();
    const open = await Promise.all(Array.from({ length: LIVE_MAX }, () => follow(live.app)));
    expect((await follow(live.app)).status).toBe(429);
    await open[0]?.leave();
    const again = await follow(live.app);
    expect(again.status).toBe(200);
    for (const { leave } of [...open.slice(1), again]) await leave();
  });

  it("do not count for HEAD, whose answer nobody reads", async () => {
    const live = await startLive();
    for (let count = 0; count <= LIVE_MAX; count++)
      expect((await fetch(live.url + PATH, { method: "HEAD" })).status).toBe(200);
  });

  it("are 404 for an unknown company", async () => {
    const live = await startLive();
    expect((await follow(live.app, "?company=nobody")).status).toBe(404);
  });

  it("end when the server stops", async () => {
    const live = await startLive();
    const answer = await fetch(live.url + PATH);
    const text = answer.text();
    await live.close();
    expect(await text).toBe("retry: 1000\n\n");
  });
});
