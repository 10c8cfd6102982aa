import { isReceiverAllowed } from "../../domain/deliveries/allowed-receivers.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import type { HttpClient, Outcome } from "./http-client.js";
import type { Transport } from "./transport.js";

/** POSTs over HTTP with keep-alive. The HTTP client is loaded with the first delivery. */
export function createHttpTransport(system: SystemClock): Transport {
  let client: Promise<HttpClient> | undefined;
  const load = async (): Promise<HttpClient> => {
    const { HttpClient } = await import("./http-client.js");
    return new HttpClient(system);
  };
  const refused: Outcome = {
    status: null,
    error: "refused: webhooks.allow does not permit this host",
    response: null,
  };
  return {
    async send(request) {
      const loaded = await (client ??= load());
      const start = system.monotonic();
      const isAllowed = isReceiverAllowed(request.allow, request.url);
      const outcome = isAllowed ? await loaded.post(request) : refused;
      const latencyMs = Math.round((system.monotonic() - start) * 1000) / 1000;
      // undici marks the socket as free only after this turn: an attempt that began sooner would open another one.
      await system.yieldToEventLoop();
      return { latencyMs, ...outcome };
    },
    async close() {
      await (await client)?.close();
    },
  };
}
