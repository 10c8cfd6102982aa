import ipaddr from "ipaddr.js";

/** Whether an address that a server listens on is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  return bare === "localhost" || (ipaddr.isValid(bare) && ipaddr.process(bare).range() === "loopback");
}
