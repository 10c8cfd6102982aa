import { describe, expect, expectTypeOf, it } from "vitest";
import { behaviourOf } from "../accounts/test-numbers.js";
import { defaultProfile } from "./parse-profile.js";
import type { Profile } from "./profile.js";
import { settings } from "./settings.js";
import { oncePerProfile, SettingReads, touchSettings, trackProfile } from "./track-profile.js";

const plain = defaultProfile();
const reads = new SettingReads();
const tracked = trackProfile(plain, reads);

function read(path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => Reflect.get(Object(value), name), tracked);
}

function settingsOf(run: () => unknown): readonly string[] {
  const settings = new Set<string>();
  reads.collect(settings, run);
  return [...settings];
}

/** Every request reads these to check whether they apply. */
const touchedByHand = /^(rateLimit|testNumbers\..+)$/;

describe("a tracked profile", () => {
  it("has the same values as the original", () => {
    expect(tracked).toEqual(plain);
    expect(JSON.stringify(tracked)).toBe(JSON.stringify(plain));
    expect({ ...tracked.charges }).toEqual({ ...plain.charges });
    expectTypeOf(trackProfile).returns.toEqualTypeOf<Profile>();
  });

  const paths = settings.map(({ path }) => path);

  it.each(paths.filter((path) => !touchedByHand.test(path)))("records the read of %s and nothing else", (path) => {
    expect(settingsOf(() => read(path))).toEqual([path]);
  });

  it.each(paths.filter((path) => touchedByHand.test(path)))(
    "does not record %s, which is recorded where it applies",
    (path) => {
      expect(settingsOf(() => read(path))).toEqual([]);
    },
  );

  it("does not record a group without reads", () => {
    expect(settingsOf(() => [tracked.charges, tracked.webhooks])).toEqual([]);
  });

  it("records the test number that matched", () => {
    expect(settingsOf(() => behaviourOf(tracked, "+2250700000004"))).toEqual(["testNumbers.late"]);
    expect(settingsOf(() => behaviourOf(tracked, "+2250799999999"))).toEqual([]);
  });
});

describe("collecting", () => {
  it("adds several calls to the same set", () => {
    const settings = new Set<string>();
    reads.collect(settings, () => tracked.charges.ttl);
    expect(tracked.charges.min).toBe(plain.charges.min);
    reads.collect(settings, () => touchSettings(tracked, ["rateLimit"]));
    expect([...settings]).toEqual(["charges.ttl", "rateLimit"]);
  });

  it("adds the reads of an inner call to the inner set only, also when it throws", () => {
    const inner = new Set<string>();
    const outer = settingsOf(() => {
      expect(() =>
        reads.collect(inner, () => {
          throw new Error(String(tracked.charges.ttl));
        }),
      ).toThrow(String(plain.charges.ttl));
      return tracked.charges.min;
    });
    expect([...inner]).toEqual(["charges.ttl"]);
    expect(outer).toEqual(["charges.min"]);
  });

  it("adds reads to the outer set only outside of inner calls", () => {
    const outside = new Set<string>();
    expect(settingsOf(() => reads.collectOutside(outside, () => tracked.charges.ttl))).toEqual(["charges.ttl"]);
    expect([...outside]).toEqual([]);
    expect(reads.collectOutside(outside, () => tracked.charges.ttl)).toBe(plain.charges.ttl);
    expect([...outside]).toEqual(["charges.ttl"]);
  });

  it("records the sources of a derived value each time it is used", () => {
    const limitOf = oncePerProfile(({ charges }) => ({ max: charges.max }));
    expect(settingsOf(() => limitOf(tracked))).toEqual(["charges.max"]);
    expect(settingsOf(() => limitOf(tracked))).toEqual(["charges.max"]);
    expect(limitOf(tracked)).toBe(limitOf(tracked));
    expect(limitOf(plain)).toEqual({ max: plain.charges.max });
  });
});
