import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/server/app.js";
import { serve } from "../../src/http/server/listen.js";
import { useWorlds } from "../support/describe-api.js";
import { chargeRequest } from "../support/requests.js";
import { selfSigned } from "../support/self-signed.js";

const open = useWorlds();

const COUNT = 150;

/** A client in another thread, so that it reads an answer and sends the next request before the server's thread continues. */
const client = `
const { once } = require("node:events");
const { Agent, request } = require("node:https");
const { parentPort, workerData: { url, bodies, headers } } = require("node:worker_threads");
void (async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const statuses = [];
  for (const body of bodies) {
    const outgoing = request(url, { method: "POST", agent, headers });
    outgoing.end(body);
    const [incoming] = await once(outgoing, "response");
    await once(incoming.resume(), "end");
    statuses.push(incoming.statusCode);
  }
  agent.destroy();
  parentPort.postMessage(statuses);
})();
`;

it("large requests on one connection of HTTPS, each sent when the large answer before it has arrived, are all answered", async () => {
  const { sandbox } = await open();
  const server = await serve(createApp(sandbox), { port: 0, host: "127.0.0.1", tls: selfSigned });
  onTestFinished(() => server.close());
  const url = `${server.url}/v1/charges`;
  const headers = {
    authorization: "Bearer at_sandbox",
    "x-company-id": "company_sandbox",
    "content-type": "application/json",
  };
  const metadata = { text: "x".repeat(100_000) };
  const bodies = Array.from({ length: COUNT }, (_, index) =>
    JSON.stringify(chargeRequest({ externalId: `order-${index}`, metadata })),
  );
  const worker = new Worker(client, { eval: true, workerData: { url, bodies, headers } });
  const [statuses] = await once(worker, "message");
  expect(statuses).toEqual(bodies.map(() => 201));
});
