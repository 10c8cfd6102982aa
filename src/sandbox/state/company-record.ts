import type { ClockState } from "../../kernel/clock.js";
import type { CompanySetup } from "./fixture.js";
import type { Instant } from "../../kernel/instant.js";
import type { Row, Table } from "../../kernel/table.js";
import type { World } from "../../domain/model/work.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";

export interface AccessToken {
  readonly token: string;
  /** On the company's clock; null: never. */
  readonly expiresAt: Instant | null;
}

/** Who a company is: what its clients hold. Not part of its state, so a state can be put into another company. */
export interface Identity {
  readonly id: string;
  readonly tokens: readonly AccessToken[];
  readonly secretKey: string;
}

/** The one to use: that never expires, or else the first. Empty when a company has none. */
export function usableToken({ tokens }: Pick<Identity, "tokens">): string {
  return (tokens.find(({ expiresAt }) => expiresAt === null) ?? tokens[0])?.token ?? "";
}

/** A company's whole state as it was once, under a name, which is its `id`. `seq` is its place among the company's snapshots alone. */
export interface Snapshot extends Row {
  /** Real time. */
  readonly savedAt: Instant;
  /** The company's time, to which restoring it goes back. */
  readonly now: Instant;
  /** The state as `dumpState` gives it, as JSON text: no later change can reach it. */
  readonly json: string;
  /** Of `json` in UTF-8. */
  readonly bytes: number;
}

/** Everything of a sandbox that is stored. */
export interface StoredSandbox {
  readonly companies: Map<string, StoredCompany>;
  /** Companies that were removed: those of a configuration are not opened again by a restart. */
  readonly gone: Set<string>;
}

export interface StoredCompany {
  readonly record: CompanyRecord;
  /** What it returns to at a reset. */
  readonly setup: CompanySetup;
}

/** Everything of one company that is stored. */
export interface CompanyRecord {
  identity: Identity;
  readonly world: World;
  clock: ClockState;
  /** Its own settings, as they were written; the rest is the sandbox's. */
  overrides: ProfileOverrides;
  /** The last place given in the order of its records. */
  seq: number;
  /** Where its seeded stream of ids stands. */
  idPosition: number;
  /** No part of its state: they stay at a reset, and when a state is put in its place. */
  readonly snapshots: Table<Snapshot>;
}
