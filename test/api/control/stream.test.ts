import { once } from "node:events";
import { Agent, fetch as undiciFetch } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { HEARTBEAT_MS } from "../../../src/http/shared/event-stream.js";
import { DEFAULT_LIMITS } from "../../../src/sandbox/company/limits.js";
import { STREAMS_MAX } from "../../../src/http/control/stream-routes.js";
import { systemClock } from "../../../src/kernel/time/system-clock.js";
import { gate, type Live, startLive } from "../../support/live.js";
import { connectTo } from "../../support/raw-http.js";
import type { LooseJson } from "../../support/world.js";

interface Message {
  readonly event: string;
  readonly data: LooseJson;
}

/** A stream that is being read. */
interface Reader {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** All lines, including comments and `retry`. */
  readonly lines: readonly string[];
  readonly messages: readonly Message[];
  /** Resolves with the first matching message of that event that was not returned before; rejects when the stream ends. */
  next(event: string, fits?: (data: LooseJson) => boolean): Promise<LooseJson>;
  readonly ended: Promise<void>;
  leave(): void;
}

async function follow(live: Live, query = "", headers: Record<string, string> = {}): Promise<Reader> {
  const agent = new Agent();
  const leaving = new AbortController();
  onTestFinished(() => agent.destroy());
  const answer = await undiciFetch(`${live.url}/_sandbox/stream${query}`, {
    dispatcher: agent,
    signal: leaving.signal,
    headers,
  });
  const lines: string[] = [];
  const messages: Message[] = [];
  let taken = 0;
  let changed = gate();
  let isOver = false;
  const read = async (): Promise<void> => {
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        lines.push(...block.split("\n"));
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        if (event !== undefined) messages.push({ event, data: JSON.parse(data ?? "") });
      }
      changed.open();
      changed = gate();
    }
  };
  const ended = read()
    .catch(() => undefined)
    .finally(() => {
      isOver = true;
      changed.open();
    });
  return {
    status: answer.status,
    headers: answer.headers,
    lines,
    messages,
    ended,
    leave: () => leaving.abort(),
    async next(event, fits = () => true) {
      for (;;) {
        const at = messages.findIndex(
          (message, index) => index >= taken && message.event === event && fits(message.data),
        );
        if (at !== -1) {
          taken = at + 1;
          return messages[at]?.data;
        }
        if (isOver) throw new Error(`The stream ended without "${event}".`);
        await changed.opened;
      }
    },
  };
}

