import { dirname, isAbsolute, join, resolve } from "node:path";
import type * as z from "zod";
import type { Source, SourcePath } from "../../adapters/files/source.js";
import { numberBehaviours } from "../../domain/accounts/test-numbers.js";
import { isObject } from "../../kernel/messages/json.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { didYouMean } from "../../kernel/messages/suggest.js";
import { shorten } from "../../kernel/messages/text.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { FileProblems } from "../../sandbox/config/file-problems.js";
import type { Step } from "./scenario.js";
import { companionKeys, type ParsedStep, type StepKeyword, stepKeywords, stepSchemas } from "./step-schemas.js";
import { expressionsOf, listTexts, parsePath, parseTemplate } from "./template.js";

/** Reads another file of the scenario. */
export type ReadSource = (file: string) => Promise<Source>;

/** Variables that are always known: a single value, or an object with members. */
const builtIns: Readonly<Record<string, "value" | "members">> = {
  uuid: "value",
  now: "value",
  url: "value",
  token: "value",
  companyId: "value",
  secretKey: "value",
  receiver: "value",
  testNumbers: "members",
  env: "members",
  faker: "members",
};
const BUILT_IN = Object.keys(builtIns);
const TEST_NUMBERS = Object.keys(numberBehaviours);

/** How deep files may use one another, and how often a scenario may use any. */
const USE_DEPTH_MAX = 20;
const USES_MAX = 1000;

/** The most steps that a scenario and the files that it uses may have. Those of a file count each time that it is used, those of a repetition once. */
export const PARSED_STEPS_MAX = 100_000;
/** After this many steps other work of the process gets its turn. */
const STEPS_IN_A_TURN = 500;

/** A place in a scenario while it is parsed: the file, and the variables that are known there. */
export interface ParseContext {
  readonly source: Source;
  /** The files that lead here, outermost first. */
  readonly chain: readonly string[];
  /** The variables that were saved before. */
  readonly known: KnownNames;
  /** Variables that are known only here: the `with` of a used file, the `index` of a repetition. */
  readonly locals: readonly string[];
  readonly shared: ReturnType<typeof createShared>;
}

/** Names that are known at a place: its own, and those of the places around it. Nothing is copied, because a scenario may have thousands of names and branches. */
class KnownNames {
  readonly own = new Set<string>();
  readonly #around: KnownNames | undefined;

  constructor(around?: KnownNames) {
    this.#around = around;
  }

  has(name: string): boolean {
    return this.own.has(name) || this.#around?.has(name) === true;
  }

