import { systemClock } from "../../kernel/system-clock.js";
import type { Log } from "../../kernel/log.js";
import type { Narrator } from "../../sandbox/narrate.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { RunningServer } from "../../http/server/listen.js";

/** How long requests and deliveries in flight are waited for, together. A container is usually given 10 s. */
const GRACE_MS = 5_000;

/** Who tells of the end. */
export interface Tellers {
  readonly log: Log;
  readonly narrator: Narrator;
}

/** No new requests; those in flight get their answer; deliveries in flight finish. All that for a bounded time. */
export async function stopGracefully(
  server: RunningServer,
  sandbox: Sandbox,
  { log, narrator }: Tellers,
): Promise<void> {
  const { system, companies } = sandbox;
  const startedAt = system.monotonic();
  const msLeft = (): number => Math.max(0, GRACE_MS - (system.monotonic() - startedAt));
  narrator.catchUp();
  log.write("info", "stopping", describe(inFlight(sandbox)));
  await Promise.race([server.close(), new Promise<void>((resolve) => system.after(msLeft(), resolve))]);
  await Promise.all(companies.map(({ dispatcher }) => dispatcher.quietWithin(system, msLeft())));
  const givenUp = inFlight(sandbox);
  if (givenUp > 0) log.write("warn", "deliveries-given-up", { count: givenUp });
  server.cutOff();
  await sandbox.close();
  narrator.stop();
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

/**
 * Resolves at the first SIGINT or SIGTERM. At the next one the process ends at once, with the code a shell expects of that signal. As process
 * 1 of a container nobody else would react to them.
 */
export function nextStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (exitCode: number): void => {
      if (firstAt === undefined) {
        firstAt = systemClock.monotonic();
        resolve();
      } else if (!isEcho(firstAt)) {
        process.exit(exitCode);
      }
    };
    process.on("SIGINT", () => onSignal(130));
    process.on("SIGTERM", () => onSignal(143));
  });
}

/** npm and npx hand on the Ctrl-C that the terminal has already sent to every process: two signals, one key. */
function isEcho(firstAt: number): boolean {
  return process.env["npm_command"] !== undefined && systemClock.monotonic() - firstAt < ECHO_MS;
}

const ECHO_MS = 100;
