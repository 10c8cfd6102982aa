import ipaddr from "ipaddr.js";
import { bareHost } from "../../kernel/messages/text.js";

/** Whether an address that a server listens on is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  const bare = bareHost(host).toLowerCase();
  return bare === "localhost" || (ipaddr.isValid(bare) && ipaddr.process(bare).range() === "loopback");
}
