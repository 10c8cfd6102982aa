import { basename, dirname, extname, resolve } from "node:path";
import { readSource, type Source } from "../adapters/files/source.js";
import { fromXof } from "../domain/accounts/money.js";
import { UsageError } from "../kernel/problem.js";
import { loadFixtureFiles } from "../sandbox/config/load-config.js";
import { setUpWorld } from "../sandbox/config/set-up.js";
import { DEFAULT_BALANCE } from "../sandbox/options.js";
import type { givenSchema } from "./given-schema.js";
import { scenarioSchema } from "./given-schema.js";
import { ParseContext, type ReadSource } from "./parse-context.js";
import { parseSteps } from "./parse-step.js";
import type { Given, Scenario, Step } from "./scenario.js";
import type * as z from "zod";

/** When a story begins that does not say so: a fixed instant, so that it is the same every day. */
export const DEFAULT_START = Date.UTC(2026, 0, 15, 9);

/** Repetitions of repetitions counted out. */
const STEPS_MAX = 1_000_000;

/**
 * Reads a scenario file, and the files it uses, wholly.
 *
 * Throws UsageError("file") with everything that is wrong, each as `file:line:column: message`.
 */
export async function loadScenario(file: string): Promise<Scenario> {
  return parseScenario(await readSource(file));
}

/** As `loadScenario`, of a source that is at hand. */
export async function parseScenario(source: Source, read: ReadSource = readSource): Promise<Scenario> {
  const context = ParseContext.create(source, read);
  const head = context.problems.parse(source, scenarioSchema);
  const written = source.value;
  const steps = hasSteps(written) ? await parseSteps(context, written.steps, ["steps"]) : [];
  await context.checkFakes();
  if (countSteps(steps) > STEPS_MAX) {
    context.problems.add(source, ["steps"], `Its repetitions come to more than ${STEPS_MAX} steps. Repeat less`);
  }
  const given = head === undefined ? undefined : await prepare(context, head.given);
  const { messages } = context.problems;
  if (head === undefined || given === undefined || messages.length > 0) throw new UsageError("file", messages);
  return {
    name: head.name ?? basename(source.file, extname(source.file)),
    tags: head.tags,
    file: source.file,
    given,
    givenKeys: givenKeysOf(written),
    steps,
    givenPosition: source.positionOf(["given"], "key"),
    usesFaker: context.usesFaker,
    usesRules: context.usesRules || given.rules.length > 0,
  };
}

/** A list that is empty is spoken of with the rest of the file. */
function hasSteps(written: unknown): written is { readonly steps: readonly unknown[] } {
  if (typeof written !== "object" || written === null || !("steps" in written)) return false;
  return Array.isArray(written.steps) && written.steps.length > 0;
}

function countSteps(steps: readonly Step[]): number {
  return steps.reduce(
    (sum, step) => sum + 1 + ("steps" in step ? countSteps(step.steps) * ("times" in step ? step.times : 1) : 0),
    0,
  );
}

async function prepare(
  context: ParseContext,
  given: z.infer<typeof givenSchema> | undefined,
): Promise<Given | undefined> {
  const start = given?.clock ?? DEFAULT_START;
  const common = {
    balance: given?.balance === undefined ? DEFAULT_BALANCE : fromXof(given.balance),
    frozenAt: start,
    profile: given?.profile ?? {},
    webhooks: (given?.webhooks ?? []).map(({ topic, url }) => ({ topic, url })),
    rules: given?.rules ?? [],
  };
  if (given === undefined) return { ...common, fixtures: [] };
  const folder = dirname(context.source.file);
  const files = given.fixtures.map((file) => resolve(folder, file));
  const loaded = await loadShared(context, files, start);
  if (loaded === undefined) return undefined;
  const { customers, charges, transactions } = given;
  // Persons are drawn with a fixed seed: a story is the same in every run.
  const own = await setUpWorld([{ customers, charges, transactions, subscriptions: [] }], 0, loaded);
  return { ...common, fixtures: [...loaded, own] };
}

async function loadShared(
  context: ParseContext,
  files: readonly string[],
  start: number,
): Promise<Given["fixtures"] | undefined> {
  if (files.length === 0) return [];
  try {
    const { shared, companies } = await loadFixtureFiles(files, start);
    if (companies.length === 0) return [shared];
    const message = `given.fixtures must hold what every company has; this one opens companies (${companies.map(({ id }) => id).join(", ")})`;
    context.problems.add(context.source, ["given", "fixtures"], message);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    for (const message of error.messages) context.problems.add(context.source, ["given", "fixtures"], message);
  }
  return undefined;
}

function givenKeysOf(written: unknown): readonly string[] {
  if (typeof written !== "object" || written === null || !("given" in written)) return [];
  const { given } = written;
  return typeof given === "object" && given !== null ? Object.keys(given) : [];
}
