import type { Log } from "../kernel/log.js";
import { Bug } from "../kernel/problem.js";

/** Of many, these are told: one is enough to report. */
const TOLD_MAX = 5;

/** In a test nobody reads a log. What the sandbox would write there of bugs of its own is kept for whoever closes it. */
export function createBugLog(): Log & { assertNone(): void } {
  const told: string[] = [];
  let count = 0;
  return {
    write(_, event, fields = {}) {
      if (event !== "bug") return;
      count++;
      const { error, ...where } = fields;
      if (told.length < TOLD_MAX) told.push(`${JSON.stringify(where)}\n${String(error)}`);
    },
    assertNone() {
      if (count === 0) return;
      throw new Bug(
        `The sandbox met ${count} ${count === 1 ? "bug" : "bugs"} of its own while it ran. Please report this:\n${told.join("\n")}`,
      );
    },
  };
}
