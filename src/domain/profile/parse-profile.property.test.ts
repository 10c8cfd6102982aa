import { expect, it } from "vitest";
import fc, { runs } from "../../../test/support/fast-check.js";
import { acceptedProfile } from "../../../test/support/profiles.js";
import { parseProfile } from "./parse-profile.js";
import { settings } from "./settings.js";

/** Any mixture of the alternatives that the table itself names. */
const mixtures = fc
  .record(
    Object.fromEntries(
      settings.map((setting) => {
        const values = setting.alternatives.flatMap(({ value, form }) => (form === true ? [] : [value]));
        return [setting.path, fc.constantFrom(setting.default, ...values)];
      }),
    ),
    { requiredKeys: [] },
  )
  .map((byPath) => {
    const nested: Record<string, unknown> = {};
    for (const [path, value] of Object.entries(byPath)) {
      const [group = "", name] = path.split(".");
      nested[group] = name === undefined ? value : { ...(nested[group] as object | undefined), [name]: value };
    }
    return nested;
  });

it("a rendered profile parses to the same profile", () => {
  fc.assert(
    fc.property(mixtures, (written) => {
      const { profile, values, overrides } = acceptedProfile(written);
      expect(overrides).toEqual(written);
      expect(acceptedProfile(overrides).profile).toEqual(profile);
      expect(acceptedProfile(values)).toMatchObject({ profile, values });
    }),
    { numRuns: runs(100) },
  );
});

it("parsing any value gives a profile or problems, and never throws", () => {
  const expectedGroups = Object.keys(acceptedProfile({}).profile);
  const group = fc.constantFrom("transfers", "charges", "webhooks", "rateLimit", "testNumbers", "__proto__");
  const name = fc.constantFrom("fee", "settlement", "retry", "allow", "chargeEvents", "min", "success", "constructor");
  // Small values: a problem of a large value takes long to render, and shows nothing new.
  const size = { maxDepth: 2, maxKeys: 3, size: "small" } as const;
  const value = fc.oneof(fc.anything({ ...size, withBigInt: true, withDate: true, withMap: true }), fc.jsonValue(size));
  const settingsOfGroup = fc.dictionary(name, value, { maxKeys: 4 });
  const nested = fc.dictionary(group, fc.oneof(settingsOfGroup, value), { maxKeys: 4 });
  fc.assert(
    fc.property(fc.oneof(nested, fc.anything(size)), (overrides) => {
      const parsed = parseProfile(overrides);
      if (!parsed.ok) expect(parsed.problems.every(({ message }) => message.length > 0)).toBe(true);
      else expect(Object.keys(parsed.profile)).toEqual(expectedGroups);
    }),
    { numRuns: runs(500) },
  );
});
