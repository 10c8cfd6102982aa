import { UsageError } from "../../../../kernel/problem.js";
import { quote } from "../../../../kernel/text.js";

/** For the page of one thing that is not there: forgotten, of another company, or never made. */
export function foundOr<T>(found: T | undefined, what: string, id: string, more = ""): T {
  if (found !== undefined) return found;
  throw new UsageError("not-found", `This company has no ${what} ${quote(id)}.${more}`);
}
