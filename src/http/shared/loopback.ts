import ipaddr from "ipaddr.js";

/** Whether an address that a server listens on is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  if (USUAL.has(bare)) return true;
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === "loopback";
}

/** The usual ones. */
const USUAL: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1"]);
