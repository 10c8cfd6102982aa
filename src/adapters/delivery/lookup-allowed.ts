import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { isAddressAllowed } from "../../domain/deliveries/allowed-receivers.js";
import type { AllowedHosts } from "../../domain/profile/setting-kinds.js";

const refusedAddresses = { any: "link-local or metadata", list: "link-local or metadata", tenant: "private" } as const;

/** A name that resolves to an address that is not permitted is refused like the address itself. */
export function lookupAllowed(allow: AllowedHosts): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const allowed = error === null ? addresses.filter(({ address }) => isAddressAllowed(allow, address)) : [];
      const [first] = allowed;
      if (error !== null) callback(error, "");
      else if (first === undefined)
        callback(new Error(`refused: ${hostname} is a ${refusedAddresses[allow.kind]} address`), "");
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
