import { type ChargeAction, type ChargeStatus, chargeLifecycle } from "../../../../domain/model/charge.js";
import {
  type BatchAction,
  type BatchStatus,
  type TransferAction,
  type TransferStatus,
  batchLifecycle,
  transferLifecycle,
} from "../../../../domain/model/transfer.js";
import type { Instant } from "../../../../kernel/instant.js";
import { type Lifecycle, listTransitions } from "../../../../kernel/lifecycle.js";

/** Something came to be in a state. */
export interface Visit<Status extends string = string> {
  readonly status: Status;
  /** Null: it is not known any more. */
  readonly at: Instant | null;
}

/** A lifecycle and the way that one thing took through it, in the units of the drawing. */
export interface LifecycleDrawing {
  readonly width: number;
  readonly height: number;
  /** Where it begins: moves may go above the states. */
  readonly top: number;
  readonly states: readonly DrawnState[];
  readonly moves: readonly DrawnMove[];
}

export interface DrawnState {
  readonly status: string;
  /** Its upper left corner. */
  readonly x: number;
  readonly y: number;
  /** `now`: there it is; `passed`: there it was. */
  readonly place: "now" | "passed" | "never";
  /** When it came there last; undefined when it never did, or when that is not known any more. */
  readonly at: Instant | undefined;
}

export interface DrawnMove {
  readonly from: string;
  readonly to: string;
  /** `expire · drop`. */
  readonly label: string;
  /** Of an SVG path. */
  readonly path: string;
  readonly labelX: number;
  readonly labelY: number;
  /** Where the label begins, ends or has its middle. */
  readonly anchor: "start" | "middle";
  /** How often it went along there. */
  readonly times: number;
}

export const STATE_WIDTH = 146;
export const STATE_HEIGHT = 46;
const COLUMN = 216;
const ROW = 92;
const MARGIN = 4;
/** Of a label, above its line and below. */
const LETTERS = { above: 12, below: 4 } as const;

/** Column and row of each state. */
type Layout<Status extends string> = Readonly<Record<Status, readonly [column: number, row: number]>>;

const chargeLayout: Layout<ChargeStatus> = {
  due: [0, 0],
  paid: [1, 0],
  refunded_partially: [2, 0],
  refunded: [3, 0],
  dropped: [1, 1],
};
const transferLayout: Layout<TransferStatus> = { pending: [0, 0], completed: [1, 0], failed: [1, 1] };
const batchLayout: Layout<BatchStatus> = { processing: [0, 0], completed: [1, 0] };

export function drawCharge(visits: readonly Visit<ChargeStatus>[]): LifecycleDrawing {
  return draw<ChargeStatus, ChargeAction>(chargeLifecycle, chargeLayout, visits);
}

export function drawTransfer(visits: readonly Visit<TransferStatus>[]): LifecycleDrawing {
  return draw<TransferStatus, TransferAction>(transferLifecycle, transferLayout, visits);
}

export function drawBatch(visits: readonly Visit<BatchStatus>[]): LifecycleDrawing {
  return draw<BatchStatus, BatchAction>(batchLifecycle, batchLayout, visits);
}

function draw<Status extends string, Action extends string>(
  lifecycle: Lifecycle<Status, Action>,
  layout: Layout<Status>,
  visits: readonly Visit<Status>[],
): LifecycleDrawing {
  const transitions = listTransitions(lifecycle);
  const statuses = Object.keys(layout) as Status[];
  const states = statuses.map((status) => ({ status, ...cornerOf(layout[status]), ...placeOf(status, visits) }));
  const moves = statuses.flatMap((from) =>
    statuses.flatMap((to) => {
      const actions = transitions.filter((move) => move.from === from && move.to === to).map(({ action }) => action);
      if (actions.length === 0) return [];
      const label = actions.join(" · ");
      return { from, to, label, ...wayOf(layout[from], layout[to]), times: countMoves(visits, from, to) };
    }),
  );
  const top = Math.min(0, ...moves.map(({ labelY }) => labelY - LETTERS.above));
  const bottom = Math.max(
    ...states.map(({ y }) => y + STATE_HEIGHT + MARGIN),
    ...moves.map(({ labelY }) => labelY + LETTERS.below),
  );
  const width = Math.max(...states.map(({ x }) => x + STATE_WIDTH + MARGIN));
  return { width, height: bottom - top, top, states, moves };
}

function placeOf(status: string, visits: readonly Visit[]): Pick<DrawnState, "place" | "at"> {
  const last = visits.findLast((visit) => visit.status === status);
  if (last === undefined) return { place: "never", at: undefined };
  return { place: visits.at(-1)?.status === status ? "now" : "passed", at: last.at ?? undefined };
}

function countMoves(visits: readonly Visit[], from: string, to: string): number {
  return visits.filter(({ status }, index) => status === to && visits[index - 1]?.status === from).length;
}

function cornerOf([column, row]: readonly [number, number]) {
  return { x: MARGIN + column * COLUMN, y: MARGIN + row * ROW };
}

/** Along a row straight on, over what stands between; to another row down and then across; from a state to itself around its edge. */
function wayOf(from: readonly [number, number], to: readonly [number, number]) {
  const start = cornerOf(from);
  const end = cornerOf(to);
  const middle = { x: start.x + STATE_WIDTH / 2, y: start.y + STATE_HEIGHT / 2 };
  const across = end.y + STATE_HEIGHT / 2;
  if (start.x === end.x && start.y === end.y) return loopOf(from, start);
  if (start.y !== end.y) {
    const path = `M${middle.x} ${start.y + STATE_HEIGHT}V${across}H${end.x}`;
    return { path, labelX: middle.x + 8, labelY: across - 7, anchor: "start" as const };
  }
  if (to[0] - from[0] === 1) {
    const left = start.x + STATE_WIDTH;
    const path = `M${left} ${middle.y}H${end.x}`;
    return { path, labelX: (left + end.x) / 2, labelY: middle.y - 7, anchor: "middle" as const };
  }
  const far = end.x + STATE_WIDTH / 2;
  const path = `M${middle.x} ${start.y}C${middle.x} ${start.y - 38} ${far} ${start.y - 38} ${far} ${start.y}`;
  return { path, labelX: (middle.x + far) / 2, labelY: start.y - 33, anchor: "middle" as const };
}

/** Above what stands at the beginning, where nothing goes over it; below all others. */
function loopOf([column]: readonly [number, number], { x, y }: { readonly x: number; readonly y: number }) {
  const middle = x + STATE_WIDTH / 2;
  const [edge, out] = column === 0 ? [y, -26] : [y + STATE_HEIGHT, 26];
  const path = `M${middle - 22} ${edge}C${middle - 22} ${edge + out} ${middle + 22} ${edge + out} ${middle + 22} ${edge}`;
  return { path, labelX: middle, labelY: edge + (column === 0 ? -24 : 34), anchor: "middle" as const };
}
