import type { Transport } from "../adapters/delivery/transport.js";
import type { Store } from "../adapters/store/store.js";
import type { Log } from "../kernel/log.js";
import type { SystemClock } from "../kernel/system-clock.js";
import type { Row } from "../kernel/table.js";
import type { CompanyRecord, StoredSandbox } from "./state/company-record.js";
import type { CompanySetup } from "./state/fixture.js";
import type { Observation } from "./observation/observations.js";

export interface SandboxParts {
  readonly system?: SystemClock;
  readonly transport?: Transport;
  readonly store?: Store<StoredSandbox>;
  readonly log?: Log;
  /** Where the server is reached, when it listens before its sandbox is built. */
  readonly url?: string;
}

/** A company in the order of opening, with what it returns to at a reset. */
export interface OpenedCompany extends Row {
  readonly setup: CompanySetup;
}

/** What is no part of a company's state. */
export interface KeptAtReset {
  readonly snapshots: CompanyRecord["snapshots"];
  readonly observation: Observation;
}
