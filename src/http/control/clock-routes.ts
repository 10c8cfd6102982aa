import * as z from "zod";
import { object } from "../../kernel/fields.js";
import { parseRequest } from "../../contract/parse.js";
import { toIso } from "../../kernel/instant.js";
import { type AdvanceResult, type AdvanceTarget, advance, setClockMode, settle } from "../../sandbox/clock/advance.js";
import { duration, exactlyOne, flag, instant, optionalBody, word } from "./control-fields.js";
import type { ControlRoute } from "./control-route.js";
import { renderClock } from "./render-control.js";
import { shownSubject } from "../../domain/model/work.js";

const MAX_WAIT_MS_MAX = 3_600_000;
const maxWaitError = `must be a whole number of milliseconds from 0 to ${MAX_WAIT_MS_MAX}`;
const maxWaitMs = z
  .int({ error: maxWaitError })
  .min(0, { error: maxWaitError })
  .max(MAX_WAIT_MS_MAX, { error: maxWaitError });

/** `mode`, `now` or both. */
export const clockChange = object({
  mode: word(["running", "frozen"]).optional(),
  now: instant.optional(),
}).superRefine((change, context) => {
  if (change.mode !== undefined || change.now !== undefined) return;
  context.addIssue({ code: "custom", message: "must have mode, now, or both" });
});

const advanceFields = {
  by: duration().optional(),
  to: instant.optional(),
  toNext: z.literal(true, { error: "must be true" }).optional(),
};
const advanceRequest = object({
  ...advanceFields,
  settle: flag.optional(),
  lookAhead: flag.optional(),
  maxWaitMs: maxWaitMs.optional(),
}).check(z.superRefine(exactlyOne(Object.keys(advanceFields))));

const settleRequest = optionalBody(object({ maxWaitMs: maxWaitMs.optional() }));

/** A company's time. */
export const clockRoutes: readonly ControlRoute[] = [
  { method: "GET", path: "/clock", company: "selected", handle: ({ company }) => renderClock(company) },
  {
    method: "PUT",
    path: "/clock",
    company: "selected",
    takes: "json",
    // "Setting a future time is an advance."
    handle: async ({ company, body }) => {
      const { mode, now } = parseRequest(clockChange, body);
      if (now !== undefined) await advance(company, { to: now }, { mode });
      else if (mode !== undefined) await setClockMode(company, mode);
      return renderClock(company);
    },
  },
  {
    method: "POST",
    path: "/clock/advance",
    company: "selected",
    takes: "json",
    handle: async ({ company, body }) => {
      const { by, to, toNext: _, ...options } = parseRequest(advanceRequest, body ?? {});
      return renderAdvance(await advance(company, targetOf(by, to), options), options.settle ?? true);
    },
  },
  {
    method: "POST",
    path: "/settle",
    company: "selected",
    takes: "json",
    handle: async ({ company, body }) => {
      const unfinished = await settle(company, parseRequest(settleRequest, body));
      return {
        settled: unfinished.length === 0,
        now: toIso(company.now()),
        ...(unfinished.length > 0 ? { unfinished } : {}),
      };
    },
  },
];

function targetOf(byMs: number | undefined, to: number | undefined): AdvanceTarget {
  if (byMs !== undefined) return { byMs };
  return to === undefined ? { toNext: true } : { to };
}

/** `unfinished` only when it was to settle, and the time for waiting was used up before. */
function renderAdvance({ now, fired, firedCount, deliveries, unfinished }: AdvanceResult, settles: boolean) {
  return {
    now: toIso(now),
    fired: fired.map((item) => ({ at: toIso(item.at), kind: item.kind, id: shownSubject(item) })),
    firedCount,
    deliveries,
    ...(settles && unfinished.length > 0 ? { unfinished } : {}),
  };
}
