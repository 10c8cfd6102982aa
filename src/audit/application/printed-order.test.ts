import { expect, it } from "vitest";
import { parsePrintedOrder } from "./printed-order.js";

it("takes at most 100 ids for names of an order, its own first", () => {
  const others = Array.from({ length: 1000 }, (_, index) => ({ id: `other-${index}` }));
  const printed = parsePrintedOrder({ others, charge: { id: "c1", externalId: "o1", orderNumber: 7 } }, undefined);
  expect(printed?.names).toHaveLength(100);
  expect(printed?.names.slice(0, 4)).toEqual(["c1", "o1", "7", "other-0"]);
});
