import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, MAX_DURATION_MS, parseDuration, tryParseDuration } from "./duration.js";
import { Bug, UsageError } from "../messages/problem.js";

describe("parseDuration", () => {
  it.each<[unknown, number]>([
    [0, 0],
    [-0, 0],
    [1500, 1500],
    [0.4, 0],
    ["1500", 1500],
    ["0", 0],
    ["10s", 10_000],
    [" 10s ", 10_000],
    ["500ms", 500],
    ["1.5h", 5_400_000],
    ["1m500ms", 60_500],
    ["1d2h59m59.999s", 86_400_000 + 7_200_000 + 59 * 60_000 + 59_999],
    ["59.999s", 59_999],
    ["PT1H", 3_600_000],
    ["PT0S", 0],
    ["PT1M", 60_000],
    ["PT1,5S", 1500],
    ["P1DT2H30M5.5S", 86_400_000 + 9_000_000 + 5500],
    ["P2W", 14 * 86_400_000],
    ["36525d", MAX_DURATION_MS],
  ])("reads %j as %d ms", (written, ms) => {
    expect(parseDuration(written)).toBe(ms);
  });

  it.each<[unknown, string]>([
    ["", '"" is not a duration: it is empty; write 10s, 1h30m, PT1H or a number of milliseconds'],
    [" \t", '" \\t" is not a duration: it is empty; write 10s, 1h30m, PT1H or a number of milliseconds'],
    ["-1h", '"-1h" is not a duration: it must not be negative'],
    ["-PT1H", '"-PT1H" is not a duration: it must not be negative'],
    [-1, "-1 is not a duration: it must not be negative"],
    [-Infinity, "-Infinity is not a duration: it must not be negative"],
    [Number.NaN, "NaN is not a duration: it is not a number"],
    [Infinity, "Infinity is not a duration: it must be finite"],
    ["5x", '"5x" is not a duration: unknown unit "x"; the units are d, h, m, s and ms'],
    ["10S", '"10S" is not a duration: unknown unit "S"; the units are d, h, m, s and ms'],
    ["1h5", '"1h5" is not a duration: write 10s, 1h30m, PT1H or a number of milliseconds'],
    ["1h 30m", '"1h 30m" is not a duration: write 10s, 1h30m, PT1H or a number of milliseconds'],
    ["1.5", '"1.5" is not a duration: it has no unit; write 1.5s, or whole milliseconds'],
    ["1m1h", '"1m1h" is not a duration: the units go from large to small: d, h, m, s and ms'],
    ["1h1h", '"1h1h" is not a duration: the unit h is there twice'],
    ["P1Y", '"P1Y" is not a duration: years and months have no fixed length; write days or weeks'],
    ["P1MT1H", '"P1MT1H" is not a duration: years and months have no fixed length; write days or weeks'],
    ["P", '"P" is not a duration: not an ISO 8601 duration such as PT1H, P1DT2H30M5.5S or P2W'],
    ["P1DT", '"P1DT" is not a duration: not an ISO 8601 duration such as PT1H, P1DT2H30M5.5S or P2W'],
    ["36526d", '"36526d" is not a duration: it is longer than 100 years'],
    [4e12, "4000000000000 is not a duration: it is longer than 100 years"],
    [null, "null is not a duration: write 10s, 1h30m, PT1H or a number of milliseconds"],
    [undefined, "nothing is not a duration: write 10s, 1h30m, PT1H or a number of milliseconds"],
    [
      { toString: () => "1h" },
      "a value of type object is not a duration: write 10s, 1h30m, PT1H or a number of milliseconds",
    ],
    [["1h"], "a list is not a duration: write 10s, 1h30m, PT1H or a number of milliseconds"],
    [5n, "a value of type bigint is not a duration: write 10s, 1h30m, PT1H or a number of milliseconds"],
  ])("refuses %o", (written, error) => {
    expect(tryParseDuration(written)).toEqual({ error });
    expect(() => parseDuration(written)).toThrow(new UsageError("input", error));
  });

  it("quotes only the start of a long text, and reads it quickly", () => {
    const parsed = tryParseDuration(`${"9".repeat(1_000_000)}d`);
    expect(parsed).toEqual({ error: `"${"9".repeat(60)}…" is not a duration: it is longer than 100 years` });
  });
});

describe("formatDuration", () => {
  it.each<[number, string]>([
    [0, "0s"],
    [1, "1ms"],
    [999, "999ms"],
    [1500, "1.5s"],
    [10_000, "10s"],
    [60_001, "1m0.001s"],
    [3_600_000, "1h"],
    [2 * 86_400_000 + 3 * 3_600_000, "2d3h"],
    [-90_000, "-1m30s"],
    [MAX_DURATION_MS, "36525d"],
  ])("writes %d ms as %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it("throws for a value that is no duration", () => {
    expect(() => formatDuration(Number.NaN)).toThrow(Bug);
  });
});

describe("parseDuration and formatDuration", () => {
  it("round-trip every whole number of milliseconds", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_DURATION_MS }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
        expect(parseDuration(String(ms))).toBe(ms);
        expect(parseDuration(`PT${ms / 1000}S`)).toBe(ms);
      }),
    );
  });

  it("agree on any mixture of units", () => {
    const count = fc.nat(999);
    fc.assert(
      fc.property(count, count, count, fc.nat(59_999), (d, h, m, ms) => {
        const expected = d * 86_400_000 + h * 3_600_000 + m * 60_000 + ms;
        expect(parseDuration(`${d}d${h}h${m}m${ms / 1000}s`)).toBe(expected);
        expect(parseDuration(`P${d}DT${h}H${m}M${ms / 1000}S`)).toBe(expected);
      }),
    );
  });

  it("never throw for any text, and give whole milliseconds or a sentence", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[P\d.dhmsTHMSWY-]{0,12}$/), fc.anything()), (value) => {
        const parsed = tryParseDuration(value);
        if ("error" in parsed) expect(parsed.error).toContain(" is not a duration: ");
        else expect(parsed.ms >= 0 && Number.isInteger(parsed.ms)).toBe(true);
      }),
    );
  });
});
