import { Agent } from "undici";
import type { AllowedHosts } from "../../domain/profile/profile.js";
import { lookupAllowed } from "./lookup-allowed.js";

/** The sockets of an HTTP client, which go nowhere that `allow` does not permit, whatever a name stands for. */
export function createAgent(insecureTls: boolean, allow: AllowedHosts): Agent {
  return new Agent({
    // How many sockets there are is decided by each company's dispatcher: a company never waits behind another's hanging receiver.
    connections: null,
    // One request on a socket at a time: an attempt must not wait behind a receiver's slow answer to another.
    pipelining: 1,
    keepAliveTimeout: 4_000,
    // The time-out of an attempt is its own; undici's would cut a longer `webhooks.timeout` short.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { rejectUnauthorized: !insecureTls, timeout: 0, lookup: lookupAllowed(allow) },
  });
}
