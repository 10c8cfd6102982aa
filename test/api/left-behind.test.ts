import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import type { HttpEnv } from "../../src/http/shared/env.js";
import { whenAnswered } from "../../src/http/shared/after-answer.js";
import { serve } from "../../src/http/server/listen.js";
import { connectTo } from "../support/raw-http.js";

/** Clients that leave. */

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

describe("a client that leaves", () => {
  it("is noticed while another request waits behind the one being handled", async () => {
    const app = new Hono<HttpEnv>();
    let finish = (): void => undefined;
    const held = new Promise<Response>((resolve) => {
      finish = () => resolve(new Response("late"));
    });
    let reached = (): void => undefined;
    const begun = new Promise<void>((resolve) => (reached = resolve));
    const lost = new Promise<boolean>((resolve) => {
      app.get("/held", (c) => {
        whenAnswered(c, resolve);
        reached();
        return held;
      });
    });
    const server = await serve(app, { port: 0, host: "127.0.0.1" });
    onTestFinished(async () => {
      finish();
      await server.close();
    });
    const client = await connectTo(server.url);
    client.write(get("/held") + get("/waits"));
    await begun;
    client.destroy();
    expect(await lost).toBe(true);
  });
});
