import type { Agent } from "undici";
import { isReceiverAllowed, listsMetadata } from "../../domain/deliveries/allowed-receivers.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import type { Outcome } from "./http-client.js";
import type { Transport, TransportRequest } from "./transport.js";

/** POSTs over HTTP with keep-alive. */
export function createHttpTransport(system: SystemClock): Transport {
  /** By whether certificates are not checked. */
  const shared = new Map<boolean, Agent>();
  const agents = new Set<Agent>();

  const send = async (request: TransportRequest): Promise<Outcome> => {
    if (!isReceiverAllowed(request.allow, request.url))
      return { status: null, error: "refused: webhooks.allow does not permit this host", response: null };
    const { createAgent, post } = await import("./http-client.js");
    const open = ({ insecureTls, allow }: TransportRequest): Agent => {
      const agent = createAgent(insecureTls, allow);
      agents.add(agent);
      return agent;
    };
    if (!listsMetadata(request.allow)) {
      const agent = shared.get(request.insecureTls) ?? open(request);
      shared.set(request.insecureTls, agent);
      return post(agent, request, system);
    }
    // A socket to a metadata address, which only some companies may use, is not shared.
    const agent = open(request);
    try {
      return await post(agent, request, system);
    } finally {
      agents.delete(agent);
      await agent.destroy();
    }
  };

  return {
    async send(request) {
      const start = system.monotonic();
      const outcome = await send(request);
      const latencyMs = Math.round((system.monotonic() - start) * 1000) / 1000;
      // undici marks the socket as free only after this turn: an attempt that began sooner would open another one.
      await system.yieldToEventLoop();
      return { latencyMs, ...outcome };
    },
    async close() {
      await Promise.all([...agents].map((agent) => agent.destroy()));
    },
  };
}
