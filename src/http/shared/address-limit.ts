import ipaddr from "ipaddr.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import type { HttpContext } from "./env.js";
import { RecentMap } from "../../kernel/records/recent-map.js";

/** Beyond this number, the address that was not seen for the longest time is forgotten. */
const ADDRESSES_MAX = 10_000;

interface Allowance {
  readonly left: number;
  readonly at: number;
}

/** Lets each address do something `most` times in a row, then once every `everyMs`. */
export class AddressLimit {
  readonly #system: Pick<SystemClock, "monotonic">;
  readonly #most: number;
  readonly #everyMs: number;
  readonly #allowances = new RecentMap<string, Allowance>(ADDRESSES_MAX);

  constructor(system: Pick<SystemClock, "monotonic">, most: number, everyMs: number) {
    this.#system = system;
    this.#most = most;
    this.#everyMs = everyMs;
  }

  /** Counts one use. Returns how many seconds the address has to wait; undefined if it may go ahead. */
  count(address: string): string | undefined {
    const now = this.#system.monotonic();
    const { left, at } = this.#allowances.get(address) ?? { left: this.#most, at: now };
    const regained = Math.floor((now - at) / this.#everyMs);
    const available = Math.min(this.#most, left + regained);
    const since = available === this.#most ? now : at + regained * this.#everyMs;
    this.#allowances.add(address, { left: Math.max(0, available - 1), at: since });
    return available > 0 ? undefined : String(Math.max(1, Math.ceil((since + this.#everyMs - now) / 1000)));
  }
}

/** How many wrong tokens in a row one address may send; then one more every {@link GUESS_MS}. They do not lock out a client with the right token. */
export const GUESSES_MAX = 10;
export const GUESS_MS = 6_000;

/** How many companies one address may open in a row; then one more every {@link OPENING_MS}. */
export const OPENINGS_MAX = 5;
export const OPENING_MS = 60_000;

/** How many addresses in front of the sandbox are compared with the trusted proxies. A client could list thousands of trusted ones. */
const HOPS_MAX = 20;

/**
 * Identifies a client by the address that the connection comes from or that trusted proxies report. For IPv6 it is the network, because a client has
 * all addresses of its network.
 */
export function addressOf(c: HttpContext, trustedProxies: readonly string[]): string {
  const reported = (c.req.header("x-forwarded-for") ?? "").split(",").map((each) => withoutPort(each.trim()));
  const hops = [c.env?.incoming?.socket.remoteAddress ?? "", ...reported.toReversed()].slice(0, HOPS_MAX);
  const client = hops.find((hop) => !trustedProxies.some((proxy) => isOf(proxy, hop))) ?? hops.at(-1) ?? "";
  if (!ipaddr.isValid(client)) return "";
  const address = ipaddr.process(client);
  if (address.kind() === "ipv4") return address.toString();
  return Buffer.from(address.toByteArray().slice(0, 8)).toString("hex");
}

/** Some proxies add the client's port: `192.0.2.1:5000`, `[2001:db8::1]:5000`. */
function withoutPort(hop: string): string {
  return hop.replace(/^(?:([\d.]+)|\[([\da-f:.]+)\])(?::\d+)?$/i, "$1$2");
}

function isOf(proxy: string, hop: string): boolean {
  if (!ipaddr.isValid(hop)) return false;
  const address = ipaddr.process(hop);
  const [network, bits] = proxy.includes("/")
    ? ipaddr.parseCIDR(proxy)
    : ([ipaddr.process(proxy), ipaddr.process(proxy).kind() === "ipv4" ? 32 : 128] as const);
  return network.kind() === address.kind() && address.match(network, bits);
}
