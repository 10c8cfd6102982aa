/** Everything that a JSON value holds, from its end to its start, however deep it goes: names of members, scalars, and `{` or `[` where a value begins. */
export function* walkJson(value: unknown): Generator<unknown, void, undefined> {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (Array.isArray(next)) {
      yield "[";
      for (const item of next) left.push(item);
    } else if (typeof next === "object" && next !== null) {
      yield "{";
      for (const [name, member] of Object.entries(next)) left.push(name, member);
    } else {
      yield next;
    }
  }
}
