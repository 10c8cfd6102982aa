import type * as z from "zod";
import { wholeNumber } from "../../kernel/fields.js";
import { mapping } from "../state/file-fields.js";
import type { Instant } from "../../kernel/time/instant.js";
import type { CompanySetup, WorldFixture } from "../state/fixture.js";
import { fromXof } from "../../domain/values/money.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";

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
  /** Replaces the clock of every stored company; undefined: they keep their own. A frozen time must not be before the stored one. */
  readonly clockOver?: ClockOver | undefined;
  readonly productionHeadersOnly: boolean;
  readonly limits: SandboxLimits;
}

/** `at` undefined: at its present time. */
export type ClockOver = { readonly mode: "running" } | { readonly mode: "frozen"; readonly at: Instant | undefined };

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

function limit(what: string, byDefault: number) {
  return wholeNumber(1, 10_000_000)
    .default(byDefault)
    .meta({ description: `${what} (default ${byDefault})` });
}

/** Limits of what grows by itself; the oldest are forgotten. What clients create (charges, transactions, …) is not limited. */
export const limits = mapping(
  {
    requests: limit("Requests in the journal of a company", 10_000),
    events: limit("Domain events of a company", 100_000),
    deliveries: limit("Deliveries of a company that are over", 100_000),
    // A receiver that never answers must not fill the memory.
    pendingDeliveries: limit("Deliveries of a company that are pending", 200_000),
    companies: limit("Companies opened by their tokens", 1_000),
    // Later ones are left out and counted.
    recordedRequests: limit("Requests in the story of --record", 10_000),
  },
  "a mapping of limits",
);
export type SandboxLimits = Readonly<z.output<typeof limits>>;
export const DEFAULT_LIMITS: SandboxLimits = limits.parse({});

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
    productionHeadersOnly: false,
    limits: DEFAULT_LIMITS,
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
