import type { Identity } from "../company-state.js";
import { chain, createRedactor, type Guarded, type Redactor, redactorOf, textsOf } from "./redact.js";

/** Secrets that came since, of which a redactor is made beside the large one: that one takes milliseconds when there are thousands of companies. */
const RECENT_MAX = 64;

/** As `redactorOf`, for many lines over a long time: always of the credentials as they are, and made anew only when those have changed. */
export function createLineRedactor(guarded: Guarded): () => Redactor {
  let known = new WeakSet<Identity>();
  let recent: string[] = [];
  let retirements = -1;
  let settled: Redactor = createRedactor([]);
  let current = settled;
  return () => {
    const fresh = guarded.companies.map(({ record }) => record.identity).filter((identity) => !known.has(identity));
    // Whoever came and went between two lines is among those that are retired.
    const isOutdated = guarded.retired.count !== retirements;
    if (fresh.length === 0 && !isOutdated) return current;
    recent.push(...fresh.flatMap(textsOf));
    if (isOutdated || recent.length > RECENT_MAX) {
      retirements = guarded.retired.count;
      known = new WeakSet(guarded.companies.map(({ record }) => record.identity));
      recent = [];
      settled = current = redactorOf(guarded);
    } else {
      for (const identity of fresh) known.add(identity);
      current = chain(settled, createRedactor(recent));
    }
    return current;
  };
}
