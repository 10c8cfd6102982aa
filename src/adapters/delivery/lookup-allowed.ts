import { type LookupAddress, lookup, promises } from "node:dns";
import type { LookupFunction } from "node:net";
import { isAddressAllowed } from "../../domain/deliveries/allowed-receivers.js";
import type { AllowedHosts } from "../../domain/profile/setting-kinds.js";

const refusedAddresses = { any: "link-local or metadata", list: "link-local or metadata", tenant: "private" } as const;

/** The timeout of the first of two tries, ms. The second one takes twice as long. */
const NAME_SERVER_MS = 2_000;

/** A name may have thousands of addresses. Trying them all, for many attempts at once, would block the event loop. */
const ADDRESSES_MAX = 20;

/** A name that resolves to an address that is not permitted is refused like the address itself. */
export function lookupAllowed(allow: AllowedHosts): LookupFunction {
  // The machine's own lookup has few threads, so tenants' names that no server answers would hold up all other lookups.
  const askServers = allow.kind === "tenant" && allow.operator.kind === "any" ? createNameClient() : undefined;
  return (hostname, options, callback) => {
    const choose = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]): void => {
      const tried = error === null ? addresses.slice(0, ADDRESSES_MAX) : [];
      const allowed = tried.filter(({ address }) => isAddressAllowed(allow, address));
      const [first] = allowed;
      if (error !== null) callback(error, "");
      else if (first === undefined)
        callback(new Error(`refused: ${hostname} is a ${refusedAddresses[allow.kind]} address`), "");
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    };
    if (askServers === undefined) lookup(hostname, { ...options, all: true }, choose);
    else
      void askServers(hostname).then(
        (addresses) => choose(null, addresses),
        (error) => choose(error, []),
      );
  };
}

/** Asks only the name servers, any number of questions at a time. It does not know the machine's own names, which are private. */
function createNameClient(): (hostname: string) => Promise<readonly LookupAddress[]> {
  const resolver = new promises.Resolver({ timeout: NAME_SERVER_MS, tries: 2 });
  return async (hostname) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [...addressesOf(four, 4), ...addressesOf(six, 6)];
    if (four.status === "rejected" && found.length === 0) throw four.reason;
    return found;
  };
}

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6): readonly LookupAddress[] {
  return answer.status === "fulfilled" ? answer.value.map((address) => ({ address, family })) : [];
}
