/**
 * A process that sends one request again and again, as fast as it can, until it is asked to stop. With `waits`, a connection that is refused with 429
 * waits as long as Retry-After says. It reports its first 429 after an accepted request, and at the end all answers by status.
 */
import { setTimeout } from "node:timers/promises";
import { Agent } from "undici";

const { connections, waits, request } = JSON.parse(process.argv[2]);
const agent = new Agent({ connections });
const statuses = {};
const over = new AbortController();
process.once("message", () => over.abort());

let sent = 0;
let hasReported = false;
await Promise.all(
  Array.from({ length: connections }, async () => {
    while (!over.signal.aborted) {
      const body = request.body.replace("[<id>]", `noise-${Date.now()}-${sent++}`);
      const { statusCode, headers, body: answer } = await agent.request({ ...request, body });
      await answer.dump();
      if (statusCode === 429 && statuses[201] > 0 && !hasReported) hasReported = process.send("limited");
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
      if (statusCode === 429 && waits) await setTimeout(Number(headers["retry-after"]) * 1000);
    }
  }),
);
await agent.close();
process.send(statuses);
