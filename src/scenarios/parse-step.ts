import { parseDuration } from "../kernel/duration.js";
import { didYouMean } from "../kernel/suggest.js";
import type { SourcePath } from "../adapters/files/source.js";
import type { ParseContext } from "./parse-context.js";
import type { RequestStep, Saves, Step, When } from "./scenario.js";
import { type StepKeyword, stepKeywords, stepSchemas, templateProblem } from "./step-schemas.js";
import { listExpressions, listTexts } from "./template.js";

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
  if (keyword === undefined) return undefined;
  const parsed = context.problems.parse<unknown>(context.source, stepSchemas[keyword], path);
  checkTexts(context, keyword, value, path);
  if (parsed === undefined) {
    // What it would have saved must not be missed by later steps: that would be a second message for one mistake.
    context.know(savesOf(value));
    return undefined;
  }
  return compilers[keyword](context, value as never, path);
}

function findKeyword(context: ParseContext, value: unknown, path: SourcePath): StepKeyword | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    context.problems.add(context.source, path, `A step must be an object with one of ${stepKeywords.join(", ")}`);
    return undefined;
  }
  const keys = Object.keys(value);
  const found = stepKeywords.filter((keyword) => keys.includes(keyword));
  if (found.length === 1) return found[0];
  if (found.length > 1) {
    context.problems.add(
      context.source,
      path,
      `A step does one thing, but this one has ${found.join(" and ")}. Write two steps`,
    );
    return undefined;
  }
  const ordinary = new Set(["name", "when", "body", "expect", "save", "headers", "query", "as", "token"]);
  const strange = keys.find((key) => !ordinary.has(key)) ?? keys[0] ?? "";
  const hint = didYouMean(strange, stepKeywords);
  context.problems.add(
    context.source,
    [...path, strange],
    `"${strange}" is not a step.${hint} There are ${stepKeywords.join(", ")}`,
    "key",
  );
  return undefined;
}

/** Where the steps of a step stand: their texts are checked with them. */
const SUBSTEPS: Partial<Record<StepKeyword, readonly string[]>> = {
  parallel: ["parallel"],
  repeat: ["repeat", "steps"],
};

/** Every `${…}` must be well formed and known by now. */
function checkTexts(context: ParseContext, keyword: StepKeyword, value: unknown, path: SourcePath): void {
  const inner = SUBSTEPS[keyword];
  const isInner = (at: SourcePath): boolean => inner?.every((key, index) => at[index] === key) === true;
  const isSaved = (at: SourcePath): boolean => at[0] === "save" || (keyword === "eventually" && at[1] === "save");
  for (const { text, path: at } of listTexts(value)) {
    if (isInner(at) || isSaved(at)) continue;
    const problem = templateProblem(text);
    if (problem !== undefined) context.problems.add(context.source, [...path, ...at], problem);
  }
  for (const { expression, path: at } of listExpressions(value)) {
    if (!isInner(at) && !isSaved(at)) context.checkExpression(expression, [...path, ...at]);
  }
}

type Written = Readonly<Record<string, unknown>> & {
  readonly name?: string;
  readonly when?: When;
  readonly save?: Saves;
};

function savesOf(value: unknown): readonly string[] {
  const save = (value as { save?: unknown } | null)?.save;
  return typeof save === "object" && save !== null ? Object.keys(save) : [];
}

function stepsOf(file: unknown): unknown {
  return typeof file === "object" && file !== null && "steps" in file ? file.steps : undefined;
}

function base(context: ParseContext, written: Written, path: SourcePath) {
  return { name: written.name, when: written.when, position: context.source.positionOf(path) };
}

type Compiler = (context: ParseContext, written: Written, path: SourcePath) => Step | Promise<Step | undefined>;

