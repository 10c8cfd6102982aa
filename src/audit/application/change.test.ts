import { describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.js";
import { changeOf, describeDifference, isSameChange } from "./change.js";

const names = (...list: string[]) => new Map(list.map((name, index) => [name, `<order ${index + 1}>`]));

/** Whether two steps of a state are the same but for the order that they are about. */
function isSame(one: readonly [unknown, unknown], other: readonly [unknown, unknown]): boolean {
  return isSameChange(
    changeOf(...one, { names: names("a-1", "a-2") }),
    changeOf(...other, { names: names("b-1", "b-2") }),
  );
}

describe("two changes are the same", () => {
  it.each<[string, [unknown, unknown], [unknown, unknown]]>([
    ["when numbers grow alike", [10, 15], [15, 20]],
    ["when decimals grow alike", [0.1, 0.3], [0.3, 0.5]],
    ["when numbers in texts grow alike, as databases print sums", ["10.50", "11.00"], ["11.00", "11.50"]],
    [
      "when a figure under its header grows alike",
      [
        ["revenue", "5"],
        ["revenue", "10"],
      ],
      [[{ revenue: 2 }], [{ revenue: 7 }]],
    ],
    [
      "when figures under their headers grow alike",
      [
        [
          ["revenue", "count(*)"],
          [1, 5],
        ],
        [
          ["revenue", "count(*)"],
          [2, 6],
        ],
      ],
      [[{ revenue: 2, "count(*)": 3 }], [{ revenue: 3, "count(*)": 4 }]],
    ],
    ["when a count begins, and when it goes on", [{}, { paid: 1 }], [{ paid: 1 }, { paid: 2 }]],
    ["when a count ends", [{ due: 1 }, {}], [{ due: 2 }, { due: 1 }]],
    [
      "when nothing changes",
      [
        [1, { a: null }],
        [1, { a: null }],
      ],
      ["x", "x"],
    ],
    [
      "when orders come under their names",
      [{}, { "a-1": "paid" }],
      [{ "a-1": "paid" }, { "a-1": "paid", "b-1": "paid" }],
    ],
    ["when orders are named in texts", ["", "order a-1"], ["", "order b-1"]],
    ["when a short name is part of other texts", ["pa-1x", "pa-1y"], ["pa-1x", "pa-1y"]],
    ["when items come, wherever they stand", [[], ["a-1"]], [["a-1"], ["b-1", "a-1"]]],
    [
      "when items change, wherever they stand",
      [
        [{ id: "a-1", n: 1 }, 5],
        [{ id: "a-1", n: 2 }, 5],
      ],
      [
        [5, { id: "b-1", n: 3 }],
        [5, { id: "b-1", n: 4 }],
      ],
    ],
    [
      "when a row of a table of counts begins, and when it goes on",
      [
        [["paid", 1]],
        [
          ["paid", 1],
          ["refunded", 1, "10.00"],
        ],
      ],
      [[["refunded", 1, "10.00"]], [["refunded", 2, "20.00"]]],
    ],
    [
      "when a row of a table of counts has zeros, and when it is not there",
      [[], [{ status: "paid", count: 1 }]],
      [
        [
          { status: "due", count: 1 },
          { status: "paid", count: 0 },
        ],
        [
          { status: "due", count: 1 },
          { status: "paid", count: 1 },
        ],
      ],
    ],
    ["when members come in another order", [{}, { x: { a: 1, b: "2" } }], [{}, { x: { b: "2", a: 1 } }]],
  ])("%s", (_, one, other) => {
    expect(isSame(one, other)).toBe(true);
  });
});

describe("two changes are not the same", () => {
  it.each<[string, [unknown, unknown], [unknown, unknown]]>([
    ...[
      [["status", "count(*)"]],
      // A row for the sum, with a text and no figure.
      [["in all", "none"]],
      // A table before it, of the same form.
      [
        ["currency", "status", "count"],
        ["XOF", "paid", 7],
        ["currency", "status", "count"],
      ],
      [["", 30]],
      [["due", 3, null]],
      ["orders of shop 7"],
      ["# TYPE orders_total gauge"],
      [],
    ].map((header): [string, [unknown, unknown], [unknown, unknown]] => {
      const table = (paid: number, refunded: number): unknown => [
        ...header,
        ["XOF", "paid", paid],
        ["XOF", "refunded", refunded],
      ];
      return [
        `when another count of a table grows, with ${JSON.stringify(header)}`,
        [table(3, 1), table(4, 1)],
        [table(4, 1), table(4, 2)],
      ];
    }),
    [
      "when the text of a row beside counts changes",
      [
        [
          ["paid", 1],
          ["newest", "due"],
        ],
        [
          ["paid", 2],
          ["newest", "paid"],
        ],
      ],
      [
        [
          ["paid", 2],
          ["newest", "due"],
        ],
        [
          ["paid", 3],
          ["newest", "due"],
        ],
      ],
    ],
    ["when numbers grow otherwise", [10, 15], [15, 19]],
    ["when one changes and the other does not", [1, 1], [1, 2]],
    ["when a text becomes another", [{ "a-1": "due" }, { "a-1": "paid" }], [{ "b-1": "due" }, { "b-1": "dropped" }]],
    [
      "when a number stands in another column",
      [[], [["a-1", 0, 1]]],
      [
        [["a-1", 0, 1]],
        [
          ["a-1", 0, 1],
          ["b-1", 1, 0],
        ],
      ],
    ],
    ["when an item comes twice", [[], ["a-1"]], [["a-1"], ["a-1", "b-1", "b-1"]]],
    ["when another order changes", [{}, { "a-1": 1 }], [{}, { "b-2": 1 }]],
    ["when something is null that was missing", [{}, { x: null }], [{}, {}]],
    ["when false becomes 0", [{ x: false }, { x: 0 }], [{ x: 0 }, { x: 0 }]],
    [
      "when one of several orders with a sum of 0 gets another status",
      [
        [
          ["paid", 0],
          ["due", 0],
        ],
        [
          ["paid", 0],
          ["paid", 0],
        ],
      ],
      [
        [
          ["paid", 0],
          ["due", 0],
        ],
        [
          ["paid", 0],
          ["due", 0],
        ],
      ],
    ],
  ])("%s", (_, one, other) => {
    expect(isSame(one, other)).toBe(false);
  });
});

describe("the difference of two changes", () => {
  const differenceOf = (expected: readonly [unknown, unknown], actual: readonly [unknown, unknown]) =>
    describeDifference(changeOf(...expected), changeOf(...actual));

  it("has each place, with the actual and the expected change", () => {
    const expected = [
      { revenue: 0, orders: { x: "due" }, list: [] },
      { revenue: 10, orders: { x: "paid" }, list: [1] },
    ] as const;
    const actual = [
      { revenue: 0, orders: { x: "due" }, list: [] },
      { revenue: 20, orders: {}, list: [1, 1] },
    ] as const;
    expect(differenceOf(expected, actual)).toEqual([
      'orders.x: "due" is gone, should be "due" → "paid"',
      "revenue: +20, should be +10",
      "list[]#2: +1, should be unchanged",
    ]);
  });

  it("is short for any state", () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`n${index}`, "x".repeat(1000)]));
    const lines = differenceOf([{}, {}], [{}, many]);
    expect(lines).toHaveLength(9);
    expect(lines.at(-1)).toBe("and 92 more");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(200);
  });

  it("of the whole value is named as the value", () => {
    expect(differenceOf([1, 2], [1, 3])).toEqual(["the value: +2, should be +1"]);
  });
});

