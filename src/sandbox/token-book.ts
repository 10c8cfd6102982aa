import { hash } from "node:crypto";
import { createMachineRandom } from "../kernel/random.js";
import type { Identity } from "./company-state.js";

/**
 * Whose an access token is. Tokens are found by their digests under a key of this process, so that how long a look-up takes says nothing about how
 * much of a guessed token is right.
 */
export class TokenBook {
  readonly #key = Buffer.from(createMachineRandom().bytes(32)).toString("hex");
  readonly #holders = new Map<string, string>();

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
    return hash("sha256", this.#key + token, "base64");
  }
}
