/**
 * How many webhooks a second leave on one core for a receiver on another. The sandbox drops charges in one advance, which owes a webhook for each: signed,
 * sent with keep-alive, each attempt recorded. The floor sends the same bodies with `undici.request` over a pool of as many connections, and nothing else.
 */
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { collect, line, medians, ratios } from "../measure/figures.mjs";
import { postCharge, postJson, runLoad } from "../measure/load.mjs";
import { programs, runNode, startServer } from "../measure/processes.mjs";

const SENDER = fileURLToPath(new URL("../floors/sender.mjs", import.meta.url));

export async function measureWebhooks({ rounds, webhooks, warmUp }) {
  const receiver = await openReceiver();
  const measured = [];
  for (let round = 0; round < rounds; round++) {
    const floor = await runNode([SENDER, receiver.url, String(webhooks), String(warmUp)]);
    const sandbox = await measureSandbox(receiver.url, { webhooks, warmUp });
    measured.push({ floor, sandbox });
  }
  const sent = rounds * 2 * (webhooks + warmUp);
  if (receiver.count() !== sent) throw new Error(`${receiver.count()} of ${sent} webhooks arrived.`);
  receiver.close();
  const rate = collect(measured, ({ seconds }) => webhooks / seconds);
  const cpu = collect(measured, ({ cpuUs }) => cpuUs / webhooks);
  return [
    line("Webhooks, throughput", ratios(rate.sandbox, rate.floor), { least: 0.6 }, "a second", medians(rate)),
    line("Webhooks, CPU time", ratios(cpu.sandbox, cpu.floor), {}, "µs each", medians(cpu)),
  ];
}

async function measureSandbox(receiver, { webhooks, warmUp }) {
  const server = await startServer([...programs.sandbox, "--clock", "2026-01-15T09:00:00Z"]);
  await postJson(server.url, "/v1/webhooks", { topic: "charges/events", url: `${receiver}/hook` });
  const drop = async (charges, from) => {
    await runLoad(server.url, { requests: charges, status: 201, requestOf: (index) => postCharge(from + index) });
    const before = await server.usage();
    const startedAt = performance.now();
    const { deliveries } = await postJson(server.url, "/_sandbox/clock/advance", { by: "1h", maxWaitMs: 600_000 });
    const seconds = (performance.now() - startedAt) / 1000;
    const after = await server.usage();
    if (deliveries.succeeded !== charges) throw new Error(`${deliveries.succeeded} of ${charges} were delivered.`);
    return { seconds, cpuUs: after.cpuUs - before.cpuUs };
  };
  await drop(warmUp, 0);
  const result = await drop(webhooks, warmUp);
  await server.stop();
  return result;
}

async function openReceiver() {
  let received = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      received++;
      response.end();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    count: () => received,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
