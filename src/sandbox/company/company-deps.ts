import type { Transport } from "../../adapters/delivery/transport.js";
import type { Store } from "../../adapters/store/store.js";
import type { ProfileOverrides } from "../../domain/profile/setting.js";
import type { EventEmitter } from "../../kernel/events.js";
import type { Log } from "../../kernel/log.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import type { CompanyLimits } from "../config/options.js";
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
