import { isDeepStrictEqual } from "node:util";
import { mergeOverrides } from "../../domain/profile/overrides.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import type { Json } from "../../kernel/messages/json.js";
import type { History } from "../replay/history.js";
import { type Presupposed, presuppose } from "../replay/presuppose.js";
import { type FetchTo, type FoundDifference, type Replayed, replay } from "../replay/replay.js";
import { weigh } from "./score.js";

export interface BenchOptions {
  readonly fetchTo: FetchTo;
  readonly secretKey: string | undefined;
}

/** The value of one setting. */
export interface Choice {
  readonly path: string;
  readonly value: Json;
}

/** Entries of a long history that are replayed to try a value, or more when the setting is read first behind them. */
const ENTRIES_TRIED = 300;
/** Enough for any recording whose answers never show the balance. */
const BALANCE_UNKNOWN = 1_000_000_000;

/** One recorded history, replayed with one profile after another. */
export class Track {
  readonly history: History;
  readonly presupposed: Presupposed;
  readonly #options: BenchOptions & { readonly comparesWebhooks: boolean };
  #balance = BALANCE_UNKNOWN;
  #current: Replayed | undefined;
  #profile: ProfileOverrides = {};
  readonly #parts = new Map<number, Replayed>();

  constructor(history: History, options: BenchOptions & { readonly comparesWebhooks: boolean }) {
    this.history = history;
    this.presupposed = presuppose(history);
    this.#options = options;
  }

  /** With the profile that explains most so far. */
  get current(): Replayed {
    return (
      this.#current ?? {
        differences: [],
        reads: new Map(),
        balanceOffset: undefined,
        firstBalance: undefined,
        assumptions: [],
      }
    );
  }

  /** Makes a profile the one that others are compared with, and finds the balance of the beginning that fits it best. */
  async adopt(profile: ProfileOverrides): Promise<void> {
    this.#profile = profile;
    this.#parts.clear();
    let best = await this.run(profile);
    const { balanceOffset = 0, firstBalance } = best;
    for (const balance of new Set([this.#balance + balanceOffset, firstBalance ?? this.#balance])) {
      if (balance < 0 || isDeepStrictEqual(balance, this.#balance)) continue;
      const found = await this.run(profile, { balance });
      if (weigh(found.differences) > weigh(best.differences)) continue;
      this.#balance = balance;
      best = found;
    }
    this.#current = best;
  }

  /**
   * How the differences change; undefined when what was replayed does not read the setting. Of a long history only a part is replayed: what can be told
   * apart is told apart by the first few reads.
   */
  async try(profile: ProfileOverrides, { path, always, whole }: TryOptions): Promise<Trial | undefined> {
    const { reads, differences } = this.current;
    const known = reads.get(path);
    if (known === undefined && !always) return undefined;
    const { entries } = this.history;
    const length = whole ? entries.length : Math.max(ENTRIES_TRIED, ...(known ?? []));
    const before = length >= entries.length ? differences : (await this.#part(length)).differences;
    const after = (await this.run(profile, { length })).differences;
    return { before, after };
  }

  /** The first entries, with the profile of `current`. */
  async #part(length: number): Promise<Replayed> {
    const known = this.#parts.get(length) ?? (await this.run(this.#profile, { length }));
    this.#parts.set(length, known);
    return known;
  }

  run(profile: ProfileOverrides, given: { balance?: number; length?: number } = {}): Promise<Replayed> {
    const { presupposed } = this;
    return replay(this.history, { ...this.#options, profile, presupposed, balance: this.#balance, ...given });
  }
}

export interface TryOptions {
  readonly path: string;
  /** Also when nothing read the setting. */
  readonly always: boolean;
  /** All entries, however long it takes. */
  readonly whole: boolean;
}

export interface Trial {
  readonly before: readonly FoundDifference[];
  readonly after: readonly FoundDifference[];
}

/** The profile with another value of a setting; undefined when it does not go with the others. */
export function withChoice(profile: ProfileOverrides, { path, value }: Choice): ProfileOverrides | undefined {
  const [group = "", name] = path.split(".");
  const parsed = parseProfile(mergeOverrides(profile, { [group]: name === undefined ? value : { [name]: value } }));
  return parsed.ok ? parsed.overrides : undefined;
}