  get size(): number {
    return this.own.size + (this.#around?.size ?? 0);
  }

  *[Symbol.iterator](): Generator<string> {
    if (this.#around !== undefined) yield* this.#around;
    yield* this.own;
  }
}

/** State that all files of a scenario share. */
function createShared(read: ReadSource) {
  return {
    read,
    problems: new FileProblems(),
    sources: new Map<string, Source>(),
    /** The absolute paths of the files whose steps were used so far. */
    usedFiles: new Set<string>(),
    fakes: [] as { readonly path: readonly string[]; readonly report: (problem: string) => void }[],
    uses: 0,
    steps: 0,
    usesRules: false,
    /** Set when a file could not be used, so that the variables it saves are unknown. */
    isIncomplete: false,
  };
}

export function createContext(source: Source, read: ReadSource): ParseContext {
  return { source, chain: [resolve(source.file)], known: new KnownNames(), locals: [], shared: createShared(read) };
}

function addProblem({ shared, source }: ParseContext, path: SourcePath, message: string): void {
  shared.problems.add(source, path, message);
}

function know({ known }: ParseContext, names: Iterable<string>): void {
  for (const name of names) known.own.add(name);
}

/** Parses a list of steps in order. Each step knows the variables that earlier ones save. */
export async function parseSteps(context: ParseContext, value: unknown, path: SourcePath): Promise<readonly Step[]> {
  if (!Array.isArray(value) || value.length === 0) {
    addProblem(context, path, `${String(path.at(-1))} must be a list of at least one step`);
    return [];
  }
  const steps: Step[] = [];
  for (const [index, element] of value.entries()) {
    if (isFull(context)) break;
    const step = await parseStep(context, element, [...path, index]);
    if (step !== undefined) steps.push(step);
  }
  return steps;
}

function isFull({ shared }: ParseContext): boolean {
  return shared.problems.isFull || shared.steps > PARSED_STEPS_MAX;
}

async function parseStep(context: ParseContext, value: unknown, path: SourcePath): Promise<Step | undefined> {
  const { shared } = context;
  if (++shared.steps > PARSED_STEPS_MAX) {
    addProblem(context, path, `With the files that it uses the scenario has more than ${PARSED_STEPS_MAX} steps`);
    return undefined;
  }
  if (shared.steps % STEPS_IN_A_TURN === 0) await systemClock.yieldToEventLoop();
  const keyword = findKeyword(context, value, path);
  const schema: z.ZodType<ParsedStep> | undefined = keyword === undefined ? undefined : stepSchemas[keyword];
  const parsed = schema === undefined ? undefined : context.shared.problems.parse(context.source, schema, path);
  if (keyword !== undefined) checkTexts(context, keyword, value, path);
  const step = parsed === undefined ? undefined : await completeStep(context, parsed, path);
  // Later steps may use what a wrong step would have saved, so that one mistake gets one message.
  if (step === undefined) know(context, listSaves(value));
  return step;
}

function findKeyword(context: ParseContext, value: unknown, path: SourcePath): StepKeyword | undefined {
  const refuse = (message: string, at: SourcePath = path): undefined => {
    context.shared.problems.add(context.source, at, message, "key");
    return undefined;
  };
  const all = stepKeywords.join(", ");
  if (!isObject(value)) return refuse(`A step must be a mapping with one of ${all}`);
  const keys = Object.keys(value);
  const found = stepKeywords.filter((keyword) => keys.includes(keyword));
  if (found.length === 1) return found[0];
  if (found.length > 1)
    return refuse(`A step does one thing, but this one has ${found.join(" and ")}. Write two steps`);
  const unknownKey = keys.find((key) => !companionKeys.has(key));
  if (unknownKey === undefined) return refuse(`A step must have one of ${all}`);
  return refuse(`"${unknownKey}" is not a step.${didYouMean(unknownKey, stepKeywords)} There are ${all}`, [
    ...path,
    unknownKey,
  ]);
}

/** Checks that every `${…}` is well formed, and known before the step runs. */
function checkTexts(context: ParseContext, keyword: StepKeyword, value: unknown, path: SourcePath): void {
  const isElsewhere = (at: SourcePath): boolean => at[0] === "use" || at[keyword === "eventually" ? 1 : 0] === "save";
  for (const { text, path: at } of listTexts(withoutSubsteps(keyword, value))) {
    if (context.shared.problems.isFull) return;
    if (isElsewhere(at)) continue;
    const parsed = parseTemplate(text);
    if ("problem" in parsed) addProblem(context, [...path, ...at], parsed.problem);
    else for (const expression of expressionsOf(text)) checkExpression(context, expression, [...path, ...at]);
  }
}

/** The texts in the steps of a step are checked with those. */
function withoutSubsteps(keyword: StepKeyword, value: unknown): unknown {
  if (!isObject(value)) return value;
  if (keyword === "parallel") return { ...value, parallel: [] };
  const { repeat } = value;
  return keyword === "repeat" && isObject(repeat) ? { ...value, repeat: { ...repeat, steps: [] } } : value;
}

/** The names under every `save` in a value. */
function listSaves(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) =>
    key === "save" && typeof member === "object" && member !== null ? Object.keys(member) : listSaves(member),
  );
}

/** Adds the position and the inner steps. Undefined when a used file cannot be read. */
async function completeStep(context: ParseContext, parsed: ParsedStep, path: SourcePath): Promise<Step | undefined> {
  const position = context.source.positionOf(path);
  switch (parsed.kind) {
    case "parallel":
      return { ...parsed, position, steps: await parseBranches(context, parsed.parallel, [...path, "parallel"]) };
    case "repeat": {
      const at = [...path, "repeat", "steps"];
      return {
        ...parsed,
        position,
        steps: await parseSteps({ ...context, locals: [...context.locals, "index"] }, parsed.repeat.steps, at),
      };
    }
    case "use": {
      const source = await openUsed(context, parsed.use, [...path, "use"]);
      if (source === undefined) {
        context.shared.isIncomplete = true;
        return undefined;
      }
      const locals = [...context.locals, ...Object.keys(parsed.with ?? {})];
      const inner = { ...context, source, chain: [...context.chain, resolve(source.file)], locals };
      // Only the steps of the file are used: its `given` is for when it runs alone.
      const list = isObject(source.value) ? source.value["steps"] : undefined;
      return { ...parsed, position, steps: await parseSteps(inner, list, ["steps"]) };
    }
    case "rule":
      context.shared.usesRules = true;
      break;
    case "request":
    case "webhook":
      know(context, Object.keys(parsed.save ?? {}));
      break;
    case "eventually":
      know(context, Object.keys(parsed.eventually.save ?? {}));
      break;
    default:
      break;
  }
  return { ...parsed, position };
}

