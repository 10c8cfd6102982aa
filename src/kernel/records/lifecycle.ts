/**
 * A lifecycle is a table: `{status: {action: [possible outcomes]}}`. When data decides between outcomes they are all declared, and the actual one
 * is checked against them.
 */
export type Lifecycle<Status extends string, Action extends string> = {
  readonly [S in Status]: { readonly [A in Action]?: readonly Status[] };
};

/** Names the present status and the actions that are possible. */
export class IllegalTransition extends Error {
  override readonly name = "IllegalTransition";

  constructor(entity: string, status: string, action: string, allowed: readonly string[]) {
    const next = allowed.length > 0 ? `From there you can: ${allowed.join(", ")}.` : "That is a final state.";
    super(`Failed to ${action} the ${entity}: it is "${status}". ${next}`);
  }
}

/** One edge of a lifecycle that a record has taken. */
export interface Move {
  readonly entity: string;
  readonly from: string;
  readonly action: string;
  readonly to: string;
}

/** Records the moves of one unit of work. */
export interface MoveLog {
  recordMove(move: Move): void;
}

/** The status after `action`, or an {@link IllegalTransition}. `outcome` picks one of several declared outcomes. */
export function nextStatus<S extends string, A extends string>(
  log: MoveLog,
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
  log.recordMove({ entity, from: status, action, to: chosen });
  return chosen;
}

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
