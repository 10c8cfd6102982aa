import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DueQueue } from "./due-work.js";
import { Table } from "./table.js";
import { UnitOfWork } from "./unit-of-work.js";

interface Pet {
  readonly id: string;
  readonly seq: number;
  readonly name: string;
}

const pet = (seq: number, name: string): Pet => ({ id: `p${seq}`, seq, name });
const names = ["Rex", "Max", "Bo"] as const;

function createStores() {
  return {
    pets: new Table<Pet, "name">("pets", { name: (row) => row.name }),
    others: new Table<Pet>("others"),
    due: new DueQueue(),
  };
}

type Stores = ReturnType<typeof createStores>;

/** Everything that a reader can see of the stores. */
function look({ pets, others, due }: Stores) {
  return {
    pets: [...pets.values()],
    found: names.map((name) => pets.findBy("name", name)),
    others: [...others.values()],
    due: due.values(),
    next: due.peek(),
  };
}

const change = fc.record({
  store: fc.constantFrom("pets", "others", "due"),
  kind: fc.constantFrom("put", "remove"),
  seq: fc.integer({ min: 0, max: 5 }),
  name: fc.constantFrom(...names),
});

type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

function apply(unit: UnitOfWork, stores: Stores, { store, kind, seq, name }: Change): void {
  if (store === "due") {
    const item = { id: `p${seq}`, seq, dueAt: name.length, kind: "ring", subject: name };
    if (kind === "put") unit.put(stores.due, item);
    else unit.remove(stores.due, item.id);
  } else if (kind === "put") unit.put(stores[store], pet(seq, name));
  else unit.remove(stores[store], `p${seq}`);
}

describe("UnitOfWork", () => {
  it("shows its changes at once and reports them in order", () => {
    const { pets } = createStores();
    const unit = new UnitOfWork();
    unit.put(pets, pet(1, "Rex"));
    unit.put(pets, pet(1, "Max"));
    unit.remove(pets, "p1");
    unit.remove(pets, "p1");
    expect(pets.size).toBe(0);
    expect(unit.commit()).toEqual([
      { store: pets, before: undefined, after: pet(1, "Rex") },
      { store: pets, before: pet(1, "Rex"), after: pet(1, "Max") },
      { store: pets, before: pet(1, "Max"), after: undefined },
    ]);
  });

  it("restores everything when it is rolled back", () => {
    const changes = fc.array(change, { maxLength: 20 });
    fc.assert(
      fc.property(changes, changes, (earlier, taken) => {
        const stores = createStores();
        const first = new UnitOfWork();
        for (const one of earlier) apply(first, stores, one);
        first.commit();
        const before = look(stores);

        const unit = new UnitOfWork();
        for (const one of taken) apply(unit, stores, one);
        unit.rollback();

        expect(look(stores)).toEqual(before);
        expect(unit.commit()).toEqual([]);
      }),
    );
  });
});
