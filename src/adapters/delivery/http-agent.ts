import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { Agent } from "undici";
import { isAddressAllowed } from "../../domain/subscriptions/allowed-receivers.js";
import type { AllowedHosts } from "../../domain/profile/profile.js";

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

/** A name that stands for an address where secrets are answered is refused like the address itself. */
function lookupAllowed(allow: AllowedHosts): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const allowed = error === null ? addresses.filter(({ address }) => isAddressAllowed(allow, address)) : [];
      const [first] = allowed;
      if (error !== null) callback(error, "");
      else if (first === undefined) callback(new Error(`refused: ${hostname} is a link-local or metadata address`), "");
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
