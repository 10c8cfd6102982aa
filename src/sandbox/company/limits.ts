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
    requests: limit("Requests in the journal of a company", 10_000),
    events: limit("Domain events of a company", 100_000),
    deliveries: limit("Deliveries of a company that are over", 100_000),
    // A receiver that never answers must not fill the memory.
    pendingDeliveries: limit("Deliveries of a company that are pending", 100_000),
    companies: limit("Companies opened by their tokens", 1_000),
    companiesPerAddress: limit("Of those, with tenancy, opened from one address", 10),
    idle: duration(60_000)
      .default(30 * DAY_MS)
      .meta({ description: "A company opened by its token is dropped when unused for so long (default 30d)" }),
    // Later requests are left out of the recording and counted.
    recordedRequests: limit("Requests in the recording of --record", 10_000),
  },
  "a mapping of limits",
);
export type SandboxLimits = Readonly<z.output<typeof limits>>;
export const DEFAULT_LIMITS: SandboxLimits = limits.parse({});
