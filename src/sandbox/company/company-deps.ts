import type { Transport } from "../../adapters/delivery/transport.js";
import type { Store } from "../../adapters/store/store.js";
import type { ProfileOverrides } from "../../domain/profile/setting.js";
import type { EventEmitter } from "../../kernel/events.js";
import type { Log } from "../../kernel/log.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import type { CompanyEvents } from "./company-events.js";
import type { StoredSandbox } from "../state/company-record.js";

/** What a company needs of the sandbox it stands in. */
export interface CompanyDeps {
  readonly system: SystemClock;
  readonly transport: Transport;
  readonly store: Store<StoredSandbox>;
  readonly log: Log;
  readonly seed: number | undefined;
  readonly limits: CompanyLimits;
  readonly watcherOf: (companyId: string) => CompanyWatcher;
  readonly events: EventEmitter<CompanyEvents>;
}

/** Watches what becomes of a company's world: each commit, and what is sent. */
export interface CompanyWatcher {
  /** From now on under this profile. */
  adopt(overrides: ProfileOverrides): void;
  /** Runs one synchronous piece of the company's work. */
  watch<T>(run: () => T): T;
}

/** Bounds of what only grows. */
export interface CompanyLimits {
  /** Domain events kept. */
  readonly events: number;
  /** Deliveries kept; of those that are pending, as many as the next. */
  readonly deliveries: number;
  /** Pending deliveries kept: beyond that a receiver that never answers would fill the memory. The oldest are given up. */
  readonly pendingDeliveries: number;
  /** Requests kept in the journal. */
  readonly requests: number;
}
