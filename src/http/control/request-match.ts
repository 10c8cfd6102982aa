import * as z from "zod";
import { object, word as plainWord } from "../../kernel/fields.js";
import { operationIds } from "../../contract/operations.js";
import { statusOfProblem } from "../../contract/problems.js";
import type { ProblemCode } from "../../domain/model/problem-codes.js";
import { requestFaults } from "../../domain/model/rule.js";
import { isMatcher } from "../../kernel/matchers.js";
import { isObject } from "../../kernel/messages/json.js";
import type { AnswerFate } from "../../sandbox/company/exchange.js";
import type { RequestMatch, RequestSubject, Verification } from "../../sandbox/observation/verify-requests.js";
import { pathPattern, pattern } from "../../sandbox/state/rule-schema.js";
import { optionalBody } from "./control-route.js";

const word = <const Word extends string>(words: readonly Word[]) => plainWord(words, { suggest: true });
const fates = ["written", "lost"] as const satisfies AnswerFate[];
const problemCodes = Object.keys(statusOfProblem) as ProblemCode[];

/** The most parts that a path with `:id` may have: it is compared with thousands of paths. */
const PARTS_MAX = 50;

/** Query parameters that filter the requests of the journal. */
export const requestFilters = {
  method: z
    .string()
    .regex(/^[A-Za-z]{1,20}$/, { error: "must be an HTTP method such as POST" })
    .optional(),
  path: z
    .string()
    .regex(/^\/[^?]*$/, { error: "must begin with / and have no query, as in /v1/charges/:id" })
    .refine((path) => !path.includes(":") || path.split("/").length <= PARTS_MAX, {
      error: `must have at most ${PARTS_MAX} parts where one stands for an id`,
    })
    .optional(),
  operation: word(operationIds).optional(),
  status: z
    .string()
    .regex(/^[1-5]\d\d$/, { error: "must be an HTTP status such as 201" })
    .transform(Number)
    .optional(),
  problem: word(problemCodes).optional(),
  rule: z.string().min(1, { error: "must be the id or the name of a rule" }).optional(),
  fault: word(requestFaults).optional(),
  fate: word(fates).optional(),
};

type Filters = z.infer<z.ZodObject<typeof requestFilters>>;

/** A rule is named by its id or by its name. */
export function matchOfFilters({ rule, ...filters }: Filters): RequestMatch {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...(rule !== undefined && { rule: { $in: [{ id: rule }, { name: rule }] } }) };
}

const anObject = pattern.refine((value) => typeof value === "object" && !Array.isArray(value), {
  error: "must be an object, or a matcher of one",
});

/** Numbers and flags would never match. */
const texts = anObject.superRefine((value, context) => {
  if (!isObject(value) || isMatcher(value)) return;
  for (const [name, wanted] of Object.entries(value)) {
    if (typeof wanted !== "number" && typeof wanted !== "boolean") continue;
    context.addIssue({ code: "custom", path: [name], message: `must be a text such as "${wanted}", or a matcher` });
  }
});

const match = object({
  method: pattern.refine((value) => typeof value === "string" || isMatcher(value), {
    error: "must be an HTTP method such as POST, or a matcher",
  }),
  path: pathPattern.refine((value) => typeof value !== "string" || !value.includes("?"), {
    error: "must be without a query, which goes into query",
  }),
  query: texts,
  headers: texts,
  body: pattern,
  operation: wordPattern(operationIds),
  status: pattern.refine((value) => Number.isInteger(value) || value === null || isMatcher(value), {
    error: "must be an HTTP status such as 201, null where no status came, or a matcher",
  }),
  answer: pattern,
  problem: wordPattern(problemCodes),
  rule: anObject,
  fault: wordPattern(requestFaults),
  fate: wordPattern(fates),
} satisfies Record<keyof RequestSubject, z.ZodType>).partial();

const countError = "must be a whole number, or a matcher such as {$gte: 1}";

const count = pattern
  .refine((value) => isMatcher(value) || (Number.isSafeInteger(value) && Number(value) >= 0), { error: countError })
  .default({ $gte: 1 });

/** `{match?, count?}`: by default `match` is any request, and `count` at least one. */
export const verification: z.ZodType<Verification> = optionalBody(object({ match: match.default({}), count }));

/** One of these words, null where there is none, or a matcher. */
function wordPattern(words: readonly string[]) {
  const one = word(words);
  return pattern.superRefine((value, context) => {
    const issue = value === null || isMatcher(value) ? undefined : one.safeParse(value).error?.issues[0];
    if (issue !== undefined) context.addIssue({ code: "custom", message: issue.message });
  });
}
