import type { ProfileOverrides } from "../domain/profile/setting.js";
import type { World } from "../domain/work.js";
import type { ClockState } from "../kernel/clock.js";
import type { Instant } from "../kernel/instant.js";

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
}
