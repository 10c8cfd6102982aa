import type { Agent } from "undici";
import type { AllowedHosts } from "../../domain/profile/profile.js";
import { isReceiverAllowed, listsMetadata } from "../../domain/deliveries/allowed-receivers.js";
import { RecentMap } from "../../kernel/recent-map.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import { Flights } from "./flights.js";
import { exchange, failure } from "./http-exchange.js";
import { parseTarget, type Target } from "./target.js";
import type { Transport, TransportRequest } from "./transport.js";

/** Receivers whose URLs need not be read again. */
const TARGETS_KEPT = 1_000;

/**
 * POSTs over HTTP with keep-alive. A redirect is an answer like any other and is not followed. The client is loaded with the first delivery: a third of
 * the time that a sandbox takes to load, which many a test never needs.
 */
export function createHttpTransport(system: SystemClock): Transport {
  const agents = new Set<Agent>();
  const shared = new Map<boolean, Agent>();
  const targets = new RecentMap<string, Target>(TARGETS_KEPT);
  const isAllowed = createAllowedCheck();
  const flights = new WeakMap<AbortSignal, Flights>();
  const flightsOf = (signal: AbortSignal): Flights => {
    const found = flights.get(signal) ?? new Flights(system, signal);
    flights.set(signal, found);
    return found;
  };
  const open = async ({ insecureTls, allow }: TransportRequest, isShared: boolean): Promise<Agent> => {
    const { createAgent } = await import("./http-agent.js");
    // Others may have asked for the same meanwhile.
    const agent = (isShared ? shared.get(insecureTls) : undefined) ?? createAgent(insecureTls, allow);
    agents.add(agent);
    if (isShared) shared.set(insecureTls, agent);
    return agent;
  };
  const done = async (agent: Agent): Promise<void> => {
    agents.delete(agent);
    await agent.destroy();
  };
  return {
    async send(request) {
      // A socket that one company may use is not lent to another that may not.
      const isShared = !listsMetadata(request.allow);
      const agent = (isShared ? shared.get(request.insecureTls) : undefined) ?? (await open(request, isShared));
      const target = targets.get(request.url) ?? targets.set(request.url, parseTarget(request.url));
      const start = system.monotonic();
      const outcome = isAllowed(request.allow, request.url)
        ? await exchange(agent, target, request, flightsOf(request.signal), start)
        : failure("refused: webhooks.allow does not permit this host");
      const latencyMs = Math.round((system.monotonic() - start) * 1000) / 1000;
      if (!isShared) await done(agent);
      // Only then does undici take its socket for free again: a next attempt that begins sooner would open another one.
      await system.yieldToEventLoop();
      return { latencyMs, ...outcome };
    },
    async close() {
      await Promise.all([...agents].map((agent) => agent.destroy()));
      agents.clear();
      shared.clear();
    },
  };
}

/** `isReceiverAllowed`, which says the same each time of the same rule and URL. */
function createAllowedCheck(): typeof isReceiverAllowed {
  const known = new WeakMap<AllowedHosts, RecentMap<string, boolean>>();
  return (allow, url) => {
    let byUrl = known.get(allow);
    if (byUrl === undefined) known.set(allow, (byUrl = new RecentMap(TARGETS_KEPT)));
    return byUrl.get(url) ?? byUrl.set(url, isReceiverAllowed(allow, url));
  };
}
