import { once } from "node:events";
import { constants } from "node:os";
import { systemClock } from "../../kernel/time/system-clock.js";
import type { Log } from "../../kernel/log.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { RunningServer } from "../../http/server/listen.js";

/** The time for requests and deliveries in flight. Containers usually have 10 s to stop. */
const GRACE_MS = 5_000;
/** The same when another process has taken over the store: requests in flight only have to be refused. */
const GRACE_LOST_MS = 500;

/**
 * Reports that it is not ready and goes on answering for `drainMs`, so that a proxy notices. Then it refuses new requests, and waits a bounded time for
 * answers and deliveries in flight.
 */
export async function stopGracefully(
  server: RunningServer,
  sandbox: Sandbox,
  { log, flushLog, drainMs }: { readonly log: Log; readonly flushLog: () => void; readonly drainMs: number },
): Promise<void> {
  const { system, companies } = sandbox;
  sandbox.isStopping = true;
  const isLost = sandbox.store.lost.aborted;
  const graceMs = isLost ? GRACE_LOST_MS : GRACE_MS;
  const msLeft = (): number => Math.max(0, graceMs - (system.monotonic() - startedAt));
  flushLog();
  log.write("info", "stopping", describe(inFlight(sandbox)));
  if (!isLost && drainMs > 0) await system.sleep(drainMs);
  const startedAt = system.monotonic();
  await Promise.race([server.close(), new Promise<void>((resolve) => system.after(msLeft(), resolve))]);
  // The process that has taken over the store sends what is pending.
  if (!isLost) await Promise.all(companies.map(({ dispatcher }) => dispatcher.quietWithin(msLeft())));
  const cancelled = inFlight(sandbox);
  if (cancelled > 0) log.write("warn", "deliveries-given-up", { count: cancelled });
  server.cutOff();
  await sandbox.close();
  flushLog();
  log.write("info", "stopped");
}

function describe(deliveriesInFlight: number): Readonly<Record<string, unknown>> {
  if (deliveriesInFlight === 0) return { deliveriesInFlight };
  const webhooks = deliveriesInFlight === 1 ? "a webhook" : `${deliveriesInFlight} webhooks`;
  return { deliveriesInFlight, message: `stopping when ${webhooks} in flight ended, or at the next signal` };
}

function inFlight({ companies }: Sandbox): number {
  return companies.reduce((sum, { dispatcher }) => sum + dispatcher.outstanding.length, 0);
}

/** The signals that ask a process to end: Ctrl-C, a service manager, a terminal that was closed, Ctrl-\. */
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** Calls `listener` at each signal to stop, instead of ending the process. The returned function removes the listener. */
export function onStopSignal(listener: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of STOP_SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, listener);
  };
}

/** The shell's code for a process that the signal ended. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Resolves at the first signal to stop. The next one exits immediately, with the shell's code for the signal. */
export function nextStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    onStopSignal((signal) => {
      if (firstAt === undefined) {
        firstAt = systemClock.monotonic();
        resolve();
      } else if (!isForwardedAgain(systemClock.monotonic() - firstAt)) {
        process.exit(exitCodeOfSignal(signal));
      }
    });
  });
}

/** How long the last output waits for a reader. */
const UNREAD_OUTPUT_MS = 1_000;

/** Ends the process soon after its work, even when nobody reads its output: a full pipe would keep it alive for ever. */
export function exitDespiteUnreadOutput(): void {
  systemClock.after(UNREAD_OUTPUT_MS, () => process.exit());
}

/** Resolves when another process has taken over the store. */
export async function whenStoreLost({ store: { lost } }: Sandbox): Promise<void> {
  if (!lost.aborted) await once(lost, "abort");
}

/** Whether a second signal is the same Ctrl-C: npm and npx forward it although the terminal has already sent it to every process. */
function isForwardedAgain(msLater: number): boolean {
  return process.env["npm_command"] !== undefined && msLater < 100;
}
