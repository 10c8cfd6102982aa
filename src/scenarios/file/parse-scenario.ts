import { basename, dirname, extname, isAbsolute, join } from "node:path";
import type * as z from "zod";
import { type Source, readSource } from "../../adapters/files/source.js";
import { fromXof } from "../../domain/values/money.js";
import { UsageError } from "../../kernel/problem.js";
import { loadFixtureFiles } from "../../sandbox/config/load-files.js";
import { setUpWorld } from "../../sandbox/config/set-up.js";
import { DEFAULT_BALANCE } from "../../sandbox/config/options.js";
import { type givenSchema, scenarioSchema } from "./scenario-schema.js";
import { ParseContext, type ReadSource } from "./parse-context.js";
import { parseSteps } from "./parse-step.js";
import type { Given, Scenario, Step } from "./scenario.js";

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
  const list = memberOf(written, "steps");
  // A list that is empty is spoken of with the rest of the file.
  const steps = Array.isArray(list) && list.length > 0 ? await parseSteps(context, list, ["steps"]) : [];
  await context.checkFakes();
  if (countSteps(steps) > STEPS_MAX) {
    context.problems.add(source, ["steps"], `Its repetitions come to more than ${STEPS_MAX} steps. Repeat less`);
  }
  const shared = await loadShared(context, head?.given?.clock ?? DEFAULT_START);
  const given = head === undefined || shared === undefined ? undefined : await prepare(head.given, shared);
  const { messages } = context.problems;
  if (head === undefined || given === undefined || messages.length > 0) throw new UsageError("file", messages);
  return {
    name: head.name ?? basename(source.file, extname(source.file)),
    tags: head.tags,
    file: source.file,
    given,
    givenKeys: givenKeysOf(written),
    steps,
    uses: context.usedFiles,
    givenPosition: source.positionOf(["given"], "key"),
    usesFaker: context.usesFaker,
    usesRules: context.usesRules || given.rules.length > 0,
  };
}

/** Steps in repetitions are counted each time. */
function countSteps(steps: readonly Step[]): number {
  const counts = steps.map((step) => {
    const times = step.kind === "repeat" ? step.repeat.times : 1;
    return 1 + ("steps" in step ? times * countSteps(step.steps) : 0);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

async function prepare(given: z.infer<typeof givenSchema> | undefined, shared: Given["fixtures"]): Promise<Given> {
  const start = given?.clock ?? DEFAULT_START;
  const common = {
    balance: given?.balance === undefined ? DEFAULT_BALANCE : fromXof(given.balance),
    frozenAt: start,
    profile: given?.profile ?? {},
    webhooks: (given?.webhooks ?? []).map(({ topic, url }) => ({ topic, url })),
    rules: given?.rules ?? [],
  };
  if (given === undefined) return { ...common, fixtures: [] };
  const { customers, charges, transactions } = given;
  // Persons are drawn with a fixed seed: a story is the same in every run.
  const own = await setUpWorld([{ customers, charges, transactions, subscriptions: [] }], 0, shared);
  return { ...common, fixtures: [...shared, own] };
}

/** What the fixtures files say, or undefined after saying what is wrong with them: whatever else is wrong with the story. */
async function loadShared(context: ParseContext, start: number): Promise<Given["fixtures"] | undefined> {
  const written = memberOf(memberOf(context.source.value, "given"), "fixtures");
  const folder = dirname(context.source.file);
  const named = (Array.isArray(written) ? written : [written]).filter(
    (file) => typeof file === "string" && file !== "",
  );
  const files = named.map((file: string) => (isAbsolute(file) ? file : join(folder, file)));
  if (files.length === 0) return [];
  // Who may not read files (a story that came over HTTP) may not name any here either.
  const readable = await Promise.all(files.map((file) => context.read(file, ["given", "fixtures"])));
  if (readable.includes(undefined)) return undefined;
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
  const given = memberOf(written, "given");
  return typeof given === "object" && given !== null ? Object.keys(given) : [];
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
