import fc from "fast-check";
import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";
import { LastHeaders } from "./last-headers.js";

describe("LastHeaders", () => {
  it("keeps what is the same as before once", () => {
    const last = new LastHeaders();
    const first = last.keep({ date: "now", connection: "keep-alive" });
    expect(last.keep({ date: "now", connection: "keep-alive" })).toBe(first);
    expect(last.keep({ connection: "keep-alive", date: "now" })).toBe(first);
    expect(last.keep({ date: "later", connection: "keep-alive" })).toEqual({ date: "later", connection: "keep-alive" });
    expect(first).toEqual({ date: "now", connection: "keep-alive" });
  });

  it("writes what came more than once on one line", () => {
    expect(new LastHeaders().keep({ "set-cookie": ["a=1", "b=2"] })).toEqual({ "set-cookie": "a=1, b=2" });
  });

  it("says of each answer what that one had, whatever came before", () => {
    const name = fc.constantFrom("date", "server", "x-a", "constructor", "tostring");
    const value = fc.oneof(fc.constantFrom("1", "2", ""), fc.array(fc.constantFrom("1", "2"), { maxLength: 2 }));
    const headers = fc.dictionary(name, value, { noNullPrototype: true }) as fc.Arbitrary<IncomingHttpHeaders>;
    fc.assert(
      fc.property(fc.array(headers, { maxLength: 10 }), (answers) => {
        const last = new LastHeaders();
        for (const answer of answers) {
          const lines = Object.entries(answer).map(([key, given]) => [key, [given ?? ""].flat().join(", ")]);
          expect(last.keep(answer)).toEqual(Object.fromEntries(lines));
        }
      }),
    );
  });
});
