import fc from "fast-check";
import type { Result } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";
import { expect, test } from "vitest";
import { LiteralFirstRouter } from "./literal-first-router.js";

const routes: readonly (readonly [string, string])[] = [
  ["ALL", "/v1/transactions"],
  ["ALL", "/v1/transactions/batch"],
  ["ALL", "/v1/transactions/customers/check"],
  ["ALL", "/v1/transactions/:id"],
  ["ALL", "/v1/charges/:id/pay"],
  ["ALL", "/v1/charges/:id"],
  ["GET", "/openapi.json"],
  ["ALL", "/openapi.json"],
  ["GET", "/checkout/:chargeId"],
  ["POST", "/checkout/:chargeId"],
  ["ALL", "/checkout/:chargeId"],
  ["GET", "/"],
  ["GET", "/_sandbox/assets/:file"],
  ["GET", "/_sandbox/"],
  ["ALL", "/_sandbox/*"],
];
const segments = [
  "v1",
  "transactions",
  "batch",
  "customers",
  "check",
  "charges",
  "pay",
  "openapi.json",
  "checkout",
  "_sandbox",
  "assets",
  "x",
  "",
];
const paths = fc.array(fc.constantFrom(...segments), { maxLength: 5 }).map((parts) => `/${parts.join("/")}`);
const methods = fc.constantFrom("GET", "POST", "HEAD", "DELETE", "PROPFIND");

/** The routes that match, in their order, each with its parameters; routers have two forms of saying so. */
function found([matches, stash]: Result<string>): readonly (readonly [string, Readonly<Record<string, string>>])[] {
  return matches.map(([route, params]) => [
    route,
    Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, typeof value === "number" ? (stash?.[value] ?? "") : value]),
    ),
  ]);
}

test("it finds what the router that takes all routes finds, the first time and again", () => {
  const whole = new TrieRouter<string>();
  const fast = new LiteralFirstRouter<string>();
  for (const [method, path] of routes) {
    whole.add(method, path, `${method} ${path}`);
    fast.add(method, path, `${method} ${path}`);
  }
  fc.assert(
    fc.property(methods, paths, (method, path) => {
      const expected = found(whole.match(method, path));
      expect(found(fast.match(method, path))).toEqual(expected);
      expect(found(fast.match(method, path))).toEqual(expected);
    }),
    {
      examples: routes.flatMap(([, path]): [string, string][] => (/[:*]/.test(path) ? [] : [["GET", path]])),
      numRuns: 2000,
    },
  );
});
