import { object } from "../../kernel/fields.js";
import * as z from "zod";
import { fromXof } from "../../domain/values/money.js";
import { mergeOverrides } from "../../domain/profile/merge-overrides.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import type { ProfileOverrides } from "../../domain/profile/setting.js";
import type { Instant } from "../../kernel/instant.js";
import type { CompanySetup } from "../../sandbox/state/fixture.js";
import { setupFor } from "../../sandbox/config/options.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { clockChange } from "./clock-routes.js";
import { amount, credential, instant, optionalBody, sentence, text } from "./control-fields.js";

export interface Opening {
  readonly companyId?: string | undefined;
  readonly accessToken?: string | undefined;
  readonly secretKey?: string | undefined;
  /** XOF. */
  readonly balance?: number | undefined;
  readonly clock?: InitialClock | undefined;
  /** The sandbox's own with these over it. */
  readonly profile?: ProfileOverrides | undefined;
}

type InitialClock =
  | "running"
  | "frozen"
  | Instant
  | { readonly mode?: "running" | "frozen" | undefined; readonly now?: Instant | undefined };

/** "{companyId?, accessToken?, secretKey?, balance?, clock?, profile?}"; `clock` as PUT takes it, or its mode, or the time at which it stands. */
export function openingRequest(sandbox: Sandbox): z.ZodType<Opening> {
  return optionalBody(
    object({
      companyId: credential("a company id")
        .refine((id) => id !== "*", { error: 'must not be "*", which means all companies' })
        .optional(),
      accessToken: credential("an access token").optional(),
      secretKey: text("a secret key").optional(),
      balance: amount.optional(),
      clock: clock.optional(),
      profile: profileOver(sandbox.options.defaults.profile).optional(),
    }),
  );
}

const clock: z.ZodType<InitialClock> = z.union([z.enum(["running", "frozen"]), instant, clockChange], {
  error: 'must be "running", "frozen", an ISO 8601 time to stand at, or {mode?, now?}',
});

function profileOver(base: ProfileOverrides): z.ZodType<ProfileOverrides> {
  return z.unknown().transform((given, context) => {
    const parsed = parseProfile(mergeOverrides(base, given));
    if (parsed.ok) return parsed.overrides;
    for (const { message } of parsed.problems) sentence(context, message);
    return z.NEVER;
  });
}

/** What is not given is derived from what is: `company_x`, `at_x` and `secret_x` belong together. */
export function setupOf(sandbox: Sandbox, opening: Opening): CompanySetup {
  const { companyId, accessToken, secretKey, balance, clock: initialClock, profile } = opening;
  const { defaults } = sandbox.options;
  const token = accessToken ?? tokenFor(companyId ?? unusedId(sandbox));
  const derived = setupFor(token);
  return {
    ...derived,
    id: companyId ?? derived.id,
    secretKey: secretKey ?? derived.secretKey,
    balance: balance === undefined ? defaults.balance : fromXof(balance),
    profile: profile ?? defaults.profile,
    fixtures: defaults.fixtures,
    rules: defaults.rules,
    ...initialClockOf(sandbox, initialClock),
  };
}

function tokenFor(companyId: string): string {
  return `at_${companyId.replace(/^company_(?=.)/, "")}`;
}

function unusedId(sandbox: Sandbox): string {
  for (;;) {
    const id = sandbox.ids.short("company");
    if (sandbox.findCompany(id) === undefined) return id;
  }
}

function initialClockOf(
  { options, system }: Sandbox,
  given: InitialClock | undefined,
): Pick<CompanySetup, "frozenAt" | "runsFrom"> {
  const { frozenAt } = options.defaults;
  if (given === undefined) return { frozenAt };
  if (typeof given === "number") return { frozenAt: given };
  const { mode = "frozen", now } = typeof given === "string" ? { mode: given } : given;
  return mode === "frozen" ? { frozenAt: now ?? frozenAt ?? system.now() } : { frozenAt: undefined, runsFrom: now };
}
