import type { Money } from "../../domain/accounts/money.js";
import type { ChargeStatus, Metadata } from "../../domain/charges/charge.js";
import type { CustomerCheck } from "../../domain/customers/customer.js";
import type { RuleOrder } from "../../domain/rules/change-rules.js";
import type { ProfileOverrides } from "../../domain/profile/setting.js";
import type { TransferStatus } from "../../domain/transfers/transfer.js";
import type { Instant } from "../../kernel/instant.js";
import type { AccessToken } from "./company-record.js";

/** What a company begins with, and returns to at a reset. Parsed: amounts are money, times are instants. */
export interface WorldFixture {
  readonly customers: readonly CustomerFixture[];
  readonly charges: readonly ChargeFixture[];
  readonly transactions: readonly TransactionFixture[];
  readonly subscriptions: readonly SubscriptionFixture[];
}

/** An instant, or so long before the company begins: a file that says `-30m` is as good tomorrow as today. */
export type FixtureTime = Instant | { readonly beforeStartMs: number };

export interface CustomerFixture extends CustomerCheck {
  readonly msisdn: string;
}

export interface ChargeFixture {
  /** Without one it is made up like any other. */
  readonly id?: string | undefined;
  readonly externalId: string;
  readonly amount: Money;
  readonly description: string;
  readonly status: ChargeStatus;
  /** Needed for `refunded_partially`, and only there: less than the amount. */
  readonly refunded?: Money | undefined;
  /** Who paid it; any number, reserved or not. */
  readonly msisdn?: string | undefined;
  readonly droppedReason?: string | undefined;
  /** Default: when the company begins. A charge whose time to live was over by then begins dropped, whatever its status says. */
  readonly createdAt?: FixtureTime | undefined;
  readonly onCompletedRedirectionUrl: string;
  readonly onCanceledRedirectionUrl: string;
  readonly metadata: Metadata;
}

export interface TransactionFixture {
  readonly id?: string | undefined;
  readonly amount: Money;
  readonly msisdn: string;
  readonly reference: string;
  readonly description?: string | undefined;
  readonly status: TransferStatus;
  /** Only for `failed`. Default: as its number fails, or else `recipient_unreachable`. */
  readonly failureReason?: string | undefined;
  /** Default: when the company begins. One that is pending still is then: its settlement takes its time from there. */
  readonly createdAt?: FixtureTime | undefined;
}

export interface SubscriptionFixture {
  /** Either spelling. */
  readonly topic: string;
  readonly url: string;
}

/** One company as it is opened. */
export interface CompanySetup {
  readonly id: string;
  readonly tokens: readonly AccessToken[];
  readonly secretKey: string;
  readonly balance: Money;
  /** Frozen there; undefined: it runs with real time. */
  readonly frozenAt: Instant | undefined;
  /** A clock that is not frozen starts there; undefined: at real time. */
  readonly runsFrom?: Instant | undefined;
  readonly profile: ProfileOverrides;
  readonly fixtures: readonly WorldFixture[];
  /** How its world misbehaves from the start; later ones win. */
  readonly rules?: readonly RuleOrder[] | undefined;
  /** By `--auto-provision`: one of those that go when there are too many. */
  readonly openedByToken?: boolean;
}

export const emptyFixture: WorldFixture = { customers: [], charges: [], transactions: [], subscriptions: [] };
