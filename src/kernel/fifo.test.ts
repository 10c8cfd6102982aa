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
});
