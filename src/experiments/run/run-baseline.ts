import type { OperationId } from "../../contract/operations.js";
import type { RunLimits, RunOnce, RunResult } from "./experiment.js";
import { type Baseline, findBaseline } from "./oracle.js";

/** The limit of a run: so many times what the command takes without a fault, and at least {@link TIMEOUT_MIN_MS}. */
const TIMES_BASELINE = 10;
const TIMEOUT_MIN_MS = 10_000;
/** What the command may take without a fault. */
const BASELINE_MAX_MS = 10 * 60_000;

/** Nothing was wrong with the command line, but the command gives nothing to judge. */
export class Inconclusive extends Error {
  /** What it printed, where that says why. */
  readonly printed: string;

  constructor(message: string, printed = "") {
    super(message);
    this.printed = printed;
  }
}

/** How long a run may take, and what may end it early. */
export interface BaselineOptions {
  /** Undefined: from the time that the command takes without a difference. */
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal;
}

/** Runs the command twice without a difference. Throws {@link Inconclusive} when it fails or never calls the sandbox. */
export async function runBaseline(
  runOnce: RunOnce,
  { timeoutMs, signal }: BaselineOptions,
): Promise<{ readonly baseline: Baseline; readonly timeoutMs: number }> {
  const limits: RunLimits = { timeoutMs: timeoutMs ?? BASELINE_MAX_MS, signal };
  const one = await runOnce({ id: "baseline-1", rules: [] }, limits);
  assertUsable(one, limits);
  const two = await runOnce({ id: "baseline-2", rules: [] }, limits);
  assertBeginsAnew(one, two, limits);
  const longest = Math.max(one.ms, two.ms);
  const chosenMs = timeoutMs ?? Math.max(TIMEOUT_MIN_MS, 1_000 * Math.ceil((TIMES_BASELINE * longest) / 1_000));
  return { baseline: findBaseline(one, two), timeoutMs: chosenMs };
}

const MADE: Readonly<Record<string, ReadonlySet<OperationId>>> = {
  payouts: new Set(["createTransaction", "createBatch"]),
  charges: new Set(["createCharge"]),
  subscriptions: new Set(["createWebhook"]),
};

/** A command that remembers its work does not do it again, so no later run would have anything to fault. */
function assertBeginsAnew(one: RunResult, two: RunResult, limits: RunLimits): void {
  const again = "Does it keep something between runs, such as a database? Let it begin anew each time.";
  try {
    assertUsable(two, limits);
  } catch (error) {
    if (!(error instanceof Inconclusive) || limits.signal.aborted) throw error;
    throw new Inconclusive(`${error.message} It was so in the second run only. ${again}`, error.printed);
  }
  for (const [name, operations] of Object.entries(MADE)) {
    const makes = ({ seen }: RunResult): boolean => seen.requests.some(({ operation }) => operations.has(operation));
    if (makes(one) !== makes(two))
      throw new Inconclusive(`The command makes ${name} in one run, and none in another. ${again}`, two.printed);
  }
}

function assertUsable(
  { exitCode, timedOut, crash, seen, holds, printed }: RunResult,
  { timeoutMs, signal }: RunLimits,
): void {
  if (signal.aborted) throw new Inconclusive("It was stopped before the command had run without a fault.");
  if (timedOut) {
    const limit = `it did not end within ${timeoutMs / 1000} s`;
    throw new Inconclusive(`The command fails without any fault: ${limit}. Give it longer with --timeout.`, printed);
  }
  if (exitCode !== 0) {
    const how = crash === null ? `it ended with ${exitCode}` : `it crashed (${crash})`;
    throw new Inconclusive(
      `The command fails without any fault: ${how}. Make it pass first, with \`npx business-payments-sandbox exec\`.`,
      printed,
    );
  }
  if (seen.requests.length === 0)
    throw new Inconclusive(
      "The sandbox was never called, or only with unknown paths. Does the command call the address in SANDBOX_URL, with the paths of the API?",
      printed,
    );
  if (!seen.requests.some(({ status }) => status >= 200 && status < 300)) {
    const statuses = [...new Set(seen.requests.map(({ status }) => status))].join(", ");
    throw new Inconclusive(
      `The sandbox accepted no request of the command: it answered ${statuses}. Does the command use SANDBOX_ACCESS_TOKEN and SANDBOX_COMPANY_ID?`,
      printed,
    );
  }
  if (holds === false)
    throw new Inconclusive(
      "--check fails without any fault. It must exit with 0 within --timeout after a run in which all is well.",
      printed,
    );
}