/** The branches of a `parallel` begin together, so none knows what another saves. */
async function parseBranches(
  context: ParseContext,
  branches: readonly unknown[],
  path: SourcePath,
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  const saved: ReadonlySet<string>[] = [];
  for (const [index, branch] of branches.entries()) {
    if (isFull(context)) break;
    const known = new KnownNames(context.known);
    const step = await parseStep({ ...context, known }, branch, [...path, index]);
    if (step !== undefined) steps.push(step);
    saved.push(known.own);
  }
  for (const names of saved) know(context, names);
  return steps;
}

function checkExpression(context: ParseContext, expression: string, path: SourcePath): void {
  const { known, locals, shared } = context;
  const [root = "", ...members] = parsePath(expression).map(String);
  if (known.has(root) || locals.includes(root)) return;
  const report = (problem: string): void => addProblem(context, path, `\${${expression}} ${problem}`);
  if (!Object.hasOwn(builtIns, root)) {
    if (!shared.isIncomplete) report(explainUnknown(root, known, locals));
  } else if (builtIns[root] === "value" && members.length > 0) {
    report(`has no value: \${${root}} is one value, without members`);
  } else if (root === "testNumbers" && !(members.length === 1 && TEST_NUMBERS.includes(String(members[0])))) {
    const hint = didYouMean(members.join("."), TEST_NUMBERS);
    report(`is not a test number.${hint} There are ${TEST_NUMBERS.join(", ")}`);
  } else if (root === "env" && !members.join(".").startsWith("SANDBOX_")) {
    report("is not open to scenarios: only variables that start with SANDBOX_ are");
  } else if (root === "faker") {
    shared.fakes.push({ path: members, report });
  }
}

/** A message names at most this many of the known variables. The similar name of the hint is looked for among more of them, but not among tens of thousands. */
const NAMED_MAX = 20;
const COMPARED_MAX = 1000;

function explainUnknown(root: string, known: KnownNames, locals: readonly string[]): string {
  const here = [...locals];
  for (const each of known) if (here.push(each) >= COMPARED_MAX) break;
  const hint = didYouMean(root, [...here, ...BUILT_IN]);
  const more = known.size + locals.length - NAMED_MAX;
  const named = here.slice(0, NAMED_MAX).map((each) => shorten(each));
  if (more > 0) named.push(`and ${more} more`);
  const there = here.length === 0 ? "no step before it saves one" : `known here: ${named.join(", ")}`;
  return `is not known here.${hint} (${there}; always there: ${BUILT_IN.join(", ")})`;
}

/** Opens a file whose steps are used; undefined after reporting why it cannot be read. */
async function openUsed(context: ParseContext, file: string, path: SourcePath): Promise<Source | undefined> {
  const { source, chain, shared } = context;
  // The path is relative to this file, but messages name it like the scenario's own path.
  const named = isAbsolute(file) ? file : join(dirname(source.file), file);
  const target = resolve(named);
  if (chain.includes(target)) {
    const circle = [...chain.slice(chain.indexOf(target)), target].map((each) => each.split(/[\\/]/).at(-1));
    addProblem(context, path, `${file} uses itself: ${circle.join(" → ")}`);
  } else if (chain.length > USE_DEPTH_MAX) {
    addProblem(context, path, `Files use one another more than ${USE_DEPTH_MAX} levels deep`);
  } else if (++shared.uses > USES_MAX) {
    addProblem(context, path, `Files are used more than ${USES_MAX} times in one scenario`);
  } else {
    shared.usedFiles.add(target);
    return openFile(context, named, path);
  }
  return undefined;
}

/** Opens a file; undefined after reporting why it cannot be read. */
export async function openFile(context: ParseContext, file: string, path: SourcePath): Promise<Source | undefined> {
  const { sources, read } = context.shared;
  try {
    const source = sources.get(file) ?? (await read(file));
    sources.set(file, source);
    return source;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    for (const message of error.messages) addProblem(context, path, message);
    return undefined;
  }
}
