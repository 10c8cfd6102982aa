import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.js";
import { Fifo } from "./fifo.js";

describe("Fifo", () => {
  it("gives back what it was given, in that order, however pushes and shifts mix", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat())), (steps) => {
        const fifo = new Fifo<number>();
        const model: number[] = [];
        for (const step of steps) {
          if (step === null) {
            expect(fifo.shift()).toBe(model.shift());
          } else {
            fifo.push(step);
            model.push(step);
          }
          expect(fifo.size).toBe(model.length);
        }
      }),
    );
  });

  it("gives up what is taken out, and keeps the order of the rest", () => {
    const fifo = new Fifo<number>();
    for (let n = 0; n < 6; n++) fifo.push(n);
    expect(fifo.shift()).toBe(0);
    for (let n = 6; n < 9; n++) fifo.push(n);
    expect(fifo.remove((n) => n % 2 === 1)).toEqual([1, 3, 5, 7]);
    fifo.push(9);
    expect(fifo.size).toBe(5);
    expect([fifo.shift(), fifo.shift(), fifo.shift(), fifo.shift(), fifo.shift(), fifo.shift()]).toEqual([
      2,
      4,
      6,
      8,
      9,
      undefined,
    ]);
  });
});
