import type { BalancePlot } from "./balance-plot.js";
import { showInstant, showMoney } from "../../show.js";

/** The balance as a step line. What it shows stands in the ledger's table too, entry by entry. */
export function BalanceFigure({ plot }: { readonly plot: BalancePlot }) {
  const { width, height, line, area, balances, times, last, drawn, entries, along } = plot;
  return (
    <figure class="figure">
      <div class="drawing-frame" tabindex={0} role="region" aria-label="The balance over time, drawn">
        <svg class="drawing plot" viewBox={`0 0 ${width} ${height}`} role="img" aria-labelledby="plot-title plot-desc">
          <title id="plot-title">The balance over time</title>
          <desc id="plot-desc">{describe(plot)}</desc>
          <path class="balance-area" d={area} />
          {balances.map(({ y, balance }) => (
            <g>
              <line class="grid" x1="104" x2={width - 14} y1={y} y2={y} />
              <text x="96" y={y + 4} text-anchor="end">
                {showMoney(balance)}
              </text>
            </g>
          ))}
          <path class="balance-line" d={line} />
          <circle class="balance-now" cx={last.x} cy={last.y} r="4.5" />
          {times.map(({ x, label, anchor }) => (
            <text x={x} y={height - 8} text-anchor={anchor}>
              {label}
            </text>
          ))}
        </svg>
      </div>
      <figcaption class="soft">
        {along === "entries" ? "From entry to entry, whatever time lay between them. " : ""}
        {drawn < entries
          ? `Drawn from ${drawn} of ${entries} entries, at even distances.`
          : `${entries} ${entries === 1 ? "entry" : "entries"}.`}
      </figcaption>
    </figure>
  );
}

function describe({ from, to, lowest, highest, last }: BalancePlot): string {
  const time = from === to ? `At ${showInstant(from)}` : `From ${showInstant(from)} to ${showInstant(to)}`;
  return `${time} the balance was between ${showMoney(lowest)} and ${showMoney(highest)}; it is ${showMoney(last.balance)}.`;
}
