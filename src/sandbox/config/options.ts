import type { Instant } from "../../kernel/time/instant.js";
import type { CompanySetup, WorldFixture } from "../state/fixture.js";
import { fromXof } from "../../domain/values/money.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import type { ClockOver } from "../company/create-company.js";
import { DEFAULT_LIMITS, type SandboxLimits } from "../company/limits.js";

export interface ResolvedOptions {
  /** Opened at the start; the first is the default of the control API. */
  readonly companies: readonly CompanySetup[];
  readonly autoProvision: boolean;
  /** What companies have that are opened later. */
  readonly defaults: CompanyDefaults;
  readonly seed: number | undefined;
  /** The URL of the sandbox as seen from outside, without a slash at the end; undefined means the URL that each request was sent to. */
  readonly publicUrl: string | undefined;
  readonly adminToken: string | undefined;
  /** Whether a company's access token controls that company alone, and everything else needs the admin token. */
  readonly tenancy: boolean;
  /** Addresses and networks of the proxies in front. They are believed about the address of a client. */
  readonly trustedProxies: readonly string[];
  /** Overrides the clock of every stored company; undefined keeps the stored clocks. A frozen time must not be before the stored one. */
  readonly clockOver?: ClockOver | undefined;
  readonly productionHeadersOnly: boolean;
  readonly limits: SandboxLimits;
  /** Findings that are expected: `KIND` or `KIND:RESOURCE`. */
  readonly allow: readonly string[];
}

export interface CompanyDefaults {
  readonly balance: CompanySetup["balance"];
  readonly frozenAt: Instant | undefined;
  readonly profile: ProfileOverrides;
  readonly fixtures: readonly WorldFixture[];
  readonly rules?: CompanySetup["rules"];
}

/** The company that is opened when none is configured. */
export const DEFAULT_COMPANY = { id: "company_sandbox", token: "at_sandbox", secretKey: "secret_sandbox" } as const;
export const DEFAULT_BALANCE = fromXof(10_000_000);

/** Why these options do not go together; undefined when they do. */
export function tenancyProblem(options: Partial<Pick<ResolvedOptions, "tenancy" | "adminToken" | "seed">>) {
  if (options.tenancy !== true) return undefined;
  if (options.adminToken === undefined) return "needs an admin token: companies are administered with it";
  return options.seed === undefined ? undefined : "excludes a seed: access tokens could be guessed";
}

export function resolveOptions(given: Partial<ResolvedOptions> = {}): ResolvedOptions {
  const defaults: CompanyDefaults = {
    balance: DEFAULT_BALANCE,
    frozenAt: undefined,
    profile: {},
    fixtures: [],
    ...given.defaults,
  };
  return {
    autoProvision: false,
    seed: undefined,
    publicUrl: undefined,
    adminToken: undefined,
    tenancy: false,
    trustedProxies: [],
    productionHeadersOnly: false,
    limits: DEFAULT_LIMITS,
    allow: [],
    ...given,
    defaults,
    companies: given.companies ?? [{ ...setupFor(DEFAULT_COMPANY.token), ...defaults }],
  };
}

/** The token `at_X` has the company id `company_X` and the secret key `secret_X`; any other token `T` has `company_T` and `secret_T`. */
export function setupFor(token: string): Pick<CompanySetup, "id" | "tokens" | "secretKey"> {
  const name = token.startsWith("at_") && token.length > 3 ? token.slice(3) : token;
  return { id: `company_${name}`, tokens: [{ token, expiresAt: null }], secretKey: `secret_${name}` };
}