const compilers: Readonly<Record<StepKeyword, Compiler>> = {
  request: (context, written, path) => compileRequest(context, written, path),
  advance: (context, written, path) => {
    const { advance } = written;
    const body = typeof advance === "object" && advance !== null ? { ...advance } : { by: advance };
    return { ...base(context, written, path), kind: "advance", advance: body, expect: written["expect"] };
  },
  clock: (context, written, path) => {
    const { clock } = written;
    const body = clock === "freeze" ? { mode: "frozen" } : clock === "resume" ? { mode: "running" } : { now: clock };
    return { ...base(context, written, path), kind: "clock", clock: body };
  },
  webhook: (context, written, path) => {
    const { topic, data, count } = written["webhook"] as { topic?: string; data?: unknown; count?: number };
    const save = written.save ?? {};
    context.know(Object.keys(save));
    return { ...base(context, written, path), kind: "webhook", topic, data, count, save };
  },
  noWebhook: (context, written, path) => {
    const { topic, data } = written["noWebhook"] as { topic?: string; data?: unknown };
    return { ...base(context, written, path), kind: "webhook", topic, data, count: 0, save: {} };
  },
  rule: (context, written, path) => ({ ...base(context, written, path), kind: "rule", rule: written["rule"] }),
  settle: (context, written, path) => ({ ...base(context, written, path), kind: "settle" }),
  wait: (context, written, path) => ({
    ...base(context, written, path),
    kind: "wait",
    ms: parseDuration(written["wait"]),
  }),
  parallel: async (context, written, path) => {
    const steps = await parseBranches(context, written["parallel"], [...path, "parallel"]);
    return { ...base(context, written, path), kind: "parallel", steps };
  },
  repeat: async (context, written, path) => {
    const { times, steps: list } = written["repeat"] as { times: number; steps: unknown };
    context.know(["index"]);
    const steps = await parseSteps(context, list, [...path, "repeat", "steps"]);
    return { ...base(context, written, path), kind: "repeat", times, steps };
  },
  use: async (context, written, path) => {
    const file = String(written["use"]);
    const variables = (written["with"] ?? {}) as Record<string, unknown>;
    const inner = await context.open(file, Object.keys(variables), [...path, "use"]);
    if (inner === undefined) return undefined;
    // Its steps alone: what it says of the world is for when it runs by itself.
    const steps = await parseSteps(inner, stepsOf(inner.source.value), ["steps"]);
    context.know(inner.known());
    return { ...base(context, written, path), kind: "use", file, with: variables, steps };
  },
  eventually: (context, written, path) => {
    const { within, every = "1s", ...request } = written["eventually"] as { within: unknown; every?: unknown };
    return {
      ...base(context, written, path),
      kind: "eventually",
      withinMs: parseDuration(within),
      everyMs: Math.max(1, parseDuration(every)),
      request: compileRequest(context, request as Written, [...path, "eventually"]),
    };
  },
};

/** Branches of a `parallel` begin together: none knows what another saves. */
async function parseBranches(context: ParseContext, value: unknown, path: SourcePath): Promise<readonly Step[]> {
  const branches = Array.isArray(value) ? value : [];
  const before = context.known();
  const saved: string[] = [];
  const steps: Step[] = [];
  for (const [index, branch] of branches.entries()) {
    const own = context.branch(before);
    const step = await parseStep(own, branch, [...path, index]);
    if (step !== undefined) steps.push(step);
    saved.push(...own.known());
  }
  context.know(saved);
  return steps;
}

function compileRequest(context: ParseContext, written: Written, path: SourcePath): RequestStep {
  const fields = written as Partial<RequestStep>;
  const [method = "GET", target = "/"] = String(written["request"]).split(" ");
  const save = written.save ?? {};
  context.know(Object.keys(save));
  return {
    ...base(context, written, path),
    kind: "request",
    method,
    path: target,
    body: fields.body,
    rawBody: fields.rawBody,
    as: fields.as,
    token: fields.token,
    headers: fields.headers ?? {},
    query: fields.query ?? {},
    expect: fields.expect,
    save,
  };
}
