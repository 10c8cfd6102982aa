import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defaultProfile, parseProfile } from "./parse-profile.js";
import type { ProfileInput } from "./profile.js";
import { findSetting, groupOf, settingGroups, settings } from "./settings.js";

describe("the settings table", () => {
  it("has every member of the profile, in its order", () => {
    const profile = defaultProfile();
    const leaves = Object.entries(profile).flatMap(([group, members]) =>
      typeof members !== "object" || members === null
        ? [group]
        : Object.keys(members).map((name) => `${group}.${name}`),
    );
    expect(settings.map(({ path }) => path)).toEqual(leaves);
    expect(settings).toHaveLength(63);
  });

  it.each(settings.map((setting) => [setting.path, setting] as const))(
    "%s compiles its default as it says",
    (_, setting) => {
      expect(setting.schema.parse(setting.default)).toEqual(setting.compiledDefault);
      expect(Object.isFrozen(setting.compiledDefault)).toBe(true);
    },
  );

  it.each(settings.map((setting) => [setting.path, setting] as const))(
    "%s has alternatives that differ",
    (_, setting) => {
      expect(setting.alternatives.length).toBeGreaterThan(0);
      for (const { value, form, samples = [] } of setting.alternatives) {
        expect(samples.length > 0).toBe(form === true);
        for (const sample of samples) expect(setting.schema.parse(sample)).not.toEqual(setting.compiledDefault);
        if (form === true) expect(value).toBeTypeOf("string");
        else expect(setting.schema.parse(value)).not.toEqual(setting.compiledDefault);
      }
    },
  );

  it.each(settings.map((setting) => [setting.path, setting] as const))(
    "%s explains itself in sentences",
    (_, setting) => {
      expect(setting.summary).toMatch(/^[A-Z].*\.$/);
      expect(setting.contract.trim()).not.toBe("");
      expect(setting.question).toMatch(/^[A-Z].*\?$/);
      for (const { effect } of setting.alternatives) expect(effect).toMatch(/[.)]$/);
    },
  );

  it.each(settings.map((setting) => [setting.path, setting] as const))(
    "%s can be described as JSON Schema",
    (_, setting) => {
      expect(z.toJSONSchema(setting.schema, { io: "input" })).toBeTypeOf("object");
    },
  );

  it("finds settings by path, but not by inherited properties", () => {
    expect(findSetting("transfers.settlement")?.default).toEqual({ after: "2s" });
    expect(findSetting("rateLimit")?.default).toBe("off");
    for (const path of ["__proto__", "constructor", "toString", "transfers", "transfers.constructor", ""]) {
      expect(findSetting(path)).toBeUndefined();
    }
    expect([...settingGroups]).toHaveLength(12);
    expect(groupOf("transfers.fee")).toBe("transfers");
    expect(groupOf("rateLimit")).toBe("rateLimit");
  });
});

describe("ProfileInput", () => {
  it("has the form that users write", () => {
    const input: ProfileInput = {
      http: { createdStatus: 200 },
      transfers: { settlement: { after: "1m" }, fee: { rate: 0.02 }, min: null },
      charges: { ttl: 5000, fee: { credit: "net" } },
      webhooks: { retry: ["1s", 2000], chargeEvents: "paid, dropped", allow: ["127.0.0.0/8"], topicHeader: "x-topic" },
      rateLimit: { requests: 5, per: "1s" },
      refunds: null,
    };
    expect(parseProfile(input)).toMatchObject({ ok: true });
    // @ts-expect-error The compiler knows the alternatives.
    const wrong: ProfileInput = { transfers: { settlement: "manually" } };
    expect(parseProfile(wrong)).toMatchObject({ ok: false });
  });
});
