import type { Store } from "../adapters/store/store.js";
import type { Transport } from "../adapters/delivery/transport.js";
import type { Log } from "../kernel/log.js";
import type { Row } from "../kernel/records/table.js";
import type { SystemClock } from "../kernel/time/system-clock.js";
import type { StoredSandbox } from "./state/company-record.js";
import type { CompanySetup } from "./state/fixture.js";

export interface SandboxParts {
  readonly system?: SystemClock;
  readonly transport?: Transport;
  readonly store?: Store<StoredSandbox>;
  readonly log?: Log;
  /** Where the server is reached, when it listens before its sandbox is built. */
  readonly url?: string;
}

/** An open company, with the setup that a reset returns to. `seq` is the order of opening. */
export interface OpenedCompany extends Row {
  readonly setup: CompanySetup;
}
