import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeOverrides } from "./overrides.js";
import { parseProfile } from "./parse-profile.js";

describe("mergeOverrides", () => {
  it.each<[string, unknown, unknown, unknown]>([
    [
      "adds a setting",
      { http: { createdStatus: 200 } },
      { http: { actionStatus: 201 } },
      { http: { createdStatus: 200, actionStatus: 201 } },
    ],
    ["adds a group", {}, { transfers: { min: 1 } }, { transfers: { min: 1 } }],
    [
      "replaces a setting whole",
      { transfers: { settlement: { after: "1s" }, fee: { rate: 0, fixed: 5 } } },
      { transfers: { settlement: { polls: 2 }, fee: { fixed: 6 } } },
      { transfers: { settlement: { polls: 2 }, fee: { fixed: 6 } } },
    ],
    [
      "replaces the setting without a group whole",
      { rateLimit: { requests: 1, per: "1s" } },
      { rateLimit: "off" },
      { rateLimit: "off" },
    ],
    [
      "returns a setting to its default",
      { transfers: { min: 1, max: 9 } },
      { transfers: { min: null } },
      { transfers: { max: 9 } },
    ],
    ["leaves no empty group behind", { transfers: { min: 1 } }, { transfers: { min: null } }, {}],
    [
      "returns a group to its defaults",
      { transfers: { min: 1 }, rateLimit: "off" },
      { transfers: null, rateLimit: null },
      {},
    ],
    [
      "passes on what it does not know",
      { transfers: { min: 1 } },
      { nope: null, transfers: { nor: null } },
      { nope: null, transfers: { min: 1, nor: null } },
    ],
    ["passes on a group that is none", { transfers: { min: 1 } }, { transfers: 5 }, { transfers: 5 }],
    ["passes on a patch that is none", { transfers: { min: 1 } }, [1], [1]],
  ])("%s", (_, base, patch, merged) => {
    const before = structuredClone(base);
    expect(mergeOverrides(base, patch)).toEqual(merged);
    expect(base).toEqual(before);
  });

  it("leaves wrong values for parseProfile to refuse", () => {
    for (const patch of [
      [],
      "manual",
      { nope: null },
      { transfers: { nor: null } },
      JSON.parse('{"__proto__": {"min": 1}}'),
    ]) {
      expect(parseProfile(mergeOverrides({ transfers: { min: 6000 } }, patch)).ok).toBe(false);
    }
  });

  it("is undone by nulls, and is idempotent", () => {
    const patches = fc.record(
      {
        http: fc.record(
          { createdStatus: fc.constantFrom(200, 201), actionStatus: fc.constantFrom(200, 201) },
          { requiredKeys: [] },
        ),
        transfers: fc.record(
          { min: fc.integer({ min: 1, max: 500_000 }), settlement: fc.constant("manual") },
          { requiredKeys: [] },
        ),
        rateLimit: fc.constant({ requests: 1, per: "1s" }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(patches, patches, (base, patch) => {
        const once = mergeOverrides(base, patch);
        expect(parseProfile(once).ok).toBe(true);
        expect(mergeOverrides(once, patch)).toEqual(once);
        const undo = { http: null, transfers: null, rateLimit: null };
        expect(mergeOverrides(once, undo)).toEqual({});
      }),
    );
  });
});
