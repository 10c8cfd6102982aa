import type { DueItem } from "../../kernel/records/due-work.js";
import type { Move } from "../../kernel/records/lifecycle.js";
import type { Change } from "../../kernel/records/unit-of-work.js";
import type { DispatcherEvents } from "./dispatcher.js";
import type { Company } from "./company.js";
import type { Attempt, Delivery } from "../../domain/model/delivery.js";
import type { DueKind } from "../../domain/model/work.js";
import type { Transport } from "../../adapters/delivery/transport.js";
import type { Store } from "../../adapters/store/store.js";
import type { EventEmitter } from "../../kernel/events.js";
import type { Log } from "../../kernel/log.js";
import type { Instant } from "../../kernel/time/instant.js";
import type { LongWork } from "../../kernel/time/long-work.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import type { SandboxLimits } from "./limits.js";
import type { StoredSandbox } from "../state/company-record.js";
import type { SettingReads } from "../../domain/profile/track-profile.js";
import type { AllowedHosts } from "../../domain/profile/setting-kinds.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";

export interface CompanyDeps {
  readonly system: SystemClock;
  readonly longWork: LongWork;
  readonly transport: Transport;
  readonly store: Store<StoredSandbox>;
  readonly log: Log;
  readonly seed: number | undefined;
  readonly limits: SandboxLimits;
  /** With tenancy: which receivers the operator of the sandbox permits. */
  readonly operator: AllowedHosts | undefined;
  readonly reads: SettingReads;
  readonly watcherOf: (companyId: string) => CompanyWatcher;
  readonly events: EventEmitter<CompanyEvents>;
}

/** Counts the settings that a company's work reads. */
export interface CompanyWatcher {
  /** Counts what is read from now on under the profile with these overrides. */
  adopt(overrides: ProfileOverrides): void;
  watch<T>(run: () => T): T;
}

/** What happens in the companies of one sandbox. A reset replaces a `Company` with another one of the same id. */
export interface CompanyEvents extends DispatcherEvents {
  readonly changed: CompanyChange;
  readonly fired: { readonly company: Company; readonly item: DueItem<DueKind> };
  /** An attempt to deliver a webhook begins, at this time of the company. */
  readonly attempting: { readonly company: Company; readonly delivery: Delivery; readonly at: Instant };
  /** An attempt to deliver a webhook was recorded. `delivery` includes it. */
  readonly attempted: { readonly company: Company; readonly attempt: Attempt; readonly delivery: Delivery };
}

export interface CompanyChange {
  readonly company: Company;
  /** What a commit changed, oldest first. Empty when the clock, the profile or the snapshots changed, and when the company was closed. */
  readonly changes: readonly Change[];
  readonly moves: readonly Move[];
}
