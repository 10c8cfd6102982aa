import type { Result, Router } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { TrieRouter } from "hono/router/trie-router";

/**
 * The faster of Hono's routers refuses routes of which one has a literal where another has a parameter, as the contract has
 * (`/v1/transactions/batch` and `/v1/transactions/:id`), and Hono then takes the slower one for all of them. Literal paths are few: what the slower one says of each is remembered, and
 * all other paths, which no literal route could match, are left to the faster one.
 *
 * Each is told its routes when it is first asked: two to three milliseconds of CPU time that a start and its first answer do without.
 */
export class LiteralFirstRouter<T> implements Router<T> {
  readonly name = "LiteralFirstRouter";
  readonly #routes: (readonly [method: string, path: string, handler: T])[] = [];
  #all: TrieRouter<T> | undefined;
  #patterns: RegExpRouter<T> | undefined;
  /** By path, then by method. */
  readonly #literals = new Map<string, Map<string, Result<T>>>();

  add(method: string, path: string, handler: T): void {
    this.#routes.push([method, path, handler]);
    this.#all?.add(method, path, handler);
    if (isPattern(path)) this.#patterns?.add(method, path, handler);
    // What was found before may lack this one.
    else this.#literals.set(path, new Map());
  }

  match(method: string, path: string): Result<T> {
    const literal = this.#literals.get(path);
    if (literal === undefined) return this.#matchPattern(method, path);
    let found = literal.get(method);
    if (found === undefined) literal.set(method, (found = this.#matchAny(method, path)));
    return found;
  }

  #matchPattern(method: string, path: string): Result<T> {
    this.#patterns ??= told(
      new RegExpRouter<T>(),
      this.#routes.filter(([, route]) => isPattern(route)),
    );
    return this.#patterns.match(method, path);
  }

  #matchAny(method: string, path: string): Result<T> {
    this.#all ??= told(new TrieRouter<T>(), this.#routes);
    return this.#all.match(method, path);
  }
}

function told<T, Any extends Router<T>>(router: Any, routes: readonly (readonly [string, string, T])[]): Any {
  for (const route of routes) router.add(...route);
  return router;
}

function isPattern(path: string): boolean {
  return /[:*]/.test(path);
}
