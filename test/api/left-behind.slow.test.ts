import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../support/cli.js";
import { connectTo } from "../support/raw-http.js";

/** Clients that leave. */

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

describe("a client that leaves", () => {
  it("causes no output of Node on stderr, however it leaves a stream", async () => {
    const sandbox = await startSandbox();
    for (const leave of ["destroy", "resetAndDestroy", "end"] as const) {
      const client = await connectTo(sandbox.url);
      client.write(get("/_sandbox/stream"));
      await once(client, "data");
      client[leave]();
      await once(client, "close");
    }
    expect(await sandbox.stop()).toBe(0);
    expect(sandbox.stderr).toBe("");
  });
});
