import type { ClockState } from "../../kernel/time/clock.js";
import type { CompanySetup } from "./fixture.js";
import type { Instant } from "../../kernel/time/instant.js";
import type { Row, Table } from "../../kernel/records/table.js";
import type { World } from "../../domain/model/work.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";

export interface AccessToken {
  readonly token: string;
  /** On the company's clock; null means never. */
  readonly expiresAt: Instant | null;
}

/** The id and credentials that a company's clients use. Not part of the state, so a state can be put into another company. */
export interface Identity {
  readonly id: string;
  readonly tokens: readonly AccessToken[];
  readonly secretKey: string;
}

/** The first token that never expires, or else the first token. Empty when the company has none. */
export function usableToken({ tokens }: Pick<Identity, "tokens">): string {
  return (tokens.find(({ expiresAt }) => expiresAt === null) ?? tokens[0])?.token ?? "";
}

/** A saved state of a company. `id` is its name, `seq` its place among the company's snapshots. */
export interface Snapshot extends Row {
  /** Real time. */
  readonly savedAt: Instant;
  /** The company's time when it was saved. */
  readonly now: Instant;
  /** The result of `dumpState` as JSON. */
  readonly json: string;
  readonly bytes: number;
}

export interface StoredSandbox {
  readonly companies: Map<string, StoredCompany>;
  /** Companies of the configuration that were removed: a restart does not open them again. */
  readonly gone: Set<string>;
}

export interface StoredCompany {
  readonly record: CompanyRecord;
  readonly setup: CompanySetup;
}

export interface CompanyRecord {
  identity: Identity;
  readonly world: World;
  clock: ClockState;
  /** Settings that differ from the defaults. */
  overrides: ProfileOverrides;
  /** The `seq` of the newest record. */
  seq: number;
  /** The position in the seeded stream of ids. */
  idPosition: number;
  /** Not part of the state: a reset and a restore keep them. */
  readonly snapshots: Table<Snapshot>;
  /** The company was exported to another sandbox and is closed here. */
  moving?: true | undefined;
  /**
   * A random id for each time that the company was closed to be moved, oldest first. A reset and a restore keep them. A record that has the last id of a copy
   * is not older than the copy.
   */
  closings?: readonly string[] | undefined;
}

/** Without the tokens that have expired at `now`: they must not work again when the clock goes back. */
export function withoutExpired(identity: Identity, now: Instant): Identity {
  return { ...identity, tokens: identity.tokens.filter(({ expiresAt }) => (expiresAt ?? Infinity) > now) };
}
