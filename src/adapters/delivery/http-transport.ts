import type { Agent } from "node:http";
import { isReceiverAllowed, listsMetadata } from "../../domain/deliveries/allowed-receivers.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { createAgent, type Outcome, post } from "./http-client.js";
import type { Transport, TransportRequest } from "./transport.js";

/** How long one turn of the event loop returns outcomes, ms: thousands may come at once, and the caller works on each of them. */
const OUTCOMES_SLICE_MS = 10;

/** POSTs over HTTP with keep-alive. */
export function createHttpTransport(system: SystemClock): Transport {
  /** Until when the present slice returns outcomes, monotonic ms. */
  let until = 0;
  let turns = Promise.resolve();
  /** Resolves in the order of the calls. */
  const takeTurn = (): Promise<void> => {
    turns = turns.then(async () => {
      if (system.monotonic() < until) return;
      await system.yieldToEventLoop();
      until = system.monotonic() + OUTCOMES_SLICE_MS;
    });
    return turns;
  };
  /** Keyed by the protocol, by whether certificates are checked, and by whether a tenant sends: others may use more addresses, also with open sockets. */
  const shared = new Map<string, Agent>();
  const agents = new Set<Agent>();

  const send = async (request: TransportRequest): Promise<Outcome> => {
    const { url, allow, insecureTls } = request;
    if (!isReceiverAllowed(allow, url))
      return { status: null, error: "refused: webhooks.allow does not permit this host", response: null };
    const open = (): Agent => {
      const agent = createAgent(request);
      agents.add(agent);
      return agent;
    };
    if (!listsMetadata(allow)) {
      const kind = `${new URL(url).protocol} ${insecureTls} ${allow.kind === "tenant"}`;
      const agent = shared.get(kind) ?? open();
      shared.set(kind, agent);
      return post(agent, request, system);
    }
    // A socket to a metadata address is not shared, because only some companies may use it.
    const agent = open();
    try {
      return await post(agent, request, system);
    } finally {
      agents.delete(agent);
      agent.destroy();
    }
  };

  return {
    async send(request) {
      const start = system.monotonic();
      const outcome = await send(request);
      const latencyMs = Math.round((system.monotonic() - start) * 1000) / 1000;
      // A receiver may close the connection with its answer. Node notices that one turn after the answer, and the next attempt must not use that
      // connection.
      await system.yieldToEventLoop();
      await system.yieldToEventLoop();
      await takeTurn();
      return { latencyMs, ...outcome };
    },
    async close() {
      for (const agent of agents) agent.destroy();
    },
  };
}
