import { describe, expect, it } from "vitest";
import { createIdSource, type IdSource } from "./ids.js";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const draw = (ids: IdSource, count: number): string[] => Array.from({ length: count }, () => ids.uuid());

describe.each([
  ["without a seed", undefined],
  ["with a seed", 7],
])("ids %s", (_, seed) => {
  it("have the shapes that are promised", () => {
    const ids = createIdSource(seed, "company");
    for (const uuid of draw(ids, 50)) expect(uuid).toMatch(UUID_V4);
    expect(ids.short("evt")).toMatch(/^evt_[\w-]{21}$/);
    expect(ids.hex32()).toMatch(/^[0-9a-f]{32}$/);
  });

  it("do not repeat", () => {
    const ids = createIdSource(seed, "company");
    expect(new Set(draw(ids, 2_000)).size).toBe(2_000);
  });
});

describe("seeded ids", () => {
  it("are the same for the same seed and name, in the same order", () => {
    const story = (ids: IdSource): string[] => [ids.uuid(), ids.short("del"), ids.hex32(), ids.uuid()];
    expect(story(createIdSource(7, "company"))).toEqual(story(createIdSource(7, "company")));
  });

  it.each([
    ["seed", 8, "company"],
    ["name", 7, "other"],
  ])("differ for another %s", (_, seed, name) => {
    const ids = draw(createIdSource(7, "company"), 20);
    const others = draw(createIdSource(seed, name), 20);
    expect(ids.filter((id) => others.includes(id))).toEqual([]);
  });

  it("go on where a stored position says, so that none comes twice", () => {
    const ids = createIdSource(7, "company");
    draw(ids, 5);
    const later = createIdSource(7, "company", ids.position);
    expect(draw(later, 3)).toEqual(draw(createIdSource(7, "company"), 8).slice(5));
  });
});

it("ids without a seed have no position to store, and differ from one source to the next", () => {
  const ids = createIdSource(undefined, "company");
  const first = ids.uuid();
  expect(ids.position).toBe(0);
  expect(createIdSource(undefined, "company").uuid()).not.toBe(first);
});
