import type { Answer, TestWorld } from "../../support/world.js";

/** A finding as `GET /_sandbox/findings` shows it. */
export interface ShownFinding {
  readonly kind: string;
  readonly severity: string;
  readonly why: string;
  readonly fix: string;
  readonly requests: readonly {
    readonly id: string;
    readonly method: string;
    readonly path: string;
    readonly summary: string;
  }[];
}

export async function findingsOf({ control }: Pick<TestWorld, "control">): Promise<readonly ShownFinding[]> {
  return (await control("GET", "/findings?limit=1000")).body.data;
}

export async function kindsOf(world: Pick<TestWorld, "control">): Promise<readonly string[]> {
  return (await findingsOf(world)).map(({ kind }) => kind);
}

/** Makes the calls one after the other, and returns their statuses. */
export async function inTurn(count: number, call: (index: number) => Promise<Answer>): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index++) statuses.push((await call(index)).status);
  return statuses;
}
