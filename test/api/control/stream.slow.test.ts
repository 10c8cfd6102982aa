import { connect } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../../../src/kernel/time/system-clock.js";
import { STREAMS_MAX } from "../../../src/http/control/stream-routes.js";
import { type Live, startLive } from "../../support/live.js";
import { longestStop } from "../../support/loop-stops.js";
import { openWorld } from "../../support/world.js";
import { exchange } from "../../support/sighting.js";
import { chargeRequest } from "../../support/requests.js";

describe("the resources of a stream", () => {
  it("do not delay a server that stops when the client does not read", async () => {
    const live = await startLive();
    const listening = countListeners(live);
    const before = listening();
    const { hostname, port } = new URL(live.url);
    const socket = connect(Number(port), hostname).pause();
    onTestFinished(() => void socket.destroy());
    socket.write(`GET /_sandbox/stream HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    while (listening() === before) await systemClock.yieldToEventLoop();
    // More than the sockets' buffers hold.
    for (let count = 0; count < 150; count++)
      await live.createCharge({ metadata: { description: "x".repeat(100_000) } });
    expect(listening()).toBe(before + 1);
    await expect(live.close()).resolves.toBeUndefined();
  });

  it("are released instead of a message of more than 4 MiB", async () => {
    const live = await startLive({ profile: { server: { bodyLimit: 8_388_608 } } });
    const answer = await live.app.request("/_sandbox/stream");
    await live.createCharge({ metadata: { description: "x".repeat(3 * 1024 * 1024) } });
    await live.createCharge({ metadata: { description: "x".repeat(5 * 1024 * 1024) } });
    const text = await answer.text();
    expect(text.match(/^event: \w+/gm)?.slice(0, 2)).toEqual(["event: clock", "event: event"]);
    expect(text.length).toBeLessThan(12 * 1024 * 1024);
  });

  it("are released when more than 10 000 messages wait for a reader", async () => {
    const live = await startLive();
    const listening = countListeners(live);
    const before = listening();
    const answer = await live.app.request("/_sandbox/stream");
    await live.createCharge({ metadata: { description: "x".repeat(100_000) } });
    // The event of the charge is sent a few turns of the event loop after the answer.
    await live.http("GET", "/v1/balance");
    for (let requests = 1; requests <= 5_000; requests++) {
      expect(listening()).toBe(before + 1);
      await live.app.request("/v1/charges", {
        method: "POST",
        headers: signedIn,
        body: JSON.stringify(chargeRequest()),
      });
    }
    expect(listening()).toBe(before);
    expect((await answer.text()).match(/^event: \w+/gm)).toEqual(["event: clock", "event: event"]);
  });

  it("are limited for a slow reader: nothing more is rendered until it reads, and nothing is lost", async () => {
    const live = await startLive();
    const answer = await live.app.request("/_sandbox/stream");
    const redactValue = vi.spyOn(live.sandbox.redactor, "value");
    onTestFinished(() => redactValue.mockRestore());
    const ids: string[] = [];
    for (let count = 0; count < 20; count++) {
      ids.push((await live.createCharge({ metadata: { description: "x".repeat(100_000) } })).id);
      await systemClock.yieldToEventLoop();
    }
    // The first event exceeds what may be unread, so the message of its request waits.
    expect(redactValue).not.toHaveBeenCalled();
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (text.split("event: request\n").length <= ids.length) text += (await reader?.read())?.value ?? "";
    const created = [...text.matchAll(/"type":"charge.created".*?"resource":"([\w-]+)"/g)].map(([, id]) => id);
    expect(created).toEqual(ids);
    await reader?.cancel();
  });
});

it("many streams of large events take turns with other work", async () => {
  const world = openWorld();
  const answers = await Promise.all(
    Array.from({ length: STREAMS_MAX }, async () => world.app.request("/_sandbox/stream")),
  );
  const readEvent = async ({ body }: Response): Promise<void> => {
    for await (const piece of body ?? []) if (Buffer.from(piece).includes("event: event")) return;
  };
  const read = answers.map(readEvent);
  const stopMs = await longestStop(async () => {
    const metadata = { list: Array.from({ length: 150_000 }, (_, index) => index) };
    await world.api("POST", "/v1/charges", chargeRequest({ externalId: "large", metadata }));
    await Promise.all(read);
  });
  expect(stopMs).toBeLessThan(700);
});

it("many streams that nobody reads do not delay the loss of many answers", async () => {
  const { app, sandbox, api } = openWorld();
  await Promise.all(Array.from({ length: STREAMS_MAX }, async () => app.request("/_sandbox/stream")));
  // More than a stream keeps for its reader.
  await api("POST", "/v1/charges", chargeRequest({ metadata: { description: "x".repeat(100_000) } }));
  const lose: (() => void)[] = [];
  const companyId = sandbox.defaultCompany.id;
  for (let at = 1; at <= 5_000; at++) {
    const onLost = (listener: () => void): void => void lose.push(listener);
    sandbox.events.emit("exchange", { exchange: exchange({ onLost }), companyId, requestId: `req_${at}` });
  }
  const stopMs = await longestStop(async () => {
    for (const listener of lose.slice(-50_000)) listener();
  });
  expect(stopMs).toBeLessThan(500);
});

const signedIn = {
  authorization: "Bearer at_sandbox",
  "x-company-id": "company_sandbox",
  "content-type": "application/json",
};

/** How many more listeners there are since this call. */
function countListeners({ sandbox: { events } }: Live): () => number {
  const before = events.listenerCount("changed");
  return () => events.listenerCount("changed") - before;
}
