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
  /** For companies opened later. */
  readonly defaults: CompanyDefaults;
  readonly seed: number | undefined;
  /** Where the sandbox is reached from outside, without a slash at the end; undefined: as each request addressed it. */
  readonly publicUrl: string | undefined;
  readonly adminToken: string | undefined;
  /** A company's access token drives that company; what concerns the sandbox needs the admin token. */
  readonly tenancy: boolean;
  /** Proxies in front, addresses and networks: the address of a client is the one that they report. */
  readonly trustedProxies: readonly string[];
  /** Replaces the clock of every stored company; undefined: they keep their own. A frozen time must not be before the stored one. */
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

/** "one company, id `company_sandbox`, access token `at_sandbox`, secret key `secret_sandbox`, balance 10 000 000 XOF". */
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

/** "token `at_X` gives company id `company_X` and secret `secret_X` (any other token `T`: `company_T`, `secret_T`)". */
export function setupFor(token: string): Pick<CompanySetup, "id" | "tokens" | "secretKey"> {
  const name = token.startsWith("at_") && token.length > 3 ? token.slice(3) : token;
  return { id: `company_${name}`, tokens: [{ token, expiresAt: null }], secretKey: `secret_${name}` };
}
