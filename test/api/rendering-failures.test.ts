import { expect, it, onTestFinished, vi } from "vitest";
import { createApp } from "../../src/http/server/app.js";
import { BUG_MESSAGE } from "../../src/http/api/answer.js";
import { serve } from "../../src/http/server/listen.js";
import { sendRaw } from "../support/raw-http.js";
import { anError } from "../support/shapes.js";
import { openWorld } from "../support/world.js";

const raw = "GET /v1/balance HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n";

it("an error while an error is rendered is a plain 500, and the server continues", async () => {
  const world = openWorld();
  const server = await serve(createApp(world.sandbox), { port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close());
  // Every answer shows the time, even an error.
  const broken = vi.spyOn(world.sandbox.defaultCompany, "now").mockImplementation(() => Number.NaN);
  for (const path of ["/v1/balance", "/_sandbox/clock", "/nowhere", "/checkout/x", "/_sandbox"]) {
    const answer = await fetch(server.url + path);
    expect(answer.status, path).toBe(500);
    expect(await answer.json(), path).toEqual({
      ...anError(500, "/", [BUG_MESSAGE]),
      error: "Internal Server Error Exception",
    });
  }
  expect(await sendRaw(server.url, [raw])).toMatchObject({ status: 400 });
  expect(await sendRaw(server.url, ["nonsense\r\n\r\n"])).toMatchObject({ status: 400 });
  broken.mockRestore();
  expect((await fetch(`${server.url}/_sandbox/clock`)).status).toBe(200);
});

it("an error while a stream renders ends that stream only", async () => {
  const world = openWorld();
  const server = await serve(createApp(world.sandbox), { port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close());
  const stream = await fetch(`${server.url}/_sandbox/stream`);
  const broken = vi.spyOn(world.sandbox.defaultCompany.clock, "save").mockImplementation(() => {
    throw new Error("broken");
  });
  expect((await world.api("GET", "/v1/balance")).status).toBe(200);
  expect(await stream.text()).toContain("event: request");
  broken.mockRestore();
  expect((await fetch(`${server.url}/_sandbox/clock`)).status).toBe(200);
});
