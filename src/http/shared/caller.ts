import { createHash, timingSafeEqual } from "node:crypto";
import { UsageError } from "../../kernel/messages/problem.js";
import { didYouMean } from "../../kernel/messages/suggest.js";
import { quote } from "../../kernel/messages/text.js";
import type { Company } from "../../sandbox/company/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";

/** The client that drives the sandbox. */
export interface Caller {
  /** The id of the only company that the caller may reach; undefined for an administrator, who may reach all companies. */
  readonly tenant: string | undefined;
  /** Undefined when the sandbox does not ask for a token. */
  readonly token: string | undefined;
}

const ADMINISTRATOR: Caller = { tenant: undefined, token: undefined };

/** What a call is about: one company; one company or, for `*`, all of them; or the sandbox itself. */
export type Scope = "company" | "companies" | "sandbox";

/** The caller that has this token: the admin token or, with tenancy, a company's access token. Undefined when the token may not drive the sandbox. */
export function findCaller(sandbox: Sandbox, token: string | undefined): Caller | undefined {
  const { adminToken, tenancy } = sandbox.options;
  if (adminToken === undefined && !tenancy) return ADMINISTRATOR;
  if (token === undefined) return undefined;
  if (adminToken !== undefined && isSameSecret(token, adminToken)) return { tenant: undefined, token };
  const company = tenancy ? sandbox.findByToken(token) : undefined;
  return company && { tenant: company.id, token };
}

/**
 * The company that a call is about; undefined for all companies and for the sandbox itself. The default is the first configured company; an unknown
 * id is 404 and never the default. A tenant's default is its own company, and every other company is unknown to it.
 */
export function reach(sandbox: Sandbox, caller: Caller, scope: Scope, id: string | undefined): Company | undefined {
  const isForAll = scope === "sandbox" || (scope === "companies" && id === "*");
  if (isForAll && caller.tenant !== undefined) throw new UsageError("forbidden", "This call needs the admin token");
  return isForAll ? undefined : reachCompany(sandbox, caller, id);
}

/** The same as {@link reach}, for a call about one company. */
export function reachCompany(sandbox: Sandbox, caller: Caller, id = caller.tenant): Company {
  if (id === undefined) return sandbox.defaultCompany;
  const { tenant } = caller;
  const mayReach = tenant === undefined || (tenant === id && isStillAdmitted(sandbox, caller));
  const company = mayReach ? sandbox.findCompany(id) : undefined;
  if (company !== undefined) return company;
  // An id such as company_x shows the access token at_x, so only an administrator learns which ids there are.
  const reader = findCaller(sandbox, caller.token);
  const known = reader !== undefined && reader.tenant === undefined ? sandbox.companies.map((other) => other.id) : [];
  throw new UsageError("not-found", `No company has the id ${quote(id)}.${didYouMean(id, known)}`);
}

/** False for a tenant whose token was replaced since its request came. Its company's id may belong to another tenant by now. */
export function isStillAdmitted(sandbox: Sandbox, { tenant, token }: Caller): boolean {
  return token === undefined || findCaller(sandbox, token)?.tenant === tenant;
}

/** Compares in constant time. `timingSafeEqual` compares equal lengths only, and all digests have the same length. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
