import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byDueThenSeq, type DueItem, DueQueue } from "./due-work.js";

const item = (id: string, dueAt: number, seq: number): DueItem => ({ id, dueAt, seq, kind: "ring", subject: id });

/** Removes all items in order, as an advance does. */
function drain(queue: DueQueue<string>): string[] {
  const order: string[] = [];
  for (let next = queue.peek(); next !== undefined; next = queue.peek()) {
    order.push(next.id);
    queue.delete(next.id);
  }
  return order;
}

describe("DueQueue", () => {
  it("is empty at first", () => {
    const queue = new DueQueue();
    expect(queue.peek()).toBeUndefined();
    expect(queue.size).toBe(0);
  });

  it("returns the earliest item first, and equal instants in the order in which they were scheduled", () => {
    const queue = new DueQueue();
    for (const one of [item("c", 20, 1), item("b", 10, 3), item("a", 10, 2)]) queue.set(one);
    expect(queue.peek()?.id).toBe("a");
    expect(queue.values().map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(drain(queue)).toEqual(["a", "b", "c"]);
  });

  it("forgets the old instant of an item that is scheduled again", () => {
    const queue = new DueQueue();
    queue.set(item("a", 10, 1));
    queue.set(item("b", 20, 2));
    queue.set(item("a", 30, 3));
    expect(queue.get("a")?.dueAt).toBe(30);
    expect(drain(queue)).toEqual(["b", "a"]);
  });

  it("accepts an item again unchanged, as after a rollback", () => {
    const queue = new DueQueue();
    const original = item("a", 10, 1);
    queue.set(original);
    queue.delete("a");
    expect(queue.peek()).toBeUndefined();
    queue.set(original);
    expect(drain(queue)).toEqual(["a"]);
    expect(queue.size).toBe(0);
  });

  it("keeps the order of thousands while others are added and deleted", () => {
    const queue = new DueQueue();
    for (let n = 0; n < 5_000; n++) queue.set(item(`late-${n}`, 100 + n, n));
    for (let n = 0; n < 100; n++) queue.set(item(`early-${n}`, 99 - n, 5_000 + n));
    for (let n = 0; n < 5_000; n += 2) queue.delete(`late-${n}`);
    const order = drain(queue);
    expect(order).toHaveLength(2_600);
    expect([order[0], order[99], order[100], order.at(-1)]).toEqual(["early-99", "early-0", "late-1", "late-4999"]);
    queue.set(item("a", 10, 9_000));
    expect(queue.peek()?.id).toBe("a");
  });

  it("is a list sorted by instant, then seq, under any mix of changes", () => {
    const id = fc.integer({ min: 0, max: 20 }).map(String);
    const change = fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("set"), id, dueAt: fc.integer({ min: 0, max: 9 }) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete"), id, dueAt: fc.constant(0) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("pop"), id, dueAt: fc.constant(0) }) },
    );
    fc.assert(
      // Long enough for the heap to be rebuilt on the way.
      fc.property(fc.array(change, { maxLength: 400, size: "max" }), (changes) => {
        const queue = new DueQueue();
        const model = new Map<string, DueItem>();
        const sorted = (): DueItem[] => [...model.values()].sort(byDueThenSeq);
        for (const [seq, one] of changes.entries()) {
          const target = one.kind === "pop" ? sorted()[0]?.id : one.id;
          if (one.kind === "set") {
            queue.set(item(one.id, one.dueAt, seq));
            model.set(one.id, item(one.id, one.dueAt, seq));
          } else if (target !== undefined) {
            queue.delete(target);
            model.delete(target);
          }
          expect(queue.peek()).toEqual(sorted()[0]);
        }
        expect(queue.size).toBe(model.size);
        expect(queue.values()).toEqual(sorted());
        expect(drain(queue)).toEqual(sorted().map((one) => one.id));
      }),
      { numRuns: 30 },
    );
  });
});
