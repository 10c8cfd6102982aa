import { expect, it, onTestFinished } from "vitest";
import { startLive } from "../support/live.js";
import { connectTo } from "../support/raw-http.js";

const COUNT = 2_000;

it("many requests that one client sends without waiting are answered in order, and do not keep others waiting", async () => {
  const live = await startLive();
  const socket = await connectTo(live.url);
  onTestFinished(() => void socket.destroy());
  const seen: number[] = [];
  let text = "";
  const all = new Promise<void>((resolve) => {
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      for (const [found, number] of text.matchAll(/"path":"\/n\/(\d+)"/g)) {
        seen.push(Number(number));
        text = text.slice(text.indexOf(found) + found.length);
      }
      if (seen.length === COUNT) resolve();
    });
  });
  const requests = Array.from({ length: COUNT }, (_, index) => `GET /n/${index} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await new Promise<void>((resolve) => socket.write(requests.join(""), () => resolve()));
  expect((await live.http("GET", "/v1/balance")).status).toBe(200);
  expect(seen.length).toBeLessThan(COUNT / 10);
  await all;
  expect(seen).toEqual(Array.from({ length: COUNT }, (_, index) => index));
});