describe("any state", () => {
  const names = ["order-a1", "charge-b2"] as const;
  const text = fc.oneof(fc.string(), fc.constantFrom(...names, `of ${names[0]}`, "5", "7.50"));
  const state = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie("any"), { maxLength: 4 }),
      fc.dictionary(text, tie("any"), { maxKeys: 4 }),
    ),
  })).any;
  const asPlaces = { names: new Map(names.map((name, index) => [name, `<${index}>`])) };

  it("is unchanged when it is equal", () => {
    fc.assert(fc.property(state, (one) => isSameChange(changeOf(one, structuredClone(one), asPlaces), [])));
  });

  it("has the same change for the same events about other orders", () => {
    const others = ["another1", "another2"] as const;
    const renamed = (value: unknown): unknown =>
      JSON.parse(
        names.reduce((json, name, index) => json.replaceAll(name, others[index] ?? ""), JSON.stringify(value)),
      );
    const otherPlaces = { names: new Map(others.map((name, index) => [name, `<${index}>`])) };
    fc.assert(
      fc.property(state, state, (before, after) =>
        isSameChange(changeOf(before, after, asPlaces), changeOf(renamed(before), renamed(after), otherPlaces)),
      ),
    );
  });

  it("has a described difference exactly when there is one", () => {
    fc.assert(
      fc.property(state, state, state, (before, one, other) => {
        const [expected, actual] = [changeOf(before, one, asPlaces), changeOf(before, other, asPlaces)];
        return describeDifference(expected, actual).length > 0 !== isSameChange(expected, actual);
      }),
    );
  });
});
