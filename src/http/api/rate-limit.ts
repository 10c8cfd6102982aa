import { touchSettings } from "../../domain/profile/track-profile.js";
import type { Company } from "../../sandbox/company/company.js";

/** How many ms of the company's time until a request is admitted again; undefined when this one is. */
export type AdmitRequest = (company: Company) => number | undefined;

/** "Request rate limits: not shown." Spans follow one another on the company's clock, the first begins with the first request. */
export function createRateLimit(): AdmitRequest {
  const spans = new WeakMap<Company, { startedAt: number; requests: number }>();
  return (company) => {
    const limit = company.profile.rateLimit;
    if (limit === null) return undefined;
    touchSettings(["rateLimit"]);
    const now = company.now();
    const current = spans.get(company);
    const span =
      current === undefined || now - current.startedAt >= limit.perMs ? { startedAt: now, requests: 0 } : current;
    spans.set(company, span);
    if (span.requests >= limit.requests) return span.startedAt + limit.perMs - now;
    span.requests++;
    return undefined;
  };
}
