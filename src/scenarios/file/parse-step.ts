import type * as z from "zod";
import type { SourcePath } from "../../adapters/files/source.js";
import { didYouMean } from "../../kernel/suggest.js";
import type { ParseContext } from "./parse-context.js";
import type { RequestStep, Step, When } from "./scenario.js";
import { EVERY_DEFAULT_MS, type StepKeyword, stepKeywords, stepSchemas, type WrittenSteps } from "./step-schemas.js";
import { listExpressions, listTexts, parseTemplate } from "./template.js";

/** The steps of a list, in order; what one saves the later ones know. */
export async function parseSteps(context: ParseContext, value: unknown, path: SourcePath): Promise<readonly Step[]> {
  if (!Array.isArray(value) || value.length === 0) {
    context.problems.add(context.source, path, `${String(path.at(-1))} must be a list of at least one step`);
    return [];
  }
  const steps: Step[] = [];
  for (const [index, element] of value.entries()) {
    const step = await parseStep(context, element, [...path, index]);
    if (step !== undefined) steps.push(step);
  }
  return steps;
}

async function parseStep(context: ParseContext, value: unknown, path: SourcePath): Promise<Step | undefined> {
  const keyword = findKeyword(context, value, path);
  const step = keyword === undefined ? undefined : await compile(context, keyword, value, path);
  // What a wrong step would have saved must not be missed by later ones: that would be a second message for one mistake.
  if (step === undefined) context.know(listSaves(value));
  return step;
}

function findKeyword(context: ParseContext, value: unknown, path: SourcePath): StepKeyword | undefined {
  const refuse = (message: string, at: SourcePath = path): undefined => {
    context.problems.add(context.source, at, message, "key");
    return undefined;
  };
  const all = stepKeywords.join(", ");
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return refuse(`A step must be a mapping with one of ${all}`);
  }
  const keys = Object.keys(value);
  const found = stepKeywords.filter((keyword) => keys.includes(keyword));
  if (found.length === 1) return found[0];
  if (found.length > 1)
    return refuse(`A step does one thing, but this one has ${found.join(" and ")}. Write two steps`);
  const strange = keys.find((key) => !companions.has(key));
  if (strange === undefined) return refuse(`A step must have one of ${all}`);
  return refuse(`"${strange}" is not a step.${didYouMean(strange, stepKeywords)} There are ${all}`, [...path, strange]);
}

/** Keys that stand beside a keyword. */
const companions: ReadonlySet<string> = new Set(
  Object.values(stepSchemas).flatMap((schema) =>
    Object.keys(schema.shape).filter((key) => !Object.hasOwn(stepSchemas, key)),
  ),
);

const schemas: { readonly [Keyword in StepKeyword]: z.ZodType<WrittenSteps[Keyword]> } = stepSchemas;

function compile<Keyword extends StepKeyword>(
  context: ParseContext,
  keyword: Keyword,
  value: unknown,
  path: SourcePath,
): Compiled {
  const written = context.problems.parse(context.source, schemas[keyword], path);
  checkTexts(context, keyword, value, path);
  return written === undefined ? undefined : compilers[keyword](context, written, path);
}

/** Where the steps of a step stand: their texts are checked with them. */
const SUBSTEPS: Partial<Record<StepKeyword, readonly string[]>> = {
  parallel: ["parallel"],
  repeat: ["repeat", "steps"],
};

/** Every `${…}` must be well formed and known by now. */
function checkTexts(context: ParseContext, keyword: StepKeyword, value: unknown, path: SourcePath): void {
  const inner = SUBSTEPS[keyword];
  const isElsewhere = (at: SourcePath): boolean =>
    inner?.every((key, index) => at[index] === key) === true ||
    at[0] === "use" ||
    at[keyword === "eventually" ? 1 : 0] === "save";
  for (const { text, path: at } of listTexts(value)) {
    const parsed = parseTemplate(text);
    if ("problem" in parsed && !isElsewhere(at)) context.problems.add(context.source, [...path, ...at], parsed.problem);
  }
  for (const { expression, path: at } of listExpressions(value)) {
    if (!isElsewhere(at)) context.checkExpression(expression, [...path, ...at]);
  }
}

/** The names under every `save` in it. */
function listSaves(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) =>
    key === "save" && typeof member === "object" && member !== null ? Object.keys(member) : listSaves(member),
  );
}

