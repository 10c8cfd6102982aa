import { type HttpExchange, headerOf } from "../../adapters/har/http-exchange.js";
import { reasonOf } from "../../kernel/messages/problem.js";
import { readBytes } from "../../kernel/messages/read-text.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { REQUEST_TIMEOUT_MS, createRemoteTarget } from "../../scenarios/run/remote-target.js";
import { runScenario } from "../../scenarios/run/replay.js";
import type { Credentials } from "../../scenarios/run/world.js";
import { COPIED_BYTES_MAX } from "../proxy/body-copy.js";
import { createExchangeRedactor } from "../proxy/redact-exchange.js";
import type { ChosenProbe } from "./choose-probes.js";

export interface ProbeTarget extends Credentials {
  /** Requests go to this address and nowhere else. Without a slash at the end. */
  readonly url: string;
}

export interface RunProbesOptions {
  readonly target: ProbeTarget;
  readonly system: SystemClock;
  readonly signatureHeader: string;
  /** Ends the probes early; what was recorded until then is returned. */
  readonly signal: AbortSignal;
  /** Called before each probe. */
  readonly onProbe: (probe: ChosenProbe, index: number) => void;
  /** Called when the target limits the rate, with the time that the next request waits. */
  readonly onWait: (ms: number) => void;
  /** Called when the target limits the rate for too long, so that the probes end. */
  readonly onGiveUp: () => void;
}

/** The pause between two requests: at most five are sent a second. */
const PAUSE_MS = 200;
/** A request that waits longer than this in total for the target's rate limit ends the probes. */
const WAIT_MAX_MS = 120_000;
/** How long to wait when the target does not say. */
const WAIT_MS = 1_000;

/** Plays the probes at the target, one request at a time, and returns the traffic without credentials. A request that gets no answer ends its probe. */
export async function runProbes(
  probes: readonly ChosenProbe[],
  { target: credentials, system, signatureHeader, signal, onProbe, onWait, onGiveUp }: RunProbesOptions,
): Promise<readonly HttpExchange[]> {
  const redact = createExchangeRedactor({ secretKey: credentials.secretKey, signatureHeader, fields: [] });
  const recorded: HttpExchange[] = [];
  const limited = new AbortController();
  const stop = AbortSignal.any([signal, limited.signal]);
  const record = async (request: Request): Promise<Response> => {
    const { method, url } = request;
    const body = request.body === null ? undefined : new Uint8Array(await request.clone().arrayBuffer());
    const sent = { startedAt: system.now(), method, url, headers: [...request.headers], body };
    const started = system.monotonic();
    const keep = (end: Pick<HttpExchange, "answer" | "comment">): void =>
      void recorded.push(redact({ ...sent, ms: system.monotonic() - started, ...end }, "service"));
    const { status, headers, bytes } = await ask(request).catch((error: unknown) => {
      if (!stop.aborted) keep({ answer: undefined, comment: reasonOf(error) });
      throw error;
    });
    keep({ answer: { status, headers: [...headers], body: bytes } });
    // A Response with the status 204 or 304 must have no body.
    return new Response(bytes.length === 0 ? null : bytes, { status, headers });
  };
  const paced: typeof fetch = async (input, init) => {
    let waitedMs = 0;
    for (;;) {
      await system.sleep(PAUSE_MS, stop);
      // Replaces the signal of `init`, so that waits do not count towards the timeout.
      const ends = AbortSignal.any([stop, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
      const response = await record(new Request(input, { ...init, signal: ends }));
      if (response.status !== 429) return response;
      const waitMs = waitOf(response, system);
      waitedMs += Math.max(waitMs, PAUSE_MS);
      if (waitedMs > WAIT_MAX_MS) {
        onGiveUp();
        limited.abort(new Error("The target's rate limit leaves no room."));
      } else onWait(waitMs);
      stop.throwIfAborted();
      await system.sleep(waitMs, stop);
    }
  };
  const target = createRemoteTarget({ ...credentials, system, fetch: paced });
  for (const [index, probe] of probes.entries()) {
    if (stop.aborted) break;
    onProbe(probe, index);
    await runScenario(target, probe.scenario, `probe ${index}`, { system, seed: undefined, env: {}, signal: stop });
  }
  return recorded;
}

/** An answer that is longer than what the proxy copies counts as none. */
async function ask(request: Request) {
  const response = await fetch(request);
  const { status, headers } = response;
  return { status, headers, bytes: await readBytes(response, COPIED_BYTES_MAX) };
}

/** `Retry-After` is a number of seconds or a date (RFC 9110, 10.2.3). */
function waitOf(response: Response, system: SystemClock): number {
  const text = headerOf([...response.headers], "retry-after") ?? "";
  const seconds = Number(text);
  const ms = Number.isNaN(seconds) ? Date.parse(text) - system.now() : seconds * 1_000;
  return ms > 0 ? ms : WAIT_MS;
}
