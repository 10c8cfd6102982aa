import type { Log } from "../kernel/log.js";
import { Bug } from "../kernel/messages/problem.js";
import { pluralize } from "../kernel/messages/text.js";

const REPORTED_MAX = 5;

/** Collects bugs of the sandbox. Closing the sandbox throws an error with them. */
export function createBugLog(): Log & { assertNone(): void } {
  const reported: string[] = [];
  let count = 0;
  return {
    write(_, event, fields = {}) {
      if (event !== "bug") return;
      count++;
      const { error, ...where } = fields;
      if (reported.length < REPORTED_MAX) reported.push(`${JSON.stringify(where)}\n${String(error)}`);
    },
    assertNone() {
      if (count === 0) return;
      throw new Bug(
        `The sandbox hit ${pluralize(count, "bug")} of its own while it ran. Please report this:\n${reported.join("\n")}`,
      );
    },
  };
}
