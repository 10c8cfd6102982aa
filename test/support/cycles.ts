/**
 * The shortest cycle through each node that lies on one, written `[a, b, a]`, but none for a node that an earlier cycle has already shown.
 * A graph of a few hundred files is small enough for a search from every node.
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
