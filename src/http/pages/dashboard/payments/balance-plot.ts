import type { LedgerEntry } from "../../../../domain/model/account.js";
import { type Money, fromXof, toXof } from "../../../../domain/values/money.js";
import { type Instant, toIso } from "../../../../kernel/instant.js";
import type { Table } from "../../../../kernel/table.js";

/** The balance as a step line, in the units of the drawing. */
export interface BalancePlot {
  readonly width: number;
  readonly height: number;
  /** Of SVG paths: the line, and what lies under it. */
  readonly line: string;
  readonly area: string;
  readonly balances: readonly { readonly y: number; readonly balance: Money }[];
  readonly times: readonly {
    readonly x: number;
    readonly label: string;
    readonly anchor: "start" | "middle" | "end";
  }[];
  /** Where the line ends: the balance after the newest entry. */
  readonly last: { readonly x: number; readonly y: number; readonly balance: Money };
  readonly lowest: Money;
  readonly highest: Money;
  readonly from: Instant;
  readonly to: Instant;
  /** Entries that were drawn, of how many. */
  readonly drawn: number;
  readonly entries: number;
  /** What goes from left to right. Of entries that are all of one instant it is never the time. */
  readonly along: "time" | "entries";
}

/** No more entries are drawn, or read: of more, some are chosen at even distances, and always the first and the last. */
export const POINTS_MAX = 400;

const WIDTH = 760;
const HEIGHT = 240;
const FRAME = { left: 104, right: 14, top: 12, bottom: 30 } as const;
const STEPS = 4;

export interface PlotRequest {
  /** How far the line goes: the balance after the last entry still stands. */
  readonly until: Instant;
  readonly along: BalancePlot["along"];
}

/** Undefined when there is nothing to draw. */
export function plotBalance(
  ledger: Pick<Table<LedgerEntry>, "values">,
  { until, along: wanted }: PlotRequest,
): BalancePlot | undefined {
  const entries = ledger.values();
  const chosen = choose(entries);
  const first = chosen[0];
  const last = chosen.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const to = Math.max(until, last.at);
  const span = to - first.at;
  const along = span > 0 ? wanted : "entries";
  const balances = chosen.map(({ balance }) => balance);
  const lowest = Math.min(...balances);
  const highest = Math.max(...balances);
  const ticks = niceTicks(lowest, highest);
  const bottom = ticks[0] ?? lowest;
  const top = ticks.at(-1) ?? highest;
  const xOf = (entry: LedgerEntry, index: number): number => {
    const share = along === "time" ? (entry.at - first.at) / span : index / Math.max(1, chosen.length - 1);
    return round(FRAME.left + share * (WIDTH - FRAME.left - FRAME.right));
  };
  const yOf = (balance: Money): number => {
    const share = (balance - bottom) / Math.max(1, top - bottom);
    return round(HEIGHT - FRAME.bottom - share * (HEIGHT - FRAME.top - FRAME.bottom));
  };
  const points = chosen.map((entry, index) => ({ x: xOf(entry, index), y: yOf(entry.balance) }));
  const line = points.map(({ x, y }, index) => (index === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join("");
  const end = { x: WIDTH - FRAME.right, y: yOf(last.balance) };
  return {
    width: WIDTH,
    height: HEIGHT,
    line: `${line}H${end.x}`,
    area: `${line}H${end.x}V${HEIGHT - FRAME.bottom}H${points[0]?.x ?? 0}Z`,
    balances: ticks.map((balance) => ({ y: yOf(balance), balance })),
    times: along === "time" ? timeTicks(first.at, to) : entryTicks(entries.length),
    last: { ...end, balance: last.balance },
    lowest,
    highest,
    from: first.at,
    to,
    drawn: chosen.length,
    entries: entries.length,
    along,
  };
}

function choose(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  if (entries.length <= POINTS_MAX) return entries;
  const distance = (entries.length - 1) / (POINTS_MAX - 1);
  return Array.from({ length: POINTS_MAX }, (_, index) => entries[Math.round(index * distance)]).filter(
    (entry) => entry !== undefined,
  );
}

/** Round amounts, the first at or below the lowest and the last at or above the highest. */
function niceTicks(lowest: Money, highest: Money): Money[] {
  const spread = Math.max(toXof(highest - lowest), 1);
  const power = 10 ** Math.floor(Math.log10(spread / STEPS));
  const step = Math.max(1, ([1, 2, 2.5, 5, 10].find((factor) => factor * power * STEPS >= spread) ?? 10) * power);
  const begin = Math.floor(toXof(lowest) / step);
  const count = Math.max(1, Math.ceil(toXof(highest) / step) - begin);
  return Array.from({ length: count + 1 }, (_, index) => fromXof((begin + index) * step));
}

const INNER = WIDTH - FRAME.left - FRAME.right;

const TICKS_MAX = 6;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What the times beside the line may be apart, ms. */
const TIME_STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365, 3_650].map((count) => count * DAY),
];

/** Round times. Where they are days apart the time of the day is left out, where the day changes it is written. */
function timeTicks(from: Instant, to: Instant): BalancePlot["times"] {
  const step = TIME_STEPS.find((length) => (to - from) / length < TICKS_MAX) ?? 36_500 * DAY;
  const first = Math.ceil(from / step) * step;
  const count = Math.floor((to - first) / step) + 1;
  return Array.from({ length: count }, (_, index) => {
    const at = first + index * step;
    const share = (at - from) / (to - from);
    return { x: round(FRAME.left + share * INNER), label: labelOf(at, step, index === 0), anchor: anchorAt(share) };
  });
}

function labelOf(at: Instant, step: number, isFirst: boolean): string {
  const [day = "", time = ""] = toIso(at).split("T");
  if (step >= DAY) return day;
  const clock = time.slice(0, step < MINUTE ? 8 : 5);
  return isFirst || at % DAY === 0 ? `${day.slice(5)} ${clock}` : clock;
}

function entryTicks(count: number): BalancePlot["times"] {
  if (count < 2) return [{ x: FRAME.left, label: "entry 1", anchor: "start" }];
  return [0, 1].map((share) => ({
    x: FRAME.left + share * INNER,
    label: `entry ${share === 0 ? 1 : count}`,
    anchor: anchorAt(share),
  }));
}

function anchorAt(share: number): "start" | "middle" | "end" {
  if (share < 0.06) return "start";
  return share > 0.94 ? "end" : "middle";
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
