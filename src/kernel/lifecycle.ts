/**
 * A lifecycle is a table, and the table is the only door: `{status: {action: [possible outcomes]}}`. When data decides between
 * outcomes they are all declared, and the actual one is checked against them.
 */
export type Lifecycle<Status extends string, Action extends string> = {
  readonly [S in Status]: { readonly [A in Action]?: readonly Status[] };
};

/** Says where you are and what you may do from there. */
export class IllegalTransition extends Error {
  override readonly name = "IllegalTransition";

  constructor(entity: string, status: string, action: string, allowed: readonly string[]) {
    const next = allowed.length > 0 ? `From there you can: ${allowed.join(", ")}.` : "That is a final state.";
    super(`Failed to ${action} the ${entity}: it is "${status}". ${next}`);
  }
}

export function canMove<S extends string, A extends string>(table: Lifecycle<S, A>, status: S, action: A): boolean {
  return table[status][action] !== undefined;
}

/** The status after `action`, or an {@link IllegalTransition}. `outcome` picks one of several declared outcomes. */
export function nextStatus<S extends string, A extends string>(
  table: Lifecycle<S, A>,
  entity: string,
  status: S,
  action: A,
  outcome?: S,
): S {
  const outcomes = table[status][action];
  const chosen = outcome ?? outcomes?.[0];
  if (chosen === undefined || !outcomes?.includes(chosen)) {
    throw new IllegalTransition(entity, status, action, Object.keys(table[status]));
  }
  moves?.push({ entity, from: status, action, to: chosen });
  return chosen;
}

/** One edge that something went along. */
export interface Move {
  readonly entity: string;
  readonly from: string;
  readonly action: string;
  readonly to: string;
}

/** Notes every move that a synchronous stretch makes, of whatever lifecycle: the table is the only door, so none is missed. */
export function collectMoves<T>(into: Move[], run: () => T): T {
  const outer = moves;
  moves = into;
  try {
    return run();
  } finally {
    moves = outer;
  }
}

/** Whose stretch it is. One for the process is enough, since a stretch is synchronous. */
let moves: Move[] | undefined;

export function statusesOf<S extends string>(table: Readonly<Record<S, unknown>>): S[] {
  return Object.keys(table) as S[];
}

/** Every edge of the table: for documentation, coverage and property tests. */
export function listTransitions<S extends string, A extends string>(
  table: Lifecycle<S, A>,
): { from: S; action: A; to: S }[] {
  const from = Object.keys(table) as S[];
  return from.flatMap((status) =>
    (Object.keys(table[status]) as A[]).flatMap((action) =>
      (table[status][action] ?? []).map((to) => ({ from: status, action, to })),
    ),
  );
}
