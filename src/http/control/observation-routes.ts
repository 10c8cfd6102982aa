import * as z from "zod";
import type { HttpExchange } from "../../adapters/har/http-exchange.js";
import { harParts } from "../../adapters/har/write-har.js";
import type { DomainEvent } from "../../domain/model/events.js";
import { word } from "../../kernel/fields.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { quote } from "../../kernel/messages/text.js";
import { archiveOf } from "../../sandbox/archive.js";
import type { Company } from "../../sandbox/company/company.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { FindingRow } from "../../sandbox/findings/findings.js";
import type { JournalEntry } from "../../sandbox/observation/journal.js";
import { redactCoverage, renderCoverageMarkdown } from "../../sandbox/coverage/render-coverage.js";
import {
  type RequestMatch,
  type Verification,
  type Verified,
  followingDeliveries,
  matchesRequest,
  verifyRequests,
} from "../../sandbox/observation/verify-requests.js";
import { headersFor, respond } from "../api/answer.js";
import { reachCompany } from "../shared/caller.js";
import { makeReady, whenReady } from "../shared/company.js";
import { CompanyLimit } from "../shared/company-limit.js";
import {
  type CompanyCall,
  type ControlRoute,
  listQuery,
  listRoute,
  pageOf,
  pageQuery,
  route,
  sandboxRoute,
} from "./control-route.js";
import { renderEvent } from "./render-control.js";
import { renderNearMiss, renderRequest } from "./render-request.js";
import { matchOfFilters, requestFilters, verification } from "./request-match.js";

/** The most HTTP archives of a company that may be sent at the same time: each holds a list of what it will send. */
export const ARCHIVES_MAX = 10;

/** What the sandbox has seen: requests, findings about them, coverage of the contract, and events. */
export function observationRoutes(): readonly ControlRoute[] {
  const full = `${ARCHIVES_MAX} HTTP archives are being sent already, which is the most. Read one to its end.`;
  const archives = new CompanyLimit(ARCHIVES_MAX, full);
  return [
    // The journal: what the client under test requested, and how it was answered, without secrets.
    route(
      "GET /requests",
      { query: listQuery({ ...requestFilters, format: word(["json", "har"]).default("json") }) },
      async ({ sandbox, company, ended, gate, query: { limit, cursor, format, ...filters } }) => {
        const { journal } = sandbox.observationOf(company.id);
        const match = matchOfFilters(filters);
        if (format === "har") {
          gate.after(archives.begin(company.id));
          return answerHar(sandbox, company, Object.keys(match).length === 0 ? undefined : match);
        }
        const where = (entry: JournalEntry): boolean => matchesRequest(match, entry);
        const page = pageOf({ rows: journal.entries, where, render: (entry) => entry }, { limit, cursor });
        const deliveriesOf = followingDeliveries(company.world, journal, page.data);
        // The company may be removed meanwhile, and its secrets be in use where it was moved.
        const redactor = sandbox.redactorOf(company);
        const takeTurns = sandbox.longWork.begin(company.id, { inOneGo: true });
        const left = ended();
        const data: unknown[] = [];
        for (const entry of page.data) {
          await takeTurns();
          if (left.aborted) break;
          data.push(renderRequest(entry, deliveriesOf(entry), redactor));
        }
        return { ...page, data };
      },
    ),
    route("DELETE /requests", {}, ({ sandbox, company }) => sandbox.observationOf(company.id).journal.clear()),
    route("POST /requests/verify", { body: verification }, verify),
    // `{kind, severity, why, fix, requests: [{id, method, path, summary}]}`, oldest first.
    listRoute("/findings", pageQuery, ({ sandbox, company }) => ({
      rows: sandbox.observationOf(company.id).findings.rows,
      render: ({ finding }: FindingRow) => finding,
    })),
    // What the client under test has covered of the contract. `?company=*`: the clients of all companies together.
    sandboxRoute(
      "GET /coverage",
      { company: "all", query: z.object({ format: word(["json", "md"], { suggest: true }).default("json") }) },
      async ({ sandbox, caller, company, query }) => {
        const { coverage: book } = sandbox;
        const ofAll = async () => {
          for (const one of sandbox.companies) await makeReady(one);
          return book.ofAllInTurns(sandbox.companies, sandbox.longWork.begin(""));
        };
        // Another tenant's company may have got the id meanwhile.
        const find = ({ id }: Company) => reachCompany(sandbox, caller, id);
        const seen = await (company === undefined ? ofAll() : whenReady(company, find, (ready) => book.of(ready)));
        const coverage = redactCoverage(seen, company === undefined ? sandbox.redactor : sandbox.redactorOf(company));
        if (query.format === "json") return coverage;
        const headers = { "content-type": "text/markdown; charset=utf-8" };
        return respond(sandbox, company, {
          status: 200,
          body: undefined,
          text: renderCoverageMarkdown(coverage),
          headers,
        });
      },
    ),
    // Domain events in order. `after` is the id of the last event that was seen; empty means from the first one.
    listRoute("/events", listQuery({ after: z.string().default("") }), ({ company, query: { after } }) => {
      const seen = after === "" ? 0 : getEvent(company, after).seq;
      return {
        rows: company.world.events,
        where: ({ seq }: DomainEvent) => seq > seen,
        render: (event: DomainEvent) => renderEvent(event, company.profile),
      };
    }),
  ];
}

