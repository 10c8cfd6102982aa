/** Like `Map.groupBy`, which Node 20 does not have. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Like `Math.min`, which overflows the stack when it is called with some 100 000 values. */
export function minOf(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Infinity);
}

/** Like `Math.max`, for any number of values. */
export function maxOf(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), -Infinity);
}

/** How many items have each key. */
export function countBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, number> {
  return new Map([...groupBy(items, keyOf)].map(([key, { length }]) => [key, length]));
}

/** The items that `these` have beyond those with the same keys in `those`. */
export function surplus<Item>(these: readonly Item[], those: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const left = countBy(those, keyOf);
  return these.filter((item) => {
    const count = left.get(keyOf(item)) ?? 0;
    left.set(keyOf(item), count - 1);
    return count <= 0;
  });
}
