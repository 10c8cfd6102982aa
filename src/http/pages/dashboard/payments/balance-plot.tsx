import type { LedgerEntry } from "../../../../domain/model/account.js";
import type { Instant } from "../../../../kernel/time/instant.js";
import { showInstant, showMoney } from "../../shared/show.js";

/** Entries drawn: of more, some are chosen at equal distances, always with the first and the last. */
const POINTS_MAX = 400;

const WIDTH = 760;
const HEIGHT = 240;
const LEFT = 104;
const RIGHT = WIDTH - 14;
const TOP = 12;
const BOTTOM = HEIGHT - 30;

/**
 * The balance as a step line until this instant. The ledger's table shows the same, entry by entry. `along` is what runs from left to right; entries that
 * are all of one instant are always drawn by entry.
 */
export function renderBalancePlot(entries: readonly LedgerEntry[], until: Instant, along: "time" | "entries") {
  const drawn = choose(entries);
  const first = drawn[0];
  const last = drawn.at(-1);
  if (first === undefined || last === undefined) return <></>;
  const to = Math.max(until, last.at);
  const isByTime = along === "time" && to > first.at;
  const balances = drawn.map(({ balance }) => balance);
  const [lowest, highest] = [Math.min(...balances), Math.max(...balances)];
  const points = drawn.map(({ at, balance }, index) => {
    const across = isByTime ? (at - first.at) / (to - first.at) : index / Math.max(1, drawn.length - 1);
    const up = (balance - lowest) / Math.max(1, highest - lowest);
    return { x: Math.round(LEFT + across * (RIGHT - LEFT)), y: Math.round(BOTTOM - up * (BOTTOM - TOP)) };
  });
  const line = `${points.map(({ x, y }, index) => (index === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join("")}H${RIGHT}`;
  const period = first.at === to ? `At ${showInstant(to)}` : `From ${showInstant(first.at)} to ${showInstant(to)}`;
  return (
    <figure class="figure">
      <div class="drawing-frame" tabindex={0} role="region" aria-label="The balance over time, drawn">
        <svg class="drawing plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-labelledby="plot-title plot-desc">
          <title id="plot-title">The balance over time</title>
          <desc id="plot-desc">
            {period} the balance was between {showMoney(lowest)} and {showMoney(highest)}; it is{" "}
            {showMoney(last.balance)}.
          </desc>
          <path class="balance-area" d={`${line}V${BOTTOM}H${LEFT}Z`} />
          {(lowest === highest ? [lowest] : [lowest, highest]).map((balance) => {
            const y = balance === lowest ? BOTTOM : TOP;
            return (
              <g>
                <line class="grid" x1={LEFT} x2={RIGHT} y1={y} y2={y} />
                <text x={LEFT - 8} y={y + 4} text-anchor="end">
                  {showMoney(balance)}
                </text>
              </g>
            );
          })}
          <path class="balance-line" d={line} />
          <circle class="balance-now" cx={RIGHT} cy={points.at(-1)?.y} r="4.5" />
          <text x={LEFT} y={HEIGHT - 8} text-anchor="start">
            {isByTime ? showInstant(first.at) : "entry 1"}
          </text>
          <text x={RIGHT} y={HEIGHT - 8} text-anchor="end">
            {isByTime ? showInstant(to) : entries.length > 1 && `entry ${entries.length}`}
          </text>
        </svg>
      </div>
      <figcaption class="soft">
        {!isByTime && "From entry to entry, whatever time lay between them. "}
        {drawn.length < entries.length
          ? `Drawn from ${drawn.length} of ${entries.length} entries, at even distances.`
          : `${entries.length} ${entries.length === 1 ? "entry" : "entries"}.`}
      </figcaption>
    </figure>
  );
}

function choose(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  if (entries.length <= POINTS_MAX) return entries;
  const distance = (entries.length - 1) / (POINTS_MAX - 1);
  return Array.from({ length: POINTS_MAX }, (_, index) => entries[Math.round(index * distance)]).filter(
    (entry) => entry !== undefined,
  );
}
