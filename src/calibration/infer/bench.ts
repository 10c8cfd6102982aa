import { mergeOverrides } from "../../domain/profile/overrides.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import { Bug } from "../../kernel/messages/problem.js";
import { fromXof, toXof } from "../../domain/values/money.js";
import type { Json } from "../../kernel/messages/json.js";
import { type Presupposed, presuppose } from "../earlier/presuppose.js";
import type { History } from "../recording/entry.js";
import type { FoundDifference } from "../replay/compare.js";
import { type FetchTo, type ReplayOptions, type Replayed, replay } from "../replay/replay.js";
import { focus } from "./focus.js";
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

/** The balance to begin with while no answer shows one, XOF: enough for any recording. */
export const BALANCE_UNKNOWN = 1_000_000_000;

type TrackOptions = BenchOptions & Pick<ReplayOptions, "comparesWebhooks" | "isTokenRight">;

/** One recorded history, replayed with one profile after another. */
export class Track {
  readonly history: History;
  readonly presupposed: Presupposed;
  readonly #options: TrackOptions;
  #balance: number;
  /** Other initial balances that the recording suggests. They fit the profile in use less well, but may fit another one better. */
  #otherBalances: readonly number[] = [];
  #current: Replayed | undefined;

  constructor(history: History, options: TrackOptions, presupposed = presuppose(history), balance = BALANCE_UNKNOWN) {
    this.history = history;
    this.presupposed = presupposed;
    this.#options = options;
    this.#balance = balance;
  }

  /** The part of the history that is replayed again and again. */
  focused(): Track {
    return new Track(focus(this.history, this.current), this.#options, this.presupposed, this.#balance);
  }

  /** The replay with the profile that explains most so far. */
  get current(): Replayed {
    if (this.#current === undefined) throw new Bug("A history was not replayed.");
    return this.#current;
  }

  /** What the recording presupposes, and what of it was not compared, in words. */
  get assumptions(): readonly string[] {
    const { balanceOffset, assumptions } = this.current;
    const { companyId = "the company" } = this.history;
    const balance = toXof(fromXof(this.#balance + (balanceOffset ?? 0)));
    const held =
      balanceOffset === undefined ? [] : [`The account of ${companyId} held ${balance} XOF at the beginning.`];
    return [...this.presupposed.assumptions, ...held, ...assumptions];
  }

  /** Makes a profile the one that others are compared with, and finds the initial balance that fits it best. */
  async adopt(profile: ProfileOverrides): Promise<void> {
    let best = await this.#run(profile);
    const { balanceOffset = 0, firstBalance } = best;
    const shown = [...new Set([this.#balance + balanceOffset, firstBalance ?? this.#balance])];
    for (const balance of shown) {
      if (balance < 0 || balance === this.#balance) continue;
      const found = await this.#run(profile, { balance });
      if (weigh(found.differences) > weigh(best.differences)) continue;
      this.#balance = balance;
      best = found;
    }
    this.#current = best;
    this.#otherBalances = shown.filter((balance) => balance >= 0 && balance !== this.#balance);
  }

  /** Replays with another profile, and returns how the differences change. Undefined when nothing reads the setting. */
  async try(profile: ProfileOverrides, { path, always }: TryOptions): Promise<Trial | undefined> {
    const { reads, differences } = this.current;
    if (!reads.has(path) && !always) return undefined;
    // What is no longer compared still differs: a setting that makes the sandbox refuse a creation does not explain what follows.
    const run = async (given: Partial<ReplayOptions>): Promise<readonly FoundDifference[]> => {
      const { differences: found, unknown } = await this.#run(profile, { isTrial: true, ...given });
      return [...found, ...differences.filter(({ exchange, pointer }) => pointer !== "" && unknown.has(exchange))];
    };
    let after = await run({});
    const balances = differences.length > 0 ? this.#otherBalances : [];
    for (const balance of balances) {
      const found = await run({ balance });
      if (weigh(found) < weigh(after)) after = found;
    }
    return { before: differences, after };
  }

  #run(profile: ProfileOverrides, given: Partial<ReplayOptions> = {}): Promise<Replayed> {
    const { presupposed } = this;
    return replay(this.history, { ...this.#options, profile, presupposed, balance: this.#balance, ...given });
  }
}

export interface TryOptions {
  readonly path: string;
  /** Whether to try even when nothing read the setting. */
  readonly always: boolean;
}

export interface Trial {
  readonly before: readonly FoundDifference[];
  readonly after: readonly FoundDifference[];
}

/** The profile with other values of settings; undefined when the values contradict each other. */
export function withChoice(profile: ProfileOverrides, ...choices: readonly Choice[]): ProfileOverrides | undefined {
  const changed = choices.reduce<unknown>((merged, { path, value }) => {
    const [group = "", name] = path.split(".");
    return mergeOverrides(merged, { [group]: name === undefined ? value : { [name]: value } });
  }, profile);
  const parsed = parseProfile(changed);
  return parsed.ok ? parsed.overrides : undefined;
}
