import type { HeaderList, HttpExchange } from "../adapters/har/http-exchange.js";
import type { Attempt, Delivery, Headers } from "../domain/model/delivery.js";
import type { Company } from "./company/company.js";
import type { Exchange } from "./company/exchange.js";
import { redactStart } from "../kernel/messages/text.js";
import { type Redactor, redactPath } from "./observation/redact.js";
import type { JournalEntry } from "./observation/journal.js";
import { type RequestMatch, matchesRequest } from "./observation/verify-requests.js";
import type { Sandbox } from "./sandbox.js";

/**
 * A company's requests and delivery attempts in the form of an HTTP archive, without credentials. They are sorted by the company's time; at the same time
 * a webhook follows the request that caused it. With `match` only the requests that match.
 */
export function archiveOf(sandbox: Sandbox, company: Company, match?: RequestMatch): Iterable<HttpExchange> {
  const source = { publicUrl: sandbox.publicUrl, redactor: sandbox.redactorOf(company) };
  const entries = sandbox.observationOf(company.id).journal.entries.values();
  const requests = match === undefined ? entries : entries.filter((entry) => matchesRequest(match, entry));
  const placed = requests.map((entry, place) => ({
    at: entry.at,
    place,
    archive: () => archiveRequest(source, entry),
  }));
  let before = 0;
  for (const delivery of match === undefined ? company.world.deliveries.values() : []) {
    while ((requests[before]?.made.from ?? Infinity) < delivery.seq) before++;
    for (const attempt of delivery.attempts) {
      placed.push({ at: attempt.at, place: before - 0.5, archive: () => archiveAttempt(source, delivery, attempt) });
    }
  }
  return render(placed.toSorted((a, b) => a.at - b.at || a.place - b.place));
}

/** Renders one exchange at a time. The company may be removed meanwhile. */
function* render(placed: readonly { readonly archive: () => HttpExchange }[]): Generator<HttpExchange> {
  for (const { archive } of placed) yield archive();
}

/** Calls `add` for each request to the API and each delivery attempt of all companies, in the order in which they end. A reset removes none. */
export function watchArchive(sandbox: Sandbox, add: (exchange: HttpExchange) => void): void {
  sandbox.events.on("exchange", ({ exchange }) => {
    add(archiveRequest(sandbox, { ...exchange, fate: "written" }));
  });
  sandbox.events.on("attempted", ({ delivery, attempt }) => {
    add(archiveAttempt(sandbox, delivery, attempt));
  });
}

interface Source {
  readonly publicUrl: string;
  readonly redactor: Redactor;
}

type Recorded = Pick<
  Exchange & JournalEntry,
  | "at"
  | "method"
  | "path"
  | "headers"
  | "body"
  | "rawBody"
  | "status"
  | "answer"
  | "answerHeaders"
  | "rule"
  | "fault"
  | "fate"
>;

function archiveRequest({ publicUrl, redactor }: Source, entry: Recorded): HttpExchange {
  const { at, method, path, headers, body, rawBody, status, answer, answerHeaders, rule, fault, fate } = entry;
  return {
    startedAt: at,
    ms: 0,
    method,
    url: publicUrl + redactPath(path, redactor),
    headers: listHeaders(headers, redactor),
    body: rawBody === undefined ? bytesOf(body, redactor) : Buffer.from(redactor.text(rawBody)),
    answer:
      status === 0 || fault !== undefined || fate === "lost"
        ? undefined
        : {
            status,
            headers: listHeaders(answerHeaders, redactor),
            body: bytesOf(answer, redactor) ?? new Uint8Array(),
          },
    comment: rule === undefined ? undefined : redactor.text(`rule ${rule.name ?? rule.id}`),
  };
}

function archiveAttempt({ redactor }: Source, delivery: Delivery, attempt: Attempt): HttpExchange {
  const { at, latencyMs, status, error, requestHeaders, response } = attempt;
  return {
    startedAt: at,
    ms: latencyMs,
    method: "POST",
    url: redactor.text(delivery.url),
    headers: listHeaders(requestHeaders, redactor),
    body: Buffer.from(redactor.text(delivery.body)),
    answer:
      status === null
        ? undefined
        : {
            status,
            headers: listHeaders(response?.headers ?? {}, redactor),
            body: Buffer.from(redactStart(response?.body ?? "", redactor.text)),
          },
    comment: redactor.text(`webhook ${delivery.topic}${error === null ? "" : `: ${error}`}`),
  };
}

function listHeaders(headers: Headers, redactor: Redactor): HeaderList {
  return Object.entries(redactor.headers(headers));
}

function bytesOf(value: unknown, redactor: Redactor): Uint8Array | undefined {
  return value === undefined ? undefined : Buffer.from(JSON.stringify(redactor.value(value)));
}
