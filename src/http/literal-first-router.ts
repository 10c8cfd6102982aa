import type { Result, Router } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { TrieRouter } from "hono/router/trie-router";

/**
 * The faster of Hono's routers refuses routes of which one has a literal where another has a parameter, as the contract has
 * (`/v1/transactions/batch` and `/v1/transactions/:id`), and Hono then takes the slower one for all of them. Literal paths are few: what the slower one says of each is remembered, and
 * all other paths, which no literal route could match, are left to the faster one.
 */
export class LiteralFirstRouter<T> implements Router<T> {
  readonly name = "LiteralFirstRouter";
  readonly #all = new TrieRouter<T>();
  readonly #patterns = new RegExpRouter<T>();
  /** By path, then by method. */
  readonly #literals = new Map<string, Map<string, Result<T>>>();

  add(method: string, path: string, handler: T): void {
    this.#all.add(method, path, handler);
    if (/[:*]/.test(path)) this.#patterns.add(method, path, handler);
    // What was found before may lack this one.
    else this.#literals.set(path, new Map());
  }

  match(method: string, path: string): Result<T> {
    const literal = this.#literals.get(path);
    if (literal === undefined) return this.#patterns.match(method, path);
    let found = literal.get(method);
    if (found === undefined) literal.set(method, (found = this.#all.match(method, path)));
    return found;
  }
}
