import { parseRequest } from "../../contract/parse.js";
import {
  type Verified,
  followingDeliveries,
  matchesRequest,
  verifyRequests,
} from "../../sandbox/observation/verify-requests.js";
import type { JournalEntry } from "../../sandbox/observation/journal.js";
import { pagingParameters } from "./control-fields.js";
import { listOf, listQuery } from "./control-lists.js";
import type { CompanyCall, ControlRoute } from "./control-route.js";
import { renderNearMiss, renderRequest } from "./render-request.js";
import { matchOfFilters, requestFilters, requestParameters, verification } from "./request-match.js";

const requestsQuery = listQuery(requestFilters);

/** "the journal (Authorization and secrets redacted)": what the client under test asked, and what it was answered. */
export const requestsRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/requests",
    company: "selected",
    query: [...pagingParameters, ...requestParameters],
    handle: listRequests,
  },
  {
    method: "DELETE",
    path: "/requests",
    company: "selected",
    success: 204,
    handle: ({ sandbox, company }) => sandbox.observationOf(company.id).journal.clear(),
  },
  { method: "POST", path: "/requests/verify", company: "selected", takes: "json", handle: verify },
];

function listRequests({ sandbox, company, query }: CompanyCall) {
  const { limit, cursor, ...filters } = parseRequest(requestsQuery, query, "query");
  const { journal } = sandbox.observationOf(company.id);
  const match = matchOfFilters(filters);
  const where = (entry: JournalEntry): boolean => matchesRequest(match, entry);
  const page = listOf(journal.entries, { limit, cursor }, { where }, (entry) => entry);
  const deliveriesOf = followingDeliveries(company.world, journal, page.data);
  const redactor = sandbox.redactor;
  return { ...page, data: page.data.map((entry) => renderRequest(entry, deliveriesOf(entry), redactor)) };
}

/** "→ 200 | 422 with the nearest misses". */
function verify({ sandbox, company, body, refuse }: CompanyCall): unknown {
  const order = parseRequest(verification, body);
  const entries = sandbox.observationOf(company.id).journal.entries.values();
  const verified = verifyRequests(entries, order);
  const found = { matched: verified.matched.length, requests: verified.matched.map(({ id }) => id) };
  if (verified.missed === undefined) return found;
  const redactor = sandbox.redactor;
  const nearest = verified.nearest.map((miss) => renderNearMiss(miss, redactor));
  const messages = [
    redactor.text(explain(verified, verified.missed, entries.length)),
    ...nearest.map(({ diff }) => diff),
  ];
  return refuse({ status: 422, messages, more: { ...found, nearest } });
}

/** Of those that match, a message names as many. */
const NAMED_MAX = 20;

function explain({ matched, nearest }: Verified, wanted: string, total: number): string {
  const named = matched.slice(0, NAMED_MAX).map(({ id }) => id);
  const more = matched.length - named.length;
  const which = named.length === 0 ? "" : ` (${named.join(", ")}${more > 0 ? ` and ${more} more` : ""})`;
  const of = total === 0 ? "no request came at all" : `${matched.length} of ${total} match${which}`;
  return `Matching requests: expected ${wanted}, but ${of}${nearest.length === 0 ? "" : ". The nearest of the others:"}`;
}
