import type * as z from "zod";
import { duration, wholeNumber } from "../../kernel/fields.js";
import { mapping } from "../state/file-fields.js";

function limit(what: string, byDefault: number) {
  return wholeNumber(1, 10_000_000)
    .default(byDefault)
    .meta({ description: `${what} (default ${byDefault})` });
}

const DAY_MS = 24 * 60 * 60_000;

/** Limits of records that pile up by themselves; the oldest are forgotten. What clients create (charges, transactions, …) is not limited. */
export const limits = mapping(
  {
    requests: limit("At most this many requests in a company's journal", 10_000),
    events: limit("At most this many domain events of a company", 100_000),
    deliveries: limit("Ended deliveries of a company are removed when it has more deliveries than this", 100_000),
    // A receiver that never answers must not fill the memory.
    pendingDeliveries: limit("At most this many pending deliveries of a company", 100_000),
    companies: limit("At most this many companies opened by autoProvision", 1_000),
    companiesPerAddress: limit("At most this many companies opened from one address, with tenancy", 10),
    idle: duration(60_000)
      .default(30 * DAY_MS)
      .meta({ description: "How long a company that autoProvision opened is kept unused (default 30d)" }),
    // Later requests are left out of the recording and counted.
    recordedRequests: limit("At most this many requests in the recording of --record", 10_000),
  },
  "a mapping of limits",
);
export type SandboxLimits = Readonly<z.output<typeof limits>>;
export const DEFAULT_LIMITS: SandboxLimits = limits.parse({});