/** The whole journal and all delivery attempts as an HTTP archive, or only the requests that match. */
function answerHar(sandbox: Sandbox, company: Company, match: RequestMatch | undefined): Response {
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "content-disposition": `attachment; filename="${company.id}.har"`,
  };
  const takeTurns = sandbox.longWork.begin(company.id);
  const body = ReadableStream.from(encodeHar(archiveOf(sandbox, company, match), takeTurns));
  return new Response(body, { headers: { ...headersFor(sandbox, company), ...headers } });
}

/** Lets other work of the process run in between. */
async function* encodeHar(
  exchanges: Iterable<HttpExchange>,
  takeTurns: () => Promise<void> | undefined,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  await takeTurns();
  for (const part of harParts(exchanges)) {
    yield encoder.encode(part);
    await takeTurns();
  }
}

/** Answers 200, or 422 with the nearest misses. */
async function verify({ sandbox, company, body, refuse }: CompanyCall<undefined, Verification>): Promise<unknown> {
  const redactor = sandbox.redactorOf(company);
  const entries = sandbox.observationOf(company.id).journal.entries.values();
  const takeTurns = sandbox.longWork.begin(company.id, { inOneGo: true });
  const verified = await verifyRequests(entries, body, sandbox.system, takeTurns);
  const found = { matched: verified.matched.length, requests: verified.matched.map(({ id }) => id) };
  if (verified.missed === undefined) return found;
  const nearest: ReturnType<typeof renderNearMiss>[] = [];
  for (const miss of verified.nearest) {
    nearest.push(renderNearMiss(miss, redactor));
    await takeTurns();
  }
  const message = redactor.text(explain(verified, verified.missed, entries.length));
  return refuse({ status: 422, messages: [message, ...nearest.map(({ diff }) => diff)], more: { ...found, nearest } });
}

/** A message names at most this many of the requests that match. */
const NAMED_MAX = 20;

function explain({ matched, nearest }: Verified, wanted: string, total: number): string {
  const named = matched.slice(0, NAMED_MAX).map(({ id }) => id);
  const more = matched.length - named.length;
  const which = named.length === 0 ? "" : ` (${named.join(", ")}${more > 0 ? ` and ${more} more` : ""})`;
  const of = total === 0 ? "no request came at all" : `${matched.length} of ${total} match${which}`;
  return `Matching requests: expected ${wanted}, but ${of}${nearest.length === 0 ? "" : ". The nearest of the others:"}`;
}

function getEvent({ world: { events }, deps }: Company, id: string): DomainEvent {
  const found = events.get(id) ?? events.get(`evt_${id}`);
  if (found !== undefined) return found;
  const kept = `The last ${deps.limits.events} are kept; without after they come from the first`;
  throw new UsageError("not-found", `No event has the id ${quote(id)}. ${kept}.`);
}
