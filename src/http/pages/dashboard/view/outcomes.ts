import { RecentMap } from "../../../../kernel/recent-map.js";

/** What an action did, to be shown by the page that follows. */
export interface Outcome {
  readonly id: string;
  readonly ok: boolean;
  /** One line. */
  readonly title: string;
  /** Of a refusal, what was wrong. */
  readonly problems: readonly string[];
  /** For reading, several lines: why a scenario failed. */
  readonly text?: string | undefined;
  /** The same as a command. */
  readonly curl: string;
  /** What the control API answered, as text; empty without a body. */
  readonly answer: string;
}

/** Those of the last actions: a page that is loaded again shows them once more, until there were so many others. */
const KEPT = 50;

export class Outcomes {
  readonly #byId = new RecentMap<string, Outcome>(KEPT);
  #last = 0;

  /** With its id, for the address of the page that shows it. */
  keep(outcome: Omit<Outcome, "id">): Outcome {
    const id = String(++this.#last);
    return this.#byId.set(id, { ...outcome, id });
  }

  find(id: string): Outcome | undefined {
    return this.#byId.get(id);
  }
}
