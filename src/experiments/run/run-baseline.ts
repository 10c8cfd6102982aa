import type { OperationId } from "../../contract/operations.js";
import { pluralize } from "../../kernel/messages/text.js";
import type { RunLimits, RunOnce, RunResult } from "./experiment.js";
import { type Baseline, findBaseline } from "./oracle.js";

/** The time limit of a run is this many times what the command takes without a fault, and at least {@link TIMEOUT_MIN_MS}. */
const TIMES_BASELINE = 10;
const TIMEOUT_MIN_MS = 10_000;
/** The time limit of the command without a fault. */
const BASELINE_MAX_MS = 10 * 60_000;

/** Thrown when the command line is right, but the command's runs cannot be judged. */
export class Inconclusive extends Error {
  /** What the command printed, where that may explain why. */
  readonly printed: string;

  constructor(message: string, printed = "") {
    super(message);
    this.printed = printed;
  }
}

/** How long a run may take, and what may end it early. */
export interface BaselineOptions {
  /** Undefined means that the limit is derived from the time that the command takes without a difference. */
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal;
  /** How many runs at a time. */
  readonly workers: number;
}

/**
 * Runs the command twice without a difference, a third time when it did not do the same, and with several workers twice more at the same time. Throws
 * {@link Inconclusive} when it fails, never calls the sandbox, or remembers its work.
 */
export async function runBaseline(
  runOnce: RunOnce,
  { timeoutMs, signal, workers }: BaselineOptions,
): Promise<{ readonly baseline: Baseline; readonly timeoutMs: number }> {
  const limits: RunLimits = { timeoutMs: timeoutMs ?? BASELINE_MAX_MS, signal };
  const run = (number: number): Promise<RunResult> => runOnce({ id: `baseline-${number}`, rules: [] }, limits);
  const one = await run(1);
  assertUsable(one, limits);
  const two = await run(2);
  assertUsable(two, limits, `It was so in the second run only. ${REMEMBERS}`);
  const difference = describeDifferentWork(one, two);
  if (difference !== undefined) {
    const three = await run(3);
    assertUsable(three, limits, `It was so in the third run only. ${REMEMBERS}`);
    // Work that differs each time is due to chance.
    if (describeDifferentWork(two, three) === undefined)
      throw new Inconclusive(`${difference} ${REMEMBERS}`, two.printed);
  }
  const simultaneous = workers > 1 ? await Promise.all([run(4), run(5)]) : [];
  for (const each of simultaneous) {
    assertUsable(each, limits, SHARES);
    const other = describeDifferentWork(one, each);
    if (difference === undefined && other !== undefined) throw new Inconclusive(`${other} ${SHARES}`, each.printed);
  }
  const longest = Math.max(one.ms, two.ms);
  const chosenMs = timeoutMs ?? Math.max(TIMEOUT_MIN_MS, 1_000 * Math.ceil((TIMES_BASELINE * longest) / 1_000));
  return { baseline: findBaseline(one, two), timeoutMs: chosenMs };
}

const MADE: Readonly<Record<string, ReadonlySet<OperationId>>> = {
  payout: new Set(["createTransaction", "createBatch"]),
  charge: new Set(["createCharge"]),
  subscription: new Set(["createWebhook"]),
};

const REMEMBERS = "Does it keep something between runs, such as a database? Let it begin anew each time.";
const SHARES =
  "It was so when it ran twice at the same time. Do runs share a port or a database? Separate them, or leave out the workers.";

/**
 * Says what one run made more often than the other; undefined when both made as much. A command that remembers its work does not do all of it again, so
 * later runs would offer fewer points for faults.
 */
function describeDifferentWork(one: RunResult, two: RunResult): string | undefined {
  for (const [name, operations] of Object.entries(MADE)) {
    // A request that is sent again counts once, and a refused one does not count.
    const made = ({ seen }: RunResult): number => {
      const accepted = seen.requests.filter(({ operation, status }) => operations.has(operation) && status < 400);
      return new Set(accepted.map(({ key, about }) => `${key} ${about}`)).size;
    };
    const [first, later] = [made(one), made(two)];
    if (first !== later)
      return `The command makes ${pluralize(first, name)} in its first run, and ${later} in later ones.`;
  }
  return undefined;
}

/** `hint` says what may be wrong if an earlier run was usable. */
function assertUsable(run: RunResult, limits: RunLimits, hint?: string): void {
  if (limits.signal.aborted) throw new Inconclusive("It was stopped before the command had run without a fault.");
  const why = whyUnusable(run, limits);
  if (why !== undefined) throw new Inconclusive(hint === undefined ? why : `${why} ${hint}`, run.printed);
}

function whyUnusable(
  { exitCode, timedOut, crash, seen, holds }: RunResult,
  { timeoutMs }: RunLimits,
): string | undefined {
  if (timedOut)
    return `The command fails without any fault: it did not end within ${timeoutMs / 1000} s. Give it longer with --timeout.`;
  if (exitCode !== 0) {
    const how = crash === null ? `it ended with ${exitCode}` : `it crashed (${crash})`;
    return `The command fails without any fault: ${how}. Make it pass first, with \`npx business-payments-sandbox exec\`.`;
  }
  if (seen.requests.length === 0)
    return "The sandbox was never called, or only with unknown paths. Does the command call the address in SANDBOX_URL, with the paths of the API?";
  if (!seen.requests.some(({ status }) => status >= 200 && status < 300)) {
    const statuses = [...new Set(seen.requests.map(({ status }) => status))].join(", ");
    return `The sandbox accepted no request of the command: it answered ${statuses}. Does the command use SANDBOX_ACCESS_TOKEN and SANDBOX_COMPANY_ID?`;
  }
  if (holds === false)
    return "--check fails without any fault. It must exit with 0 within --timeout after a run in which all is well.";
  return undefined;
}
