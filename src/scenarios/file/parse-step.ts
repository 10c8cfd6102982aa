import type * as z from "zod";
import type { SourcePath } from "../../adapters/files/source.js";
import { isObject } from "../../kernel/messages/json.js";
import { didYouMean } from "../../kernel/messages/suggest.js";
import type { ParseContext } from "./parse-context.js";
import type { Step } from "./scenario.js";
import { companionKeys, type ParsedStep, type StepKeyword, stepKeywords, stepSchemas } from "./step-schemas.js";
import { listExpressions, listTexts, parseTemplate } from "./template.js";

/** The steps of a list, in order. Each knows the variables that earlier ones save. */
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
  const schema: z.ZodType<ParsedStep> | undefined = keyword === undefined ? undefined : stepSchemas[keyword];
  const parsed = schema === undefined ? undefined : context.problems.parse(context.source, schema, path);
  if (keyword !== undefined) checkTexts(context, keyword, value, path);
  const step = parsed === undefined ? undefined : await completeStep(context, parsed, path);
  // Later steps may use what a wrong step would have saved: one mistake gets one message.
  if (step === undefined) context.know(listSaves(value));
  return step;
}

function findKeyword(context: ParseContext, value: unknown, path: SourcePath): StepKeyword | undefined {
  const refuse = (message: string, at: SourcePath = path): undefined => {
    context.problems.add(context.source, at, message, "key");
    return undefined;
  };
  const all = stepKeywords.join(", ");
  if (!isObject(value)) return refuse(`A step must be a mapping with one of ${all}`);
  const keys = Object.keys(value);
  const found = stepKeywords.filter((keyword) => keys.includes(keyword));
  if (found.length === 1) return found[0];
  if (found.length > 1)
    return refuse(`A step does one thing, but this one has ${found.join(" and ")}. Write two steps`);
  const strange = keys.find((key) => !companionKeys.has(key));
  if (strange === undefined) return refuse(`A step must have one of ${all}`);
  return refuse(`"${strange}" is not a step.${didYouMean(strange, stepKeywords)} There are ${all}`, [...path, strange]);
}

/** Every `${…}` must be well formed, and known before the step runs. */
function checkTexts(context: ParseContext, keyword: StepKeyword, value: unknown, path: SourcePath): void {
  const inner = substepPaths[keyword];
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

/** The texts of steps inside a step are checked with those. */
const substepPaths: Partial<Record<StepKeyword, readonly string[]>> = {
  parallel: ["parallel"],
  repeat: ["repeat", "steps"],
};

/** The names under every `save` in a value. */
function listSaves(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) =>
    key === "save" && typeof member === "object" && member !== null ? Object.keys(member) : listSaves(member),
  );
}

/** Adds the position, and the steps inside. Undefined when a used file cannot be read. */
async function completeStep(context: ParseContext, parsed: ParsedStep, path: SourcePath): Promise<Step | undefined> {
  const position = context.source.positionOf(path);
  switch (parsed.kind) {
    case "parallel":
      return { ...parsed, position, steps: await parseBranches(context, parsed.parallel, [...path, "parallel"]) };
    case "repeat": {
      const at = [...path, "repeat", "steps"];
      return { ...parsed, position, steps: await parseSteps(context.with(["index"]), parsed.repeat.steps, at) };
    }
    case "use": {
      const inner = await context.open(parsed.use, Object.keys(parsed.with ?? {}), [...path, "use"]);
      if (inner === undefined) return undefined;
      // Only the steps of the file: its `given` is for when it runs alone.
      const { value } = inner.source;
      const list = isObject(value) ? value["steps"] : undefined;
      return { ...parsed, position, steps: await parseSteps(inner, list, ["steps"]) };
    }
    case "rule":
      context.shared.usesRules = true;
      break;
    case "request":
    case "webhook":
      context.know(Object.keys(parsed.save ?? {}));
      break;
    case "eventually":
      context.know(Object.keys(parsed.eventually.save ?? {}));
      break;
    default:
      break;
  }
  return { ...parsed, position };
}

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
    saved.push(...own.known);
  }
  context.know(saved);
  return steps;
}
