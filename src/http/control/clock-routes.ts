import * as z from "zod";
import { duration, flag, instant, object, oneOf, sentence, wholeNumber, word } from "../../kernel/fields.js";
import { toIso } from "../../kernel/time/instant.js";
import { type ControlRoute, optionalBody, route } from "./control-route.js";
import { renderClock } from "./render-control.js";
import { shownSubject } from "../../domain/model/work.js";
import {
  type AdvanceResult,
  type AdvanceTarget,
  advance,
  setClockMode,
  settle,
} from "../../sandbox/company/advance.js";

const MAX_WAIT_MS_MAX = 3_600_000;
const maxWaitMs = wholeNumber(0, MAX_WAIT_MS_MAX, "milliseconds").optional();

/** `mode`, `now` or both. */
export const clockChange = object({
  mode: word(["running", "frozen"], { suggest: true }).optional(),
  now: instant.optional(),
}).superRefine((change, context) => {
  if (change.mode !== undefined || change.now !== undefined) return;
  context.addIssue({ code: "custom", message: "must have mode, now, or both" });
});

const targets = { by: duration().optional(), to: instant.optional(), toNext: oneOf(true).optional() };
const advanceRequest = optionalBody(
  object({ ...targets, settle: flag.optional(), lookAhead: flag.optional(), maxWaitMs }).check(
    z.superRefine(exactlyOne(Object.keys(targets))),
  ),
);

const settleRequest = optionalBody(object({ maxWaitMs }));

export const clockRoutes: readonly ControlRoute[] = [
  route("GET /clock", {}, ({ company }) => renderClock(company)),
  // Setting a future time advances to it, so that everything due before it happens.
  route("PUT /clock", { body: clockChange }, async ({ company, body: { mode, now } }) => {
    if (now !== undefined) await advance(company, { to: now }, { mode });
    else if (mode !== undefined) await setClockMode(company, mode);
    return renderClock(company);
  }),
  route(
    "POST /clock/advance",
    { body: advanceRequest },
    async ({ company, body: { by, to, toNext: _, ...options } }) => {
      return renderAdvance(await advance(company, targetOf(by, to), options), options.settle ?? true);
    },
  ),
  route("POST /settle", { body: settleRequest }, async ({ company, body }) => {
    const unfinished = await settle(company, body);
    return {
      settled: unfinished.length === 0,
      now: toIso(company.now()),
      ...(unfinished.length > 0 ? { unfinished } : {}),
    };
  }),
];

/** Reports, beside other problems, a body that does not have exactly one of these members. */
function exactlyOne(names: readonly string[]) {
  return (body: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
    const given = names.filter((name) => body[name] !== undefined);
    if (given.length === 1) return;
    const has = given.length === 0 ? "none" : given.join(" and ");
    sentence(context, `The body must have exactly one of ${names.join(", ")}; it has ${has}`);
  };
}

function targetOf(byMs: number | undefined, to: number | undefined): AdvanceTarget {
  if (byMs !== undefined) return { byMs };
  return to === undefined ? { toNext: true } : { to };
}

/** Has `unfinished` only when the call was to settle and its time ran out. */
function renderAdvance({ now, fired, firedCount, deliveries, unfinished }: AdvanceResult, settles: boolean) {
  return {
    now: toIso(now),
    fired: fired.map((item) => ({ at: toIso(item.at), kind: item.kind, id: shownSubject(item) })),
    firedCount,
    deliveries,
    ...(settles && unfinished.length > 0 ? { unfinished } : {}),
  };
}
