import { describe, expect, it } from "vitest";
import { chargeLifecycle } from "../../../../domain/model/charge.js";
import { batchLifecycle, transferLifecycle } from "../../../../domain/model/transfer.js";
import { listTransitions } from "../../../../kernel/lifecycle.js";
import {
  type LifecycleDrawing,
  STATE_HEIGHT,
  STATE_WIDTH,
  drawBatch,
  drawCharge,
  drawTransfer,
} from "./lifecycle-drawing.js";

const placesOf = ({ states }: LifecycleDrawing) =>
  Object.fromEntries(states.map(({ status, place }) => [status, place]));
const takenOf = ({ moves }: LifecycleDrawing) =>
  moves.filter(({ times }) => times > 0).map(({ from, to, times }) => `${from} → ${to} ${times}`);

describe("a lifecycle's drawing", () => {
  it.each([
    ["charge", drawCharge([]), listTransitions(chargeLifecycle)],
    ["transfer", drawTransfer([]), listTransitions(transferLifecycle)],
    ["batch", drawBatch([]), listTransitions(batchLifecycle)],
  ] as [string, LifecycleDrawing, object[]][])(
    "has every state and every move of a %s, and nothing else",
    (_, drawing, transitions) => {
      const drawn = drawing.moves.flatMap(({ from, to, label }) =>
        label.split(" · ").map((action) => ({ from, action, to })),
      );
      expect(drawn).toHaveLength(transitions.length);
      expect(drawn).toEqual(expect.arrayContaining(transitions));
      const states = new Set(drawn.flatMap(({ from, to }) => [from, to]));
      expect(new Set(drawing.states.map(({ status }) => status))).toEqual(states);
    },
  );

  it.each([drawCharge([]), drawTransfer([]), drawBatch([])])(
    "keeps its states and its words apart and inside",
    (drawing) => {
      for (const { labelY } of drawing.moves) {
        expect(labelY).toBeGreaterThan(drawing.top);
        expect(labelY).toBeLessThan(drawing.top + drawing.height);
      }
      for (const [index, { x, y }] of drawing.states.entries()) {
        expect(x).toBeGreaterThanOrEqual(0);
        expect(y).toBeGreaterThanOrEqual(drawing.top);
        expect(x + STATE_WIDTH).toBeLessThanOrEqual(drawing.width);
        expect(y + STATE_HEIGHT).toBeLessThanOrEqual(drawing.top + drawing.height);
        for (const other of drawing.states.slice(index + 1))
          expect(Math.abs(other.x - x) >= STATE_WIDTH || Math.abs(other.y - y) >= STATE_HEIGHT).toBe(true);
      }
    },
  );

  it("shows the way that a charge took, and when", () => {
    const drawing = drawCharge([
      { status: "due", at: 1 },
      { status: "due", at: 2 },
      { status: "due", at: 3 },
      { status: "paid", at: 4 },
      { status: "refunded_partially", at: 5 },
      { status: "refunded", at: 6 },
    ]);
    expect(placesOf(drawing)).toEqual({
      due: "passed",
      paid: "passed",
      refunded_partially: "passed",
      refunded: "now",
      dropped: "never",
    });
    expect(takenOf(drawing)).toEqual([
      "due → due 2",
      "due → paid 1",
      "paid → refunded_partially 1",
      "refunded_partially → refunded 1",
    ]);
    expect(drawing.states.map(({ at }) => at)).toEqual([3, 4, 5, 6, undefined]);
  });

  it("knows where a transfer is also when its times are not known any more", () => {
    const drawing = drawTransfer([
      { status: "pending", at: 1 },
      { status: "failed", at: null },
    ]);
    expect(placesOf(drawing)).toEqual({ pending: "passed", completed: "never", failed: "now" });
    expect(drawing.states.at(-1)?.at).toBeUndefined();
  });
});
