import {
  type DrawnMove,
  type DrawnState,
  type LifecycleDrawing,
  STATE_HEIGHT,
  STATE_WIDTH,
  type Visit,
} from "./lifecycle-drawing.js";
import { showInstant } from "../../show.js";
import { Status, Time } from "./show.js";

interface LifecycleProps {
  readonly drawing: LifecycleDrawing;
  readonly visits: readonly Visit[];
  /** `charge`. */
  readonly what: string;
}

/** The states that there are, the way that was taken, and when; the same in words below. */
export function Lifecycle({ drawing, visits, what }: LifecycleProps) {
  const { width, height, top, states, moves } = drawing;
  return (
    <>
      <div class="drawing-frame" tabindex={0} role="region" aria-label={`The lifecycle of the ${what}, drawn`}>
        <svg
          class="drawing"
          width={width}
          height={height}
          viewBox={`0 ${top} ${width} ${height}`}
          role="img"
          aria-labelledby="lifecycle-title lifecycle-desc"
        >
          <title id="lifecycle-title">The lifecycle of the {what}</title>
          <desc id="lifecycle-desc">{describe(drawing, what)}</desc>
          <defs>
            <Arrow id="arrow" kind="" />
            <Arrow id="arrow-taken" kind="taken" />
          </defs>
          {moves.map((move) => (
            <Move move={move} />
          ))}
          {states.map((state) => (
            <State state={state} />
          ))}
        </svg>
      </div>
      <ol class="path" aria-label="The way so far">
        {visits.map(({ status, at }) => (
          <li>
            <Status of={status} />{" "}
            {at === null ? <span class="soft">at a time that was forgotten</span> : <Time at={at} />}
          </li>
        ))}
      </ol>
    </>
  );
}

function describe({ states, moves }: LifecycleDrawing, what: string): string {
  const now = states.find(({ place }) => place === "now")?.status ?? "";
  const ways = moves.map(({ from, to, label }) => `from ${from} to ${to} by ${label}`).join("; ");
  return `The ${what} is ${now}. It can go ${ways}.`.replaceAll("_", " ");
}

function Arrow({ id, kind }: { readonly id: string; readonly kind: string }) {
  return (
    <marker
      id={id}
      viewBox="0 0 8 8"
      refX="7"
      refY="4"
      markerWidth="8"
      markerHeight="8"
      markerUnits="userSpaceOnUse"
      orient="auto"
    >
      <path class={`arrow ${kind}`} d="M0 0L8 4L0 8Z" />
    </marker>
  );
}

function Move({ move: { path, label, labelX, labelY, anchor, times } }: { readonly move: DrawnMove }) {
  const isTaken = times > 0;
  return (
    <g class={isTaken ? "move taken" : "move"}>
      <path d={path} marker-end={isTaken ? "url(#arrow-taken)" : "url(#arrow)"} />
      <text x={labelX} y={labelY} text-anchor={anchor}>
        {times > 1 ? `${label} × ${times}` : label}
      </text>
    </g>
  );
}

function State({ state: { status, x, y, place, at } }: { readonly state: DrawnState }) {
  const middle = x + STATE_WIDTH / 2;
  return (
    <g class={`state ${place}`}>
      <rect x={x} y={y} width={STATE_WIDTH} height={STATE_HEIGHT} rx="10" />
      <text class="name" x={middle} y={y + (at === undefined ? 28 : 20)} text-anchor="middle">
        {status.replaceAll("_", " ")}
      </text>
      {at !== undefined && (
        <text class="when" x={middle} y={y + 36} text-anchor="middle">
          {showInstant(at)}
        </text>
      )}
    </g>
  );
}
