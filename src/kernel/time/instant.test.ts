import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LATEST, parseInstant, toIso } from "./instant.js";

describe("parseInstant", () => {
  it.each([
    ["2026-01-15T09:00:00Z", "2026-01-15T09:00:00.000Z"],
    ["2026-01-15T09:00:00.249Z", "2026-01-15T09:00:00.249Z"],
    ["2026-01-15T09:00:00.2Z", "2026-01-15T09:00:00.200Z"],
    ["2026-01-15T09:00:00.249999999Z", "2026-01-15T09:00:00.249Z"],
    ["2026-01-15T09:00Z", "2026-01-15T09:00:00.000Z"],
    ["2026-01-15T09:00:00", "2026-01-15T09:00:00.000Z"],
    ["2026-01-15", "2026-01-15T00:00:00.000Z"],
    ["2026-01-15T09:00:00+02:00", "2026-01-15T07:00:00.000Z"],
    ["2026-01-15T09:00:00-0330", "2026-01-15T12:30:00.000Z"],
    ["2028-02-29", "2028-02-29T00:00:00.000Z"],
    ["1970-01-01", "1970-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ])("reads %s", (text, iso) => {
    const instant = parseInstant(text);
    expect(instant === undefined ? undefined : toIso(instant)).toBe(iso);
  });

  it.each([
    "",
    "now",
    "2026",
    "2026-01",
    "2026-1-5",
    "2026-02-30",
    "2027-02-29",
    "2026-13-01",
    "2026-00-01",
    "2026-01-00",
    "2026-01-32",
    "2026-01-15T25:00:00Z",
    "2026-01-15T09:61:00Z",
    "2026-01-15T09:00:00X",
    "2026-01-15 09:00:00",
    " 2026-01-15",
    "2026-01-15\n",
    "1969-12-31T23:59:59Z",
    "+010000-01-01T00:00:00Z",
    "20260115T090000Z",
    1_768_467_600_000,
    null,
    undefined,
    new Date(0),
  ])("refuses %j", (value) => {
    expect(parseInstant(value)).toBeUndefined();
  });

  it("reads back what toIso writes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: LATEST }), (instant) => {
        expect(parseInstant(toIso(instant))).toBe(instant);
      }),
    );
  });
});
