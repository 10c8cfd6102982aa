import fc from "./fast-check.js";
import type { LooseJson } from "./world.js";

/** Values that a field may have in a state that no sandbox wrote. */
const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1,
    0.5,
    0.00001,
    5000,
    1e14,
    1e15,
    Number.MAX_SAFE_INTEGER,
    1e21,
    "",
    " ",
    "x",
    "a/b",
    "__proto__",
    "800000000000",
    "txn_",
    "running",
    "pending",
    "completed",
    "failed",
    "paid",
    "dropped",
    "refunded",
    "1969-12-31T23:59:59.999Z",
    "1970-01-01T00:00:00.000Z",
    "2026-01-15T09:00:00.001Z",
    "9999-12-31T23:59:59.999Z",
    "+010000-01-01T00:00:00.000Z",
    "+275760-09-13T00:00:00.000Z",
    [],
    {},
  ),
  fc.string(),
);

interface Mutation {
  /** Chooses the kind of place, and another one of it for `swap`. */
  readonly at: number;
  readonly change: "replace" | "swap" | "remove" | "repeat";
  /** The first value with the type of the present one is used, or else the first. */
  readonly values: readonly unknown[];
  /** Chooses the place among those of its kind. */
  readonly from: number;
}

export const stateMutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.record({
    at: fc.nat(),
    change: fc.constantFrom("replace", "swap", "remove", "repeat"),
    values: fc.array(hostile, { minLength: 1, maxLength: 9 }),
    from: fc.nat(),
  }),
  { minLength: 1, maxLength: 2 },
);

interface Place {
  readonly holder: LooseJson;
  readonly key: string | number;
}

/** The state with one field after the other replaced, swapped, removed or repeated. */
export function mutateState(state: LooseJson, mutations: readonly Mutation[]): LooseJson {
  const mutated = structuredClone(state);
  for (const { at, change, values, from } of mutations) {
    // Choose the kind of place first, so that long tables do not get all mutations.
    const all = placesIn(mutated);
    // The subject of an event is only shown, so it is left out.
    const kinds = [...new Set(all.map(({ path }) => path))].filter((path) => !path.startsWith(".events[].subject."));
    const places = all.filter(({ path }) => path === kinds[at % kinds.length]);
    const place = places[from % places.length];
    if (place === undefined) continue;
    const { holder, key } = place;
    if (change === "replace") holder[key] = values.find((one) => typeof one === typeof holder[key]) ?? values[0];
    else if (change === "swap") {
      const other = places[at % places.length] ?? place;
      [holder[key], other.holder[other.key]] = [other.holder[other.key], holder[key]];
    } else if (!Array.isArray(holder)) delete holder[key];
    else if (change === "remove") holder.splice(Number(key), 1);
    else holder.splice(Number(key), 0, structuredClone(holder[Number(key)]));
  }
  return mutated;
}

/** Every member and item, with its path without indexes. */
function placesIn(value: LooseJson, path = ""): (Place & { path: string })[] {
  if (typeof value !== "object" || value === null) return [];
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
  return [...keys].flatMap((key) => {
    const below = typeof key === "number" ? `${path}[]` : `${path}.${key}`;
    return [{ holder: value, key, path: below }, ...placesIn(value[key], below)];
  });
}
