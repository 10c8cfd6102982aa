import type { Agent } from "undici";
import type { Headers } from "../../domain/deliveries/delivery.js";
import { isReceiverAllowed, listsMetadata } from "../../domain/subscriptions/allowed-receivers.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import type { Transport, TransportRequest, TransportResult } from "./transport.js";

/** "answer (cut at 4 KiB)". */
const RESPONSE_BYTES_KEPT = 4096;
/** An answer that goes on beyond this is not read to its end. */
const RESPONSE_BYTES_READ_MAX = 1024 * 1024;

/**
 * POSTs over HTTP with keep-alive. A redirect is an answer like any other and is not followed. The client is loaded with the first delivery: a third of
 * the time that a sandbox takes to load, which many a test never needs.
 */
export function createHttpTransport(system: SystemClock): Transport {
  const agents = new Set<Agent>();
  const shared = new Map<boolean, Agent>();
  const open = async ({ insecureTls, allow }: TransportRequest): Promise<Agent> => {
    const { createAgent } = await import("./http-agent.js");
    // A socket that one company may use is not lent to another that may not.
    const isShared = !listsMetadata(allow);
    const agent = (isShared ? shared.get(insecureTls) : undefined) ?? createAgent(insecureTls, allow);
    agents.add(agent);
    if (isShared) shared.set(insecureTls, agent);
    return agent;
  };
  const done = async (agent: Agent, { insecureTls }: TransportRequest): Promise<void> => {
    if (shared.get(insecureTls) === agent) return;
    agents.delete(agent);
    await agent.destroy();
  };
  return {
    async send(request) {
      const agent = await open(request);
      const start = system.monotonic();
      const outcome = isReceiverAllowed(request.allow, request.url)
        ? await attempt(agent, request, system)
        : failure("refused: webhooks.allow does not permit this host");
      const latencyMs = Math.round((system.monotonic() - start) * 1000) / 1000;
      await done(agent, request);
      // Only then does undici take its socket for free again: a next attempt that begins sooner would open another one.
      await system.breathe();
      return { latencyMs, ...outcome };
    },
    async close() {
      await Promise.all([...agents].map((agent) => agent.destroy()));
      agents.clear();
      shared.clear();
    },
  };
}

type Outcome = Omit<TransportResult, "latencyMs">;

/** What has come of an answer so far. */
interface Received {
  status: number | null;
  headers: Headers;
  readonly start: Buffer[];
}

async function attempt(agent: Agent, request: TransportRequest, system: SystemClock): Promise<Outcome> {
  const { timeoutMs, signal } = request;
  const stop = new AbortController();
  const giveUp = (): void => stop.abort(new Error("given up: the company was reset or closed"));
  const cancelTimeout = system.after(timeoutMs, () => {
    stop.abort(new Error(`timeout: no complete answer within ${timeoutMs} ms`));
  });
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp);
  const received: Received = { status: null, headers: {}, start: [] };
  try {
    await exchange(agent, request, stop.signal, received);
    return outcomeOf(received, errorOfStatus(received.status));
  } catch (error) {
    // Half an answer confirms nothing; what had come of it is kept.
    return outcomeOf(received, describe(stop.signal.aborted ? stop.signal.reason : error));
  } finally {
    cancelTimeout();
    signal.removeEventListener("abort", giveUp);
  }
}

function outcomeOf({ status, headers, start }: Received, error: string | null): Outcome {
  if (status === null) return failure(error ?? "no answer");
  return { status, error, response: { headers, body: Buffer.concat(start).toString("utf8") } };
}

function failure(error: string): Outcome {
  return { status: null, error, response: null };
}

/** "The receiver answers with a 2xx status to confirm receipt." */
function errorOfStatus(status: number | null): string | null {
  if (status === null) return "no answer";
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? `redirect: status ${status} is not followed` : `status ${status} is not 2xx`;
}

async function exchange(
  agent: Agent,
  request: TransportRequest,
  signal: AbortSignal,
  received: Received,
): Promise<void> {
  const url = new URL(request.url);
  const response = await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: "POST",
    headers: { ...credentialsOf(url), ...request.headers },
    body: request.body,
    signal,
  });
  received.status = response.statusCode;
  received.headers = flatten(response.headers);
  let size = 0;
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    if (size < RESPONSE_BYTES_KEPT) received.start.push(chunk.subarray(0, RESPONSE_BYTES_KEPT - size));
    size += chunk.length;
    if (size > RESPONSE_BYTES_READ_MAX) break; // leaving the loop destroys the stream
  }
}

function flatten(headers: Record<string, string | string[] | undefined>): Headers {
  const entries = Object.entries(headers).filter(
    (entry): entry is [string, string | string[]] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]));
}

/** `https://user:password@host/` is HTTP basic authentication, as clients everywhere read it. */
function credentialsOf(url: URL): Record<string, string> {
  if (url.username === "" && url.password === "") return {};
  const credentials = `${decode(url.username)}:${decode(url.password)}`;
  return { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
}

/** A percent sign that begins no escape stands for itself. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The code of the network (`ECONNREFUSED`) and what it says; a happy-eyeballs failure carries one error per address. */
function describe(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? `${error.code}: ${error.message}` : error.message;
}
