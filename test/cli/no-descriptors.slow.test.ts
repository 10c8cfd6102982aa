import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { Agent, request } from "undici";
import { startSandbox } from "../support/cli.js";

const OPEN_FILES = 100;

it("what could not be loaded without a free file descriptor is loaded later", async () => {
  const { url } = await startSandbox([], { openFiles: OPEN_FILES });
  const dispatcher = new Agent({ connections: 1, keepAliveTimeout: 60_000 });
  onTestFinished(() => dispatcher.destroy());
  const call = async (path: string, body?: object) => {
    const sent = body && { method: "POST" as const, body: JSON.stringify(body) };
    const headers = { "content-type": "application/json" };
    const answer = await request(`${url}${path}`, { dispatcher, headers, ...sent });
    return { status: answer.statusCode, text: await answer.body.text() };
  };
  const clock = () => call("/_sandbox/clock");
  const replay = () => call("/_sandbox/scenarios/replay", { steps: [{ request: "GET /v1/balance" }] });

  // This keeps the only connection of the agent open.
  expect(await call("/")).toMatchObject({ status: 404 });
  for (const first of [clock, replay]) {
    const release = await takeDescriptors(url);
    expect(await first()).toMatchObject({ status: 500 });
    release();
    // When this is answered, the sandbox has closed the other connections.
    await call("/");
    expect(await first()).toMatchObject({ status: 200 });
  }
});

/** Connects until the sandbox cannot accept another connection. Returns a function that closes them. */
async function takeDescriptors(url: string): Promise<() => void> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: OPEN_FILES }, () => connect(Number(port), hostname));
  await new Promise((resolve) => {
    for (const socket of sockets) socket.on("error", () => undefined).once("close", resolve);
  });
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}
