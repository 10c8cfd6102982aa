import * as z from "zod";
import type { ProfileOverrides } from "../../domain/profile/setting.js";
import type { Account, LedgerEntry } from "../../domain/model/account.js";
import type { Charge, PendingPayment } from "../../domain/model/charge.js";
import type { Customer } from "../../domain/model/customer.js";
import type { Delivery, Hold } from "../../domain/model/delivery.js";
import type { DomainEvent } from "../../domain/model/events.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import type { Rule } from "../../domain/model/rule.js";
import type { Subscription } from "../../domain/model/subscription.js";
import type { Batch, Transfer } from "../../domain/model/transfer.js";
import type { DueKind } from "../../domain/model/work.js";
import type { ClockMode } from "../../kernel/clock.js";
import type { DueItem } from "../../kernel/due-work.js";
import type { Instant } from "../../kernel/instant.js";
import { anyText, count, object, storedInstant, word } from "../../kernel/fields.js";
import { stateRows } from "./state-rows.js";

/** Raised when an older state no longer says everything, or says it otherwise. */
export const STATE_VERSION = 1;

/** Everything of a company but who it is. Its tables are in the order in which their records came to be, `due` in the order in which it happens. */
export interface State {
  readonly schemaVersion: typeof STATE_VERSION;
  /** Whose it was; for people to read, and of no effect. */
  readonly companyId: string;
  readonly clock: { readonly mode: ClockMode; readonly now: Instant };
  /** Its settings where they differ from the defaults. */
  readonly profile: ProfileOverrides;
  /** The last place given in the order of its records. */
  readonly seq: number;
  /** Where its seeded stream of ids stands. */
  readonly idPosition: number;
  readonly accounts: readonly Account[];
  readonly ledger: readonly LedgerEntry[];
  readonly customers: readonly Customer[];
  readonly charges: readonly Charge[];
  readonly transactions: readonly Transfer[];
  readonly batches: readonly Batch[];
  readonly subscriptions: readonly Subscription[];
  readonly deliveries: readonly Delivery[];
  readonly events: readonly DomainEvent[];
  readonly rules: readonly Rule[];
  readonly payments: readonly PendingPayment[];
  readonly holds: readonly Hold[];
  readonly due: readonly DueItem<DueKind>[];
}

/** Read (`decode`) and written (`encode`) by the same schema, built when the first state is. */
export const stateSchema: z.ZodType<State> = z.lazy(() =>
  object({
    schemaVersion: z.literal(STATE_VERSION, { error: `must be ${STATE_VERSION}` }),
    companyId: anyText(),
    clock: object({ mode: word(["running", "frozen"]), now: storedInstant }),
    profile: z.custom<ProfileOverrides>().superRefine((overrides, context) => {
      const parsed = parseProfile(overrides ?? null);
      if (parsed.ok) return;
      for (const { message } of parsed.problems)
        context.addIssue({ code: "custom", message, params: { sentence: true } });
    }),
    seq: count,
    idPosition: count,
    ...stateRows,
  }),
);
