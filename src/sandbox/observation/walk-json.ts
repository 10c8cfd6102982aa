/**
 * Everything that a JSON value holds, from its end to its start, however deep it goes: names of members, scalars, and `{` or `[` where a value begins.
 * A list and no generator: every request is walked, and most are small.
 */
export function leavesOf(value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [value];
  const leaves: unknown[] = [];
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (Array.isArray(next)) {
      leaves.push("[");
      for (const item of next) left.push(item);
    } else if (typeof next === "object" && next !== null) {
      leaves.push("{");
      for (const [name, member] of Object.entries(next)) left.push(name, member);
    } else {
      leaves.push(next);
    }
  }
  return leaves;
}
