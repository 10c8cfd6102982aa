import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "../../../../domain/model/account.js";
import { fromXof, toXof } from "../../../../domain/values/money.js";
import { type BalancePlot, plotBalance, POINTS_MAX } from "./balance-plot.js";

const START = Date.UTC(2026, 0, 15, 9);

function ledgerOf(balances: readonly number[], atOf: (index: number) => number) {
  const rows = balances.map((balance, index): LedgerEntry => {
    return {
      id: `led_${index}`,
      seq: index + 1,
      at: atOf(index),
      type: "adjustment",
      resource: null,
      postings: [],
      balance: fromXof(balance),
    };
  });
  return { values: () => rows };
}

function plot(
  balances: readonly number[],
  atOf = (index: number) => START + index * 60_000,
  until = atOf(balances.length - 1),
): BalancePlot {
  const drawn = plotBalance(ledgerOf(balances, atOf), { until, along: "time" });
  if (drawn === undefined) throw new Error("Nothing was drawn.");
  return drawn;
}

describe("plotBalance", () => {
  it("draws nothing without entries", () => {
    expect(plotBalance({ values: () => [] }, { until: START, along: "time" })).toBeUndefined();
  });

  it("draws a step for each entry: the balance stands until the next one", () => {
    const { line, along, drawn, entries } = plot([1_000, 2_000, 500]);
    expect(line).toMatch(/^M104 [\d.]+H425V[\d.]+H746V[\d.]+H746$/);
    expect({ along, drawn, entries }).toEqual({ along: "time", drawn: 3, entries: 3 });
  });

  it("goes on to now: what the last entry left still stands", () => {
    const { line, times, to } = plot([1, 2], undefined, START + 4 * 60_000);
    expect(line).toMatch(/H264.5V[\d.]+H746$/);
    expect(times.at(-1)?.label).toBe("09:04");
    expect(to).toBe(START + 4 * 60_000);
  });

  it.each([
    [[10_000_000], [10_000_000, 10_000_001]],
    [
      [0, 100],
      [0, 25, 50, 75, 100],
    ],
    [
      [9_989_900, 10_000_000],
      [9_985_000, 9_990_000, 9_995_000, 10_000_000],
    ],
    [
      [-50, 70],
      [-50, 0, 50, 100],
    ],
    [
      [0.5, 0.25],
      [0, 1],
    ],
  ])("has round amounts beside %j that hold the line", (balances, expected) => {
    const { balances: ticks, lowest, highest } = plot(balances);
    const amounts = ticks.map(({ balance }) => toXof(balance));
    expect(amounts[0]).toBeLessThanOrEqual(toXof(lowest));
    expect(amounts.at(-1)).toBeGreaterThanOrEqual(toXof(highest));
    expect(amounts.length).toBeLessThanOrEqual(6);
    expect(amounts).toEqual(expected);
  });

  it("goes by the entries when all are of one instant, which is usual on a frozen clock", () => {
    const { along, times, line } = plot([1, 2, 3], () => START);
    expect(along).toBe("entries");
    expect(times.map(({ label }) => label)).toEqual(["entry 1", "entry 3"]);
    expect(line).toContain("H425V");
  });

  it("goes by the entries when that is wanted, which shows what happened close together", () => {
    const entries = ledgerOf([1, 2, 3], (index) => START + index ** 9);
    expect(plotBalance(entries, { until: START, along: "entries" })).toMatchObject({
      along: "entries",
      line: expect.stringContaining("H425V"),
    });
  });

  it.each([
    [0.5, ["01-15 09:00:00", "09:00:10", "09:00:20", "09:00:30"]],
    [60 * 2, ["01-15 09:00", "09:30", "10:00", "10:30", "11:00"]],
    [60 * 24, ["01-15 12:00", "18:00", "01-16 00:00", "06:00"]],
    [60 * 24 * 30, ["2026-01-22", "2026-01-29", "2026-02-05", "2026-02-12"]],
  ])("has round times below a line of %d minutes, and the day where it changes", (minutes, expected) => {
    const { times } = plot([1, 2], (index) => START + index * minutes * 60_000);
    expect(times.map(({ label }) => label)).toEqual(expected);
  });

  it("reads no more entries than it draws, from the first to the last", () => {
    let read = 0;
    const { length } = { length: 100_000 };
    const entries = new Proxy<LedgerEntry[]>([], {
      get(_, name) {
        if (name === "length") return length;
        read++;
        const index = Number(name);
        return {
          id: `led_${index}`,
          seq: index,
          at: START + index,
          type: "adjustment",
          resource: null,
          postings: [],
          balance: index,
        };
      },
    });
    const drawn = plotBalance({ values: () => entries }, { until: START, along: "time" });
    expect(drawn).toMatchObject({ drawn: POINTS_MAX, entries: length, from: START, to: START + length - 1 });
    expect(read).toBe(POINTS_MAX);
  });
});
