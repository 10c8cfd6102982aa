/**
 * The shortest cycle through each node that is on one, as `[a, b, a]`; nodes of an earlier cycle are left out. Searches from every node, which is
 * fast enough for a few hundred files.
 */
export function findCycles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const knotted = new Set<string>();
  for (const start of [...edges.keys()].sort()) {
    if (knotted.has(start)) continue;
    const cycle = shortestPathBack(edges, start);
    if (cycle === undefined) continue;
    cycles.push(cycle);
    for (const node of cycle) knotted.add(node);
  }
  return cycles;
}

function shortestPathBack(edges: ReadonlyMap<string, readonly string[]>, start: string): string[] | undefined {
  const paths: string[][] = [[start]];
  const seen = new Set<string>();
  for (const path of paths) {
    for (const next of edges.get(path.at(-1) ?? "") ?? []) {
      if (next === start) return [...path, start];
      if (seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return undefined;
}
