import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LastMade } from "./last-made.js";

describe("LastMade", () => {
  it("makes anew what is another than the one before, and nothing else", () => {
    const last = new LastMade((record: Readonly<Record<string, string>>) => ({ ...record }));
    const first = last.of({ date: "now", connection: "keep-alive" });
    expect(last.of({ date: "now", connection: "keep-alive" })).toBe(first);
    expect(last.of({ connection: "keep-alive", date: "now" })).toBe(first);
    expect(last.of({ date: "later", connection: "keep-alive" })).toEqual({ date: "later", connection: "keep-alive" });
    expect(last.of({ date: "now", connection: "keep-alive" })).not.toBe(first);
    expect(last.of({})).toEqual({});
  });

  it("says of each what that one is, whatever came before", () => {
    const name = fc.constantFrom("date", "server", "x-a", "constructor", "toString");
    const record = fc.dictionary(name, fc.constantFrom("1", "2", ""), { noNullPrototype: true });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 10 }), (records) => {
        const last = new LastMade((given: Readonly<Record<string, string>>) => JSON.stringify(given));
        for (const given of records) expect(JSON.parse(last.of(given))).toEqual(given);
      }),
    );
  });
});
