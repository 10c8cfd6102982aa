import { hash } from "node:crypto";
import { createMachineRandom } from "../kernel/ids.js";
import { RecentMap } from "../kernel/recent-map.js";
import type { Identity } from "./state/company-record.js";

/** Tokens whose digests need not be made again. */
const DIGESTS_KEPT = 1_000;

/**
 * Whose an access token is. Tokens are found by their digests under a key of this process, so that how long a look-up takes says nothing about how
 * much of a guessed token is right.
 */
export class TokenBook {
  readonly #key = Buffer.from(createMachineRandom().bytes(32)).toString("hex");
  readonly #holders = new Map<string, string>();
  /** By the tokens themselves. A look-up here compares texts only where V8's hash of them, which has a seed of this process too, is the same. */
  readonly #digests = new RecentMap<string, string>(DIGESTS_KEPT);

  holderOf(token: string): string | undefined {
    return this.#holders.get(this.#digest(token));
  }

  add({ id, tokens }: Identity): void {
    for (const { token } of tokens) this.#holders.set(this.#digest(token), id);
  }

  forget({ id, tokens }: Identity): void {
    for (const { token } of tokens) if (this.holderOf(token) === id) this.#holders.delete(this.#digest(token));
  }

  #digest(token: string): string {
    return this.#digests.get(token) ?? this.#digests.set(token, hash("sha256", this.#key + token, "base64"));
  }
}
