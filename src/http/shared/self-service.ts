import type { Company } from "../../sandbox/company/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { AddressLimit, OPENING_MS, OPENINGS_MAX, addressOf } from "./address-limit.js";
import type { HttpContext } from "./env.js";

/**
 * Counts an attempt to open a company by a client without credentials. Returns how many seconds its address has to wait, or `open`, which throws
 * UsageError when there are too many companies.
 */
export type SelfService = (c: HttpContext) => { readonly waitS: string } | { open(token?: string): Company };

/** Undefined when only an administrator opens companies: without tenancy, or without auto-provision. */
export function createSelfService(sandbox: Sandbox): SelfService | undefined {
  const { tenancy, autoProvision, trustedProxies } = sandbox.options;
  if (!tenancy || !autoProvision) return undefined;
  const openings = new AddressLimit(sandbox.system, OPENINGS_MAX, OPENING_MS);
  return (c) => {
    const address = addressOf(c, trustedProxies);
    const waitS = openings.count(address);
    return waitS === undefined ? { open: (token) => sandbox.provisioned.openFor(address, token) } : { waitS };
  };
}

/** The page that signs in with this token. It is in the fragment, which browsers never send. */
export function signInLink(origin: string, token: string): string {
  return `${origin}/_sandbox/dashboard/sign-in#token=${encodeURIComponent(token)}`;
}