describe("GET /_sandbox/stream", () => {
  it("begins with the clock, and has the right headers", async () => {
    const live = await startLive();
    const stream = await follow(live);
    expect(stream.status).toBe(200);
    expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(stream.headers.get("cache-control")).toBe("no-store");
    expect(stream.headers.get("x-sandbox-now")).toBe(live.now());
    expect(await stream.next("clock")).toEqual((await live.control("GET", "/clock")).body);
    expect(stream.lines[0]).toBe("retry: 1000");
  });

  it("sends everything about a charge in order, each message as the list of its kind shows it", async () => {
    const live = await startLive();
    await live.receiverFor("charges/events");
    const stream = await follow(live);
    const { id } = await live.createCharge();
    expect(await stream.next("event")).toMatchObject({ type: "charge.created", resource: id });
    expect(await stream.next("request")).toMatchObject({ operation: "createCharge", status: 201 });
    expect(await stream.next("clock")).toMatchObject({ pendingTimers: 1, next: { kind: "charge.expire", id } });
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await live.settle();
    const paid = await stream.next("event");
    const pending = await stream.next("delivery");
    const asked = await stream.next("request");
    expect(pending).toMatchObject({ status: "pending", attempts: [] });
    const sent = await stream.next("delivery", ({ status }) => status === "succeeded");
    const list = async (path: string) => (await live.control("GET", path)).body.data.at(-1);
    expect(paid).toEqual(await list("/events"));
    expect(asked).toEqual(await list("/requests"));
    expect(asked.deliveries).toEqual([pending.id]);
    expect(sent).toEqual(await list("/deliveries"));
  });

  it("sends only the body of a delivery's newest attempt", async () => {
    const live = await startLive();
    await live.receiverFor("charges/events");
    const { id } = await live.createCharge();
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await live.settle();
    const stream = await follow(live);
    const [delivery] = (await live.control("GET", "/deliveries")).body.data;
    await live.control("POST", `/deliveries/${delivery.id}/redeliver`);
    const sent = await stream.next("delivery", ({ attempts }) => attempts.length === 2);
    const bodies = sent.attempts.map(({ request }: { request: { body: string } }) => request.body);
    expect(bodies).toEqual(["", delivery.attempts[0].request.body]);
  });

  it("sends the clock when it is frozen, set or advanced, and at each item that fires", async () => {
    const live = await startLive();
    await live.createCharge();
    const stream = await follow(live);
    await stream.next("clock", ({ pendingTimers }) => pendingTimers === 1);
    await live.control("POST", "/clock/advance", { by: "2h" });
    await stream.next("event", ({ type }) => type === "charge.dropped");
    const after = await stream.next("clock", ({ now }) => now === "2026-01-15T11:00:00.000Z");
    expect(after).toEqual((await live.control("GET", "/clock")).body);
    await live.control("PUT", "/clock", { mode: "running" });
    expect(await stream.next("clock")).toMatchObject({ mode: "running" });
    await live.control("PUT", "/clock", { mode: "frozen" });
    expect(await stream.next("clock")).toMatchObject({ mode: "frozen", next: null });
  });

  it("sends a request again when its answer turns out to be lost", async () => {
    const live = await startLive();
    const stream = await follow(live);
    await live.control("POST", "/rules", { on: "request", then: { fault: "reset", commit: true }, times: 1 });
    await expect(live.createCharge()).rejects.toThrow("fetch failed");
    expect(await stream.next("request")).toMatchObject({ fate: "lost", fault: "reset", status: null });
  });

  it("is about one company", async () => {
    const live = await startLive();
    await live.control("POST", "/companies", { companyId: "company_b", accessToken: "at_b" });
    const stream = await follow(live, "?company=company_b");
    await live.createCharge();
    await live.http("GET", "/v1/balance", undefined, { authorization: "Bearer at_b", "x-company-id": "company_b" });
    await stream.next("request", ({ operation }) => operation === "getBalance");
    expect(stream.messages.map(({ event }) => event)).toEqual(["clock", "request"]);
  });

  it("shows no credentials", async () => {
    const live = await startLive();
    const stream = await follow(live);
    await live.http("GET", "/v1/balance?token=secret_sandbox");
    await live.control("POST", "/companies/company_sandbox/rotate", { secretKey: "hush-hush-1" });
    await live.http("GET", "/v1/balance?token=hush-hush-1");
    await stream.next("request");
    await stream.next("request");
    const text = JSON.stringify(stream.messages);
    for (const secret of ["secret_sandbox", "at_sandbox", "hush-hush-1"]) expect(text).not.toContain(secret);
  });

  it("redacts a request once, however many follow", async () => {
    const live = await startLive();
    const streams = await Promise.all([follow(live), follow(live), follow(live)]);
    const redactValue = vi.spyOn(live.sandbox.redactor, "value");
    onTestFinished(() => redactValue.mockRestore());
    await live.createCharge();
    for (const stream of streams) expect(await stream.next("request")).toMatchObject({ status: 201 });
    // Once each for the query, the body and the answer.
    expect(redactValue).toHaveBeenCalledTimes(3);
  });

  it("continues after a reset and after a state was put in", async () => {
    const live = await startLive();
    const stream = await follow(live);
    await live.control("POST", "/snapshots/before");
    await live.control("POST", "/clock/advance", { by: "1h" });
    await stream.next("clock", ({ now }) => now === "2026-01-15T10:00:00.000Z");
    await live.control("PUT", "/snapshots/before");
    await stream.next("clock", ({ now }) => now === "2026-01-15T09:00:00.000Z");
    await live.control("POST", "/clock/advance", { by: "1h" });
    await stream.next("clock", ({ now }) => now === "2026-01-15T10:00:00.000Z");
    await live.control("POST", "/reset?company=*");
    await stream.next("clock", ({ now }) => now === "2026-01-15T09:00:00.000Z");
    const { id } = await live.createCharge();
    expect(await stream.next("event")).toMatchObject({ type: "charge.created", resource: id });
  });

  it.each([
    ["its company is removed", (live: Live) => live.control("DELETE", "/companies/company_sandbox")],
    ["the sandbox closes", (live: Live) => live.sandbox.close()],
    ["the server stops", (live: Live) => live.close()],
  ])("ends when %s", async (_, close) => {
    const live = await startLive();
    const stream = await follow(live);
    await stream.next("clock");
    await close(live);
    await stream.ended;
    expect(stream.messages.at(-1)?.event).toBe("clock");
  });

  it("refuses wrong calls like every other call", async () => {
    const live = await startLive({ adminToken: "hush" });
    expect((await follow(live)).status).toBe(401);
    const authorization = "Bearer hush";
    expect((await follow(live, "?company=nobody", { authorization })).status).toBe(404);
    expect((await follow(live, "?since=1", { authorization })).status).toBe(400);
    expect((await follow(live, "", { authorization, origin: "https://evil.test" })).status).toBe(403);
    const post = await live.control("POST", "/stream", undefined, { authorization });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET"]);
  });
});

