import { Agent } from "undici";
import { isReceiverAllowed, listsMetadata } from "../../domain/deliveries/allowed-receivers.js";
import type { AllowedHosts } from "../../domain/profile/setting-kinds.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { type Outcome, post } from "./http-client.js";
import { lookupAllowed } from "./lookup-allowed.js";
import type { Transport, TransportRequest } from "./transport.js";

/** POSTs over HTTP with keep-alive. */
export function createHttpTransport(system: SystemClock): Transport {
  /** By whether certificates are not checked. */
  const shared = new Map<boolean, Agent>();
  const agents = new Set<Agent>();

  const open = ({ insecureTls, allow }: TransportRequest): Agent => {
    const agent = createAgent(insecureTls, allow);
    agents.add(agent);
    return agent;
  };

  const send = async (request: TransportRequest): Promise<Outcome> => {
    if (!isReceiverAllowed(request.allow, request.url))
      return { status: null, error: "refused: webhooks.allow does not permit this host", response: null };
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

function createAgent(insecureTls: boolean, allow: AllowedHosts): Agent {
  return new Agent({
    // Each company's dispatcher decides how many sockets there are, so that no company waits behind another's hanging receiver.
    connections: null,
    // One request on a socket at a time: an attempt must not wait behind a receiver's slow answer to another.
    pipelining: 1,
    keepAliveTimeout: 4_000,
    // An attempt has its own time-out; undici's would cut a longer `webhooks.timeout` short.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { rejectUnauthorized: !insecureTls, timeout: 0, lookup: lookupAllowed(allow) },
  });
}
