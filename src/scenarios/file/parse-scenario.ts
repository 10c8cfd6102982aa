import { basename, dirname, extname, isAbsolute, join } from "node:path";
import type * as z from "zod";
import { readSource, type Source } from "../../adapters/files/source.js";
import { fromXof } from "../../domain/values/money.js";
import { isObject } from "../../kernel/messages/json.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { loadFixtureFiles } from "../../sandbox/config/load-files.js";
import { setUpWorld } from "../../sandbox/config/set-up.js";
import { DEFAULT_BALANCE } from "../../sandbox/config/options.js";
import { createContext, openFile, type ParseContext, parseSteps, type ReadSource } from "./parse-step.js";
import { loadFakeData } from "./fake-data.js";
import type { Given, Scenario, Step } from "./scenario.js";
import { givenSchema, scenarioSchema } from "./scenario-schema.js";

/** When a scenario begins by default: a fixed instant, so that it is the same every day. */
const DEFAULT_START = Date.UTC(2026, 0, 15, 9);

/** The most steps of a scenario. Repeated steps count each time. */
const STEPS_MAX = 1_000_000;

/**
 * Reads a scenario file and the files that it uses.
 *
 * Throws UsageError("file") with all problems, each as `file:line:column: message`.
 */
export async function loadScenario(file: string): Promise<Scenario> {
  return parseScenario(await readSource(file));
}

/** Like `loadScenario`, for a source that has been read. */
export async function parseScenario(source: Source, read: ReadSource = readSource): Promise<Scenario> {
  const context = createContext(source, read);
  const { problems, fakes, usedFiles } = context.shared;
  const head = problems.parse(source, scenarioSchema);
  const written = isObject(source.value) ? source.value : {};
  const writtenGiven = isObject(written["given"]) ? written["given"] : {};
  const list = written["steps"];
  // The schema has already reported an empty list.
  const steps = Array.isArray(list) && list.length > 0 ? await parseSteps(context, list, ["steps"]) : [];
  const fakeData = fakes.length === 0 ? undefined : await loadFakeData();
  for (const { path, report } of fakes) {
    const problem = fakeData?.problemOf(path);
    if (problem !== undefined) report(problem);
  }
  if (countSteps(steps) > STEPS_MAX) {
    problems.add(source, ["steps"], `Its repetitions come to more than ${STEPS_MAX} steps. Repeat less`);
  }
  const fixtures = await loadFixtures(context, writtenGiven["fixtures"], head?.given?.clock ?? DEFAULT_START);
  const given =
    head === undefined || fixtures === undefined
      ? undefined
      : await prepareGiven(head.given ?? givenSchema.parse({}), fixtures);
  const { messages } = problems;
  if (head === undefined || given === undefined || messages.length > 0) throw new UsageError("file", messages);
  return {
    name: head.name ?? basename(source.file, extname(source.file)),
    tags: head.tags,
    file: source.file,
    given,
    givenKeys: Object.keys(writtenGiven),
    steps,
    uses: usedFiles,
    givenPosition: source.positionOf(["given"], "key"),
    usesFaker: fakes.length > 0,
    usesRules: context.shared.usesRules || given.rules.length > 0,
  };
}

function countSteps(steps: readonly Step[]): number {
  const counts = steps.map((step) => {
    const times = step.kind === "repeat" ? step.repeat.times : 1;
    return 1 + ("steps" in step ? times * countSteps(step.steps) : 0);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

async function prepareGiven(given: z.infer<typeof givenSchema>, shared: Given["fixtures"]): Promise<Given> {
  const { clock = DEFAULT_START, balance, profile = {}, webhooks, rules, customers, charges, transactions } = given;
  // A fixed seed, so that drawn customers are the same in every run.
  const own = await setUpWorld([{ customers, charges, transactions, subscriptions: [] }], 0, shared);
  return {
    balance: balance === undefined ? DEFAULT_BALANCE : fromXof(balance),
    frozenAt: clock,
    profile,
    webhooks: webhooks.map(({ topic, url }) => ({ topic, url })),
    rules,
    shared,
    fixtures: [...shared, own],
  };
}

/** The records of the fixtures files; undefined after reporting their problems. They are read even when the rest of the scenario is wrong. */
async function loadFixtures(
  context: ParseContext,
  written: unknown,
  start: number,
): Promise<Given["fixtures"] | undefined> {
  const folder = dirname(context.source.file);
  const named = [written].flat().filter((file): file is string => typeof file === "string" && file !== "");
  const files = named.map((file) => (isAbsolute(file) ? file : join(folder, file)));
  if (files.length === 0) return [];
  // This also checks that the scenario may read the files: one that came over HTTP may not.
  const readable = await Promise.all(files.map((file) => openFile(context, file, ["given", "fixtures"])));
  if (readable.includes(undefined)) return undefined;
  const report = (message: string): void => context.shared.problems.add(context.source, ["given", "fixtures"], message);
  try {
    const { shared, companies } = await loadFixtureFiles(files, start);
    if (companies.length === 0) return [shared];
    const ids = companies.map(({ id }) => id).join(", ");
    report(`given.fixtures must hold what every company has; this one opens companies (${ids})`);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    error.messages.forEach(report);
  }
  return undefined;
}
