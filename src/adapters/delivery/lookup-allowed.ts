import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { isAddressAllowed } from "../../domain/deliveries/allowed-receivers.js";
import type { AllowedHosts } from "../../domain/profile/setting-kinds.js";

/** A name that resolves to a metadata address is refused like the address itself. */
export function lookupAllowed(allow: AllowedHosts): LookupFunction {
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