type Compiled = Step | undefined | Promise<Step | undefined>;

interface Common {
  readonly name?: string | undefined;
  readonly when?: When | undefined;
}

function base(context: ParseContext, { name, when }: Common, path: SourcePath) {
  return { name, when, position: context.source.positionOf(path) };
}

const compilers: {
  readonly [Keyword in StepKeyword]: (
    context: ParseContext,
    written: WrittenSteps[Keyword],
    path: SourcePath,
  ) => Compiled;
} = {
  request: (context, written, path) => compileRequest(context, written, written, path),
  advance: (context, written, path) => {
    const { advance, expect } = written;
    const body = typeof advance === "object" ? advance : { by: advance };
    return { ...base(context, written, path), kind: "advance", advance: { ...body }, expect };
  },
  clock: (context, written, path) => {
    const { clock } = written;
    const body = typeof clock === "object" ? clock : (clockModes[clock] ?? { now: clock });
    return { ...base(context, written, path), kind: "clock", clock: { ...body } };
  },
  webhook: (context, written, path) => {
    const { topic, data, count } = written.webhook;
    const { save = {} } = written;
    context.know(Object.keys(save));
    return { ...base(context, written, path), kind: "webhook", topic, data, count, save };
  },
  noWebhook: (context, written, path) => {
    const { topic, data } = written.noWebhook;
    return { ...base(context, written, path), kind: "webhook", topic, data, count: 0, save: {} };
  },
  rule: (context, written, path) => {
    context.noteRule();
    return { ...base(context, written, path), kind: "rule", rule: written.rule };
  },
  settle: (context, written, path) => ({ ...base(context, written, path), kind: "settle" }),
  wait: (context, written, path) => ({ ...base(context, written, path), kind: "wait", ms: written.wait }),
  parallel: async (context, written, path) => {
    const steps = await parseBranches(context, written.parallel, [...path, "parallel"]);
    return { ...base(context, written, path), kind: "parallel", steps };
  },
  repeat: async (context, written, path) => {
    const { times, steps: list } = written.repeat;
    const steps = await parseSteps(context.with(["index"]), list, [...path, "repeat", "steps"]);
    return { ...base(context, written, path), kind: "repeat", times, steps };
  },
  use: async (context, written, path) => {
    const { use: file, with: variables = {} } = written;
    const inner = await context.open(file, Object.keys(variables), [...path, "use"]);
    if (inner === undefined) return undefined;
    // Its steps alone: what it says of the world is for when it runs by itself.
    const steps = await parseSteps(inner, stepsOf(inner.source.value), ["steps"]);
    return { ...base(context, written, path), kind: "use", file, with: variables, steps };
  },
  eventually: (context, written, path) => {
    const { within, every = EVERY_DEFAULT_MS, ...request } = written.eventually;
    return {
      ...base(context, written, path),
      kind: "eventually",
      withinMs: within,
      everyMs: Math.max(1, every),
      request: compileRequest(context, {}, request, path),
    };
  },
};

/** The words of the command line and those of the control API. */
const clockModes: Readonly<Record<string, { readonly mode: "frozen" | "running" }>> = {
  freeze: { mode: "frozen" },
  frozen: { mode: "frozen" },
  resume: { mode: "running" },
  running: { mode: "running" },
};

/** Branches of a `parallel` begin together: none knows what another saves. */
async function parseBranches(
  context: ParseContext,
  branches: readonly unknown[],
  path: SourcePath,
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  const saved: string[] = [];
  for (const [index, branch] of branches.entries()) {
    const own = context.branch();
    const step = await parseStep(own, branch, [...path, index]);
    if (step !== undefined) steps.push(step);
    saved.push(...own.known());
  }
  context.know(saved);
  return steps;
}

type WrittenRequest = Omit<WrittenSteps["request"], keyof Common>;

function compileRequest(context: ParseContext, common: Common, written: WrittenRequest, path: SourcePath): RequestStep {
  const [method = "", target = ""] = written.request.split(" ");
  const { body, rawBody, as, token, headers = {}, query = {}, expect, save = {} } = written;
  context.know(Object.keys(save));
  const request = { method, path: target, body, rawBody, as, token, headers, query, expect, save };
  return { ...base(context, common, path), kind: "request", ...request };
}

function stepsOf(file: unknown): unknown {
  return typeof file === "object" && file !== null && "steps" in file ? file.steps : undefined;
}
