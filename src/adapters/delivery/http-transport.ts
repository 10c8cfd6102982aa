import { Agent, type Dispatcher } from "undici";
import type { Headers } from "../../domain/deliveries/delivery.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import type { Transport, TransportRequest, TransportResult } from "./transport.js";

/** Sockets to one receiver; more attempts than that wait in the dispatcher, not here. */
export const CONNECTIONS_PER_RECEIVER = 64;
/** "answer (cut at 4 KiB)". */
const RESPONSE_BYTES_KEPT = 4096;
/** An answer that goes on beyond this is not read to its end. */
const RESPONSE_BYTES_READ_MAX = 1024 * 1024;

/** POSTs over HTTP with keep-alive. A redirect is an answer like any other and is not followed. */
export function createHttpTransport(system: SystemClock): Transport {
  const agents = new Map<boolean, Agent>();
  const agentFor = (insecureTls: boolean): Agent => {
    const agent = agents.get(insecureTls) ?? createAgent(insecureTls);
    agents.set(insecureTls, agent);
    return agent;
  };
  return {
    async send(request) {
      const start = system.monotonic();
      const result = await attempt(agentFor(request.insecureTls), request);
      return { ...result, latencyMs: Math.round((system.monotonic() - start) * 1000) / 1000 };
    },
    async close() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
      agents.clear();
    },
  };
}

function createAgent(insecureTls: boolean): Agent {
  return new Agent({
    connections: CONNECTIONS_PER_RECEIVER,
    // One request on a socket at a time: an attempt must not wait behind a receiver's slow answer to another.
    pipelining: 1,
    keepAliveTimeout: 4_000,
    // The time-out of an attempt is its signal's; undici's own would cut a longer `webhooks.timeout` short.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { rejectUnauthorized: !insecureTls, timeout: 0 },
  });
}

type Outcome = Omit<TransportResult, "latencyMs">;

async function attempt(agent: Agent, request: TransportRequest): Promise<Outcome> {
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = AbortSignal.any([timeout, request.signal]);
  const url = new URL(request.url);
  try {
    const response = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: "POST",
      headers: { ...credentialsOf(url), ...request.headers },
      body: request.body,
      signal,
    });
    const body = await readStart(response);
    const { statusCode: status } = response;
    const kept = { headers: flatten(response.headers), body };
    return { status, error: errorOfStatus(status), response: kept };
  } catch (error) {
    if (timeout.aborted) return failure(`timeout: no complete answer within ${request.timeoutMs} ms`);
    if (request.signal.aborted) return failure("given up: the company was reset or closed");
    return failure(describe(error));
  }
}

function failure(error: string): Outcome {
  return { status: null, error, response: null };
}

/** "The receiver answers with a 2xx status to confirm receipt." */
function errorOfStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? `redirect: status ${status} is not followed` : `status ${status} is not 2xx`;
}

async function readStart(response: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = [];
  let read = 0;
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    if (read < RESPONSE_BYTES_KEPT) chunks.push(chunk);
    read += chunk.length;
    if (read > RESPONSE_BYTES_READ_MAX) break; // leaving the loop destroys the stream
  }
  return Buffer.concat(chunks).subarray(0, RESPONSE_BYTES_KEPT).toString("utf8");
}

function flatten(headers: Record<string, string | string[] | undefined>): Headers {
  const entries = Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]));
}

/** `https://user:password@host/` is HTTP basic authentication, as clients everywhere read it. */
function credentialsOf(url: URL): Record<string, string> {
  if (url.username === "" && url.password === "") return {};
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
}

/** The code of the network (`ECONNREFUSED`) and what it says; a happy-eyeballs failure carries one error per address. */
function describe(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return `${code}: ${error.message}`;
}