describe("the resources of a stream", () => {
  it("are limited for each company: a stream that ends makes room for another", async () => {
    const live = await startLive();
    await live.control("POST", "/companies", { companyId: "company_b" });
    const streams = await Promise.all(Array.from({ length: STREAMS_MAX }, () => follow(live)));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    expect((await follow(live)).status).toBe(429);
    expect((await follow(live, "?company=company_b")).status).toBe(200);
    streams[0]?.leave();
    for (let status = 429; status !== 200;) status = (await follow(live)).status;
  });

  it("are released when clients leave", async () => {
    const live = await startLive();
    const listening = countListeners(live);
    const before = listening();
    const streams = await Promise.all([1, 2, 3].map(() => follow(live)));
    await Promise.all(streams.map((stream) => stream.next("clock")));
    expect(listening()).toBe(before + 3);
    for (const stream of streams) stream.leave();
    while (listening() !== before) await systemClock.yieldToEventLoop();
  });

  it("are not taken by HEAD", async () => {
    const live = await startLive();
    for (let count = 0; count <= STREAMS_MAX; count++)
      expect((await fetch(`${live.url}/_sandbox/stream`, { method: "HEAD" })).status).toBe(200);
  });

  it("are released in process, too", async () => {
    const live = await startLive();
    const listening = countListeners(live);
    const before = listening();
    const answer = await live.app.request("/_sandbox/stream");
    expect(listening()).toBe(before + 1);
    await answer.body?.cancel();
    expect(listening()).toBe(before);
  });

  it("are released when the journal has dropped requests that a slow reader has not read", async () => {
    const live = await startLive({ limits: { ...DEFAULT_LIMITS, requests: 3 } });
    const answer = await live.app.request("/_sandbox/stream");
    for (let requests = 1; requests <= 5; requests++) {
      await live.createCharge({ metadata: { description: "x".repeat(100_000) } });
      await systemClock.yieldToEventLoop();
    }
    expect((await answer.text()).match(/^event: \w+/gm)).toEqual(["event: clock", "event: event"]);
  });

  it.each([
    ["a reset", (live: Live) => live.control("POST", "/reset")],
    ["the journal is cleared", (live: Live) => live.control("DELETE", "/requests")],
  ])("are released for a slow reader after this: %s", async (_, clear) => {
    const live = await startLive();
    const answer = await live.app.request("/_sandbox/stream");
    for (let requests = 1; requests <= 5; requests++) {
      await live.createCharge({ metadata: { description: "x".repeat(100_000) } });
      await systemClock.yieldToEventLoop();
    }
    await clear(live);
    await live.createCharge();
    expect((await answer.text()).match(/^event: \w+/gm)).toEqual(["event: clock", "event: event"]);
  });

  it("begin when the body of the request has come, and are not kept in memory before", async () => {
    const live = await startLive();
    const countNew = countListeners(live);
    const socket = await connectTo(live.url);
    onTestFinished(() => void socket.destroy());
    const { host } = new URL(live.url);
    socket.write(`GET /_sandbox/stream HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 2\r\n\r\n{`);
    await vi.waitFor(() => expect(countNew()).toBe(1));
    socket.write("}");
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("include a heartbeat when nothing happens", async () => {
    const timers: { delayMs: number; task: () => void }[] = [];
    const system = {
      ...systemClock,
      after(delayMs: number, task: () => void) {
        if (delayMs !== HEARTBEAT_MS) return systemClock.after(delayMs, task);
        const timer = { delayMs, task };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
    };
    const live = await startLive({ system });
    const stream = await follow(live);
    await stream.next("clock");
    for (const beats of [1, 2]) {
      timers.splice(0)[0]?.task();
      await live.http("GET", "/v1/balance");
      await stream.next("request");
      expect(stream.lines.filter((line) => line === ": still here")).toHaveLength(beats);
    }
    stream.leave();
    while (timers.length > 0) await systemClock.yieldToEventLoop();
  });
});

/** How many more listeners there are since this call. */
function countListeners({ sandbox: { events } }: Live): () => number {
  const before = events.listenerCount("changed");
  return () => events.listenerCount("changed") - before;
}
