import { domainToASCII } from "node:url";
import ipaddr from "ipaddr.js";
import * as z from "zod";
import type { AllowedHosts } from "./profile.js";
import { sentence } from "./setting-schemas.js";

/** `any`, or a list of host names, IP addresses and CIDRs; the output spells them as the host of a parsed URL does. */
export function allowedHosts(): z.ZodType<AllowedHosts, "any" | readonly string[]> {
  const expected = '"any" or a list of host names, IP addresses and CIDRs';
  const host = z.string({ error: expectedHost }).transform((written, context) => {
    return (
      hostOf(written.trim()) ?? sentence(context, `${JSON.stringify(written.slice(0, 60))} is not ${expectedHost}`)
    );
  });
  return z.union(
    [
      z.literal("any", { error: expected }).transform(() => ({ kind: "any" as const })),
      z
        .array(host, { error: expected })
        .max(MAX_HOSTS, { error: `a list of at most ${MAX_HOSTS} hosts` })
        .transform((hosts) => ({ kind: "list" as const, hosts })),
    ],
    { error: expected },
  );
}

const MAX_HOSTS = 1000;
const expectedHost = "a host name, an IP address or a CIDR such as 10.0.0.0/8, without scheme, port or wildcard";

function hostOf(written: string): string | undefined {
  if (written.includes("/")) return cidrOf(written);
  // A URL spells an IPv6 address in brackets.
  const address = written.replace(/^\[(.*)\]$/, "$1");
  if (ipaddr.IPv6.isValid(address)) return ipaddr.IPv6.parse(address).toRFC5952String();
  if (ipaddr.IPv4.isValidFourPartDecimal(written)) return written;
  const name = domainToASCII(written.replace(/\.$/, ""));
  return name.length <= 253 && HOST_NAME.test(name) ? name : undefined;
}

function cidrOf(written: string): string | undefined {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(written)) return written;
  return ipaddr.IPv6.isValidCIDR(written) ? written.toLowerCase() : undefined;
}

/**
 * Labels of letters, digits and inner hyphens or underscores; the last one not a number, or it would be a broken IPv4
 * address.
 */
const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*(?!\d+$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
