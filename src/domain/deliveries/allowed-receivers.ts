import ipaddr from "ipaddr.js";
import { bareHost } from "../../kernel/messages/text.js";
import type { Profile } from "../profile/profile.js";

type Allow = Profile["webhooks"]["allow"];

/**
 * Whether webhooks may be sent to this URL. By default they may be sent anywhere but to link-local and cloud metadata addresses, which give secrets
 * to any caller on the same machine or network.
 */
export function isReceiverAllowed(allow: Allow, url: string): boolean {
  return isHostAllowed(allow, new URL(url).hostname);
}

/** Whether a host, given by name or by address, may receive webhooks. */
export function isHostAllowed(allow: Allow, hostname: string): boolean {
  const host = bareHost(hostname).replace(/\.$/, "").toLowerCase();
  const address = parseAddress(host);
  if (allow.kind === "any") return address === undefined ? !METADATA_NAMES.has(host) : !isMetadataAddress(address);
  if (allow.kind === "tenant") {
    const isPermitted = isHostAllowed(allow.own, host) && isHostAllowed(allow.operator, host);
    return isPermitted && (allow.operator.kind === "list" || address === undefined || isPublic(host));
  }
  return allow.hosts.some((entry) => matches(entry.toLowerCase(), host, address));
}

/**
 * Whether webhooks may be sent to an address that an allowed name resolves to. Link-local and metadata addresses must be listed themselves, whatever
 * name resolves to them. For a tenant, the operator must list every address that is not public.
 */
export function isAddressAllowed(allow: Allow, resolved: string): boolean {
  const address = parseAddress(resolved);
  if (address === undefined) return false;
  if (allow.kind === "tenant") {
    const { own, operator } = allow;
    return (
      isAddressAllowed(own, resolved) &&
      ((operator.kind === "list" && isHostAllowed(operator, resolved)) || isPublic(resolved))
    );
  }
  return !isMetadataAddress(address) || (allow.kind === "list" && isHostAllowed(allow, resolved));
}

/** Whether the setting permits an address that is guarded by default. */
export function listsMetadata(allow: Allow): boolean {
  if (allow.kind === "any") return false;
  if (allow.kind === "tenant") return listsMetadata(allow.operator);
  return allow.hosts.some((entry) => {
    const network = parseAddress(entry.split("/", 1).join());
    return (
      (network !== undefined && isMetadataAddress(network)) ||
      GUARDED.some((address) => matches(entry, address, parseAddress(address)))
    );
  });
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const METADATA_NAMES: ReadonlySet<string> = new Set(["metadata.google.internal", "metadata.goog", "metadata"]);

/** Metadata services outside the link-local ranges: AWS (including the credentials of pods) and Google over IPv6, Alibaba, Oracle, Azure. */
const METADATA_NETWORKS = [
  "fd00:ec2::/32",
  "fd20:ce::254/128",
  "100.100.100.200/32",
  "192.0.0.192/32",
  "168.63.129.16/32",
].map((network) => ipaddr.parseCIDR(network));

/** One address of each guarded range. */
const GUARDED: readonly string[] = [
  "169.254.0.0",
  "fe80::",
  ...METADATA_NETWORKS.map(([network]) => network.toString()),
];

function isMetadataAddress(address: Address): boolean {
  return address.range() === "linkLocal" || METADATA_NETWORKS.some((network) => isWithin(network, address));
}

/** Whether this is an address of the internet, not of this machine or of a network behind it. */
function isPublic(host: string): boolean {
  const address = parseAddress(host);
  if (address === undefined || isMetadataAddress(address)) return false;
  return address.range() === "unicast" && !isWithin(LOCAL_NAT64, ipaddr.process(host));
}

/** Addresses of local NAT64 gateways. Only their network knows where in such an address the IPv4 address is. */
const LOCAL_NAT64 = ipaddr.parseCIDR("64:ff9b:1::/48");

/**
 * An IPv4 address that is written inside an IPv6 address (`::ffff:169.254.169.254`, `::169.254.169.254`, or as a NAT64 or 6to4 gateway translates it)
 * counts as that IPv4 address.
 */
function parseAddress(host: string): Address | undefined {
  // Asked about a name, the library throws and catches an error, which takes long.
  if (!/^\d|:/.test(host) || !ipaddr.isValid(host)) return undefined;
  const address = ipaddr.process(host);
  if (address.kind() === "ipv4") return address;
  const bytes = address.toByteArray();
  const isPlain = ["loopback", "unspecified"].includes(address.range());
  if (!isPlain && bytes.slice(0, 12).every((byte) => byte === 0)) return ipaddr.fromByteArray(bytes.slice(12));
  if (address.range() === "rfc6052" || address.range() === "rfc6145") return ipaddr.fromByteArray(bytes.slice(12));
  return address.range() === "6to4" ? ipaddr.fromByteArray(bytes.slice(2, 6)) : address;
}

function matches(entry: string, host: string, address: Address | undefined): boolean {
  if (!entry.includes("/")) {
    const listed = parseAddress(entry);
    return listed === undefined || address === undefined ? entry === host : listed.toString() === address.toString();
  }
  if (address === undefined || !ipaddr.isValidCIDR(entry)) return false;
  return isWithin(ipaddr.parseCIDR(entry), address);
}

function isWithin([network, bits]: readonly [Address, number], address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}
