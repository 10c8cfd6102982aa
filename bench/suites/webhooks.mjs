/**
 * How many webhooks a second leave. The sandbox drops charges in one advance, which owes a webhook for each: signed, sent with keep-alive, each attempt
 * recorded. The floor sends the same requests with `undici.request` over a pool of as many connections, and nothing else. Both to the same receiver, which
 * shares their core, as the target's own measurements had it, and then has a core of its own.
 */
import { fileURLToPath } from "node:url";
import { collect, line, medians, ratios } from "../measure/figures.mjs";
import { postCharge, postJson, runLoad } from "../measure/load.mjs";
import { CLIENT_CORE, programs, runNode, SERVER_CORE, startServer } from "../measure/processes.mjs";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

export async function measureWebhooks({ rounds, webhooks, warmUp }) {
  const size = { rounds, webhooks, warmUp };
  const together = await measureWith(SERVER_CORE, size);
  const apart = await measureWith(CLIENT_CORE, size);
  const rate = (measured) => collect(measured, ({ seconds }) => webhooks / seconds);
  const compared = (name, target, unit, numbers) =>
    line(name, ratios(numbers.sandbox, numbers.floor), target, unit, medians(numbers));
  return [
    compared("Webhooks on one core, throughput", { least: 0.6 }, "a second", rate(together)),
    compared("Webhooks to another core, throughput", {}, "a second", rate(apart)),
    compared(
      "Webhooks, CPU time of the sender",
      {},
      "µs each",
      collect(apart, ({ cpuUs }) => cpuUs / webhooks),
    ),
  ];
}

/** Rounds of both senders; the receiver is on `core`. */
async function measureWith(core, { rounds, webhooks, warmUp }) {
  const receiver = await startServer([at("../floors/receiver.mjs")], { probed: false, core });
  const measured = [];
  for (let round = 0; round < rounds; round++) {
    const floor = await runNode([at("../floors/sender.mjs"), receiver.url, String(webhooks), String(warmUp)]);
    const sandbox = await measureSandbox(receiver.url, { webhooks, warmUp });
    measured.push({ floor, sandbox });
  }
  const sent = rounds * 2 * (webhooks + warmUp);
  const { received } = await (await fetch(receiver.url)).json();
  if (received !== sent) throw new Error(`${received} of ${sent} webhooks arrived.`);
  await receiver.stop();
  return measured;
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
