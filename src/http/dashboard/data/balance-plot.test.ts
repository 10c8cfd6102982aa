import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "../../../domain/accounts/account.js";
import { fromXof, toXof } from "../../../domain/accounts/money.js";
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

function plot(balances: readonly number[], atOf = (index: number) => START + index * 60_000): BalancePlot {
  const drawn = plotBalance(ledgerOf(balances, atOf));
  if (drawn === undefined) throw new Error("Nothing was drawn.");
  return drawn;
}

describe("plotBalance", () => {
  it("draws nothing without entries", () => {
    expect(plotBalance({ values: () => [] })).toBeUndefined();
  });

  it("draws a step for each entry: the balance stands until the next one", () => {
    const { line, along, drawn, entries } = plot([1_000, 2_000, 500]);
    expect(line).toMatch(/^M104 [\d.]+H425V[\d.]+H746V[\d.]+$/);
    expect({ along, drawn, entries }).toEqual({ along: "time", drawn: 3, entries: 3 });
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

  it("writes the day where it changes, and days alone over a longer time", () => {
    const labels = (days: number) =>
      plot([1, 2], (index) => START + index * days * 86_400_000).times.map(({ label }) => label);
    expect(labels(1)).toEqual(["01-15 09:00:00", "17:00:00", "01-16 01:00:00", "01-16 09:00:00"]);
    expect(labels(30)).toEqual(["2026-01-15", "2026-01-25", "2026-02-04", "2026-02-14"]);
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
    const drawn = plotBalance({ values: () => entries });
    expect(drawn).toMatchObject({ drawn: POINTS_MAX, entries: length, from: START, to: START + length - 1 });
    expect(read).toBe(POINTS_MAX);
  });
});
