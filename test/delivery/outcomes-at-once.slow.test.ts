import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { createHttpTransport } from "../../src/adapters/delivery/http-transport.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { serveHttp } from "../support/listen.js";
import { longestStop } from "../support/loop-stops.js";

const ATTEMPTS = 500;
const WORK_MS = 4;

it("outcomes that come at once are returned in several turns, since the caller works on each of them", async () => {
  const held: ServerResponse[] = [];
  const url = await serveHttp((incoming, outgoing) => {
    incoming.resume();
    if (held.push(outgoing) === ATTEMPTS) for (const answer of held) answer.end();
  });
  const transport = createHttpTransport(systemClock);
  const request = { url, body: Buffer.from("{}"), headers: {}, timeoutMs: 60_000, insecureTls: false };
  const { signal } = new AbortController();
  const returned: number[] = [];
  const attempt = async (number: number) => {
    const { status } = await transport.send({ ...request, allow: { kind: "any" }, signal });
    expect(status).toBe(200);
    returned.push(number);
    for (const end = performance.now() + WORK_MS; performance.now() < end;);
  };
  const all = () => Promise.all(Array.from({ length: ATTEMPTS }, (_, number) => attempt(number)));
  expect(await longestStop(all)).toBeLessThan(800);
  expect(new Set(returned).size).toBe(ATTEMPTS);
  await transport.close();
});
