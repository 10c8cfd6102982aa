import { describe, expect, expectTypeOf, it } from "vitest";
import { behaviourOf } from "../accounts/test-numbers.js";
import { defaultProfile } from "./parse-profile.js";
import type { Profile } from "./profile.js";
import { settings } from "./settings.js";
import { oncePerProfile, SettingReads, SettingSet, touchSettings, trackProfile } from "./track-profile.js";

const plain = defaultProfile();
const reads = new SettingReads();
const tracked = trackProfile(plain, reads);

function read(path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => Reflect.get(Object(value), name), tracked);
}

function settingsOf(run: () => unknown): readonly string[] {
  const settings = new SettingSet();
  reads.collect(settings, run);
  return settings.paths;
}

/** Read by every request, to see whether they apply. */
const touchedByHand = /^(rateLimit|testNumbers\..+)$/;

describe("a profile that is tracked", () => {
  it("is the same to whoever reads it", () => {
    expect(tracked).toEqual(plain);
    expect(JSON.stringify(tracked)).toBe(JSON.stringify(plain));
    expect({ ...tracked.charges }).toEqual({ ...plain.charges });
    expectTypeOf(trackProfile).returns.toEqualTypeOf<Profile>();
  });

  const paths = settings.map(({ path }) => path);

  it.each(paths.filter((path) => !touchedByHand.test(path)))("notes that %s is read, and nothing else", (path) => {
    expect(settingsOf(() => read(path))).toEqual([path]);
  });

  it.each(paths.filter((path) => touchedByHand.test(path)))("leaves %s to whoever applies it", (path) => {
    expect(settingsOf(() => read(path))).toEqual([]);
  });

  it("notes no group of which nothing is read", () => {
    expect(settingsOf(() => [tracked.charges, tracked.webhooks])).toEqual([]);
  });

  it("counts the test number that matched", () => {
    expect(settingsOf(() => behaviourOf(tracked, "+2250700000004"))).toEqual(["testNumbers.late"]);
    expect(settingsOf(() => behaviourOf(tracked, "+2250799999999"))).toEqual([]);
  });
});

describe("collecting", () => {
  it("adds one stretch after another to the same set", () => {
    const settings = new SettingSet();
    reads.collect(settings, () => tracked.charges.ttl);
    expect(tracked.charges.min).toBe(plain.charges.min);
    reads.collect(settings, () => touchSettings(tracked, ["rateLimit"]));
    expect(settings.paths).toEqual(["charges.ttl", "rateLimit"]);
  });

  it("gives what an inner stretch reads to the inner set alone, also when it throws", () => {
    const inner = new SettingSet();
    const outer = settingsOf(() => {
      expect(() =>
        reads.collect(inner, () => {
          throw new Error(String(tracked.charges.ttl));
        }),
      ).toThrow(String(plain.charges.ttl));
      return tracked.charges.min;
    });
    expect(inner.paths).toEqual(["charges.ttl"]);
    expect(outer).toEqual(["charges.min"]);
  });

  it("collects outside only where no other stretch collects", () => {
    const outside = new SettingSet();
    expect(settingsOf(() => reads.collectOutside(outside, () => tracked.charges.ttl))).toEqual(["charges.ttl"]);
    expect(outside.paths).toEqual([]);
    expect(reads.collectOutside(outside, () => tracked.charges.ttl)).toBe(plain.charges.ttl);
    expect(outside.paths).toEqual(["charges.ttl"]);
  });

  it("counts what a value was built from each time the value is used", () => {
    const limitOf = oncePerProfile(({ charges }) => ({ max: charges.max }));
    expect(settingsOf(() => limitOf(tracked))).toEqual(["charges.max"]);
    expect(settingsOf(() => limitOf(tracked))).toEqual(["charges.max"]);
    expect(limitOf(tracked)).toBe(limitOf(tracked));
    expect(limitOf(plain)).toEqual({ max: plain.charges.max });
  });
});
