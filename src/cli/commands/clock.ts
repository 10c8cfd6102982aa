import * as z from "zod";
import { addClosing, type Verb } from "../shared/help.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { formatDuration, tryParseDuration } from "../../kernel/time/duration.js";
import { parseInstant } from "../../kernel/time/instant.js";
import { didYouMean } from "../../kernel/messages/suggest.js";
import { alignColumns, printData, printDiagnostic, printJson } from "../shared/output.js";
import {
  type ControlCall,
  type ControlTarget,
  type TargetFlags,
  callControl,
  notASandbox,
  readTarget,
} from "../shared/control-call.js";
import { wrongValue } from "../shared/values.js";

export const verb: Verb = (command) => {
  command
    .description(
      "Shows or moves the time of one company of a running sandbox.\nWhat falls due on the way happens, webhooks included.",
    )
    .usage("[show|advance <by>|set <to>|freeze|resume] [options]")
    .argument("[action]", "show, advance, set, freeze or resume (default: show)")
    .argument("[value]", "advance: 10s, 1h30m, PT1H or milliseconds; set: ISO")
    .option("--to-next", "advance to the next thing that is due")
    .option("--url <url>", "default: SANDBOX_URL, or http://127.0.0.1:4010")
    .option("--company <id>", "default: SANDBOX_COMPANY_ID, or the first company")
    .option("--admin-token <token>", "default: SANDBOX_ADMIN_TOKEN")
    .option("--json", "print the sandbox's answer")
    .action(async (action: string | undefined, value: string | undefined, flags: ClockFlags) =>
      clock(action, value, flags),
    );
  addClosing(
    command,
    `Examples:
  sandbox clock                        now, and what is due next
  sandbox clock advance 1h             skip an hour
  sandbox clock advance --to-next      skip to the next thing that is due
  sandbox clock set 2030-01-31T08:00:00Z
  sandbox clock freeze                 time moves only on command`,
  );
};

interface ClockFlags extends TargetFlags {
  readonly toNext?: true;
  readonly json?: true;
}

async function clock(action: string | undefined, value: string | undefined, flags: ClockFlags): Promise<void> {
  const change = readChange(action ?? "show", value, flags);
  const target = readTarget(flags);
  const answer = change === undefined ? undefined : await callControl(target, change);
  if (flags.json === true) {
    printJson(answer ?? (await readClock(target)));
    return;
  }
  if (change?.path === ADVANCE) printAdvance(target, answer);
  printClock(target, await readClock(target));
}

const ADVANCE = "/clock/advance";
const actions = ["show", "advance", "set", "freeze", "resume"] as const;

function readChange(action: string, value: string | undefined, { toNext }: ClockFlags): ControlCall | undefined {
  const isAdvance = action === "advance";
  if (toNext === true && !isAdvance) throw wrongUse("--to-next belongs to advance: sandbox clock advance --to-next");
  switch (action) {
    case "advance":
      return { method: "POST", path: ADVANCE, body: readAdvance(value, toNext ?? false) };
    case "set":
      return { method: "POST", path: ADVANCE, body: { to: readInstant(value) } };
    case "show":
    case "freeze":
    case "resume":
      if (value !== undefined) throw wrongUse(`${action} takes no value, got ${JSON.stringify(value)}`);
      if (action === "show") return undefined;
      return { method: "PUT", path: "/clock", body: { mode: action === "freeze" ? "frozen" : "running" } };
    default:
      throw wrongUse(
        `The clock cannot ${JSON.stringify(action)}: it can ${actions.join(", ")}`,
        didYouMean(action, actions),
      );
  }
}

function readAdvance(value: string | undefined, toNext: boolean): object {
  if (toNext) {
    if (value !== undefined)
      throw wrongUse(`advance takes a duration or --to-next, not both (got ${JSON.stringify(value)})`);
    return { toNext };
  }
  if (value === undefined) throw wrongUse("advance needs a duration such as 1h, or --to-next");
  const parsed = tryParseDuration(value);
  if ("error" in parsed) throw wrongUse(parsed.error);
  return { by: value };
}

function readInstant(value: string | undefined): string {
  if (value !== undefined && parseInstant(value) !== undefined) return value;
  if (value === undefined) throw wrongUse("set needs an ISO instant such as 2026-01-15T09:00:00Z");
  throw wrongValue("The time to set", "an ISO instant such as 2026-01-15T09:00:00Z", value);
}

function wrongUse(sentence: string, hint = ""): UsageError {
  return new UsageError("command-line", `${sentence}.${hint}`);
}

function readClock(target: ControlTarget): Promise<unknown> {
  return callControl(target, { method: "GET", path: "/clock" });
}

/** Another program may answer with anything, even with control sequences of a terminal. */
const instant = z.string().refine((text) => parseInstant(text) !== undefined);
const plain = z.string().regex(/^[\w.:-]+$/);
const dueItem = z.object({ at: instant, kind: plain, id: plain });
const clockAnswer = z.object({
  now: instant,
  mode: plain,
  pendingTimers: z.number(),
  next: dueItem.nullish(),
});
const advanceAnswer = z.object({
  fired: z.array(dueItem),
  firedCount: z.number(),
  deliveries: z.object({ attempted: z.number(), succeeded: z.number(), failed: z.number() }),
  unfinished: z.array(plain).optional(),
});

function parseAnswer<T>(schema: z.ZodType<T>, answer: unknown, target: ControlTarget): T {
  const { data } = schema.safeParse(answer);
  if (data === undefined) throw notASandbox(target);
  return data;
}

function printClock(target: ControlTarget, answer: unknown): void {
  const { now, mode, pendingTimers, next } = parseAnswer(clockAnswer, answer, target);
  const others = pendingTimers > 1 ? `, and ${pendingTimers - 1} more after it` : "";
  const due = next && `${next.at}, in ${formatDuration(Math.max(0, Date.parse(next.at) - Date.parse(now)))}`;
  printData(
    alignColumns([
      ["now", `${now}, ${mode}`],
      ["next", next ? `${due}: ${next.kind} ${next.id}${others}` : "nothing is due"],
    ]).join("\n"),
  );
}

const SHOWN_MAX = 20;

function printAdvance(target: ControlTarget, answer: unknown): void {
  const { fired, firedCount, deliveries, unfinished } = parseAnswer(advanceAnswer, answer, target);
  if (firedCount === 0) printData("Nothing was due.");
  else {
    printData(alignColumns(fired.slice(0, SHOWN_MAX).map(({ at, kind, id }) => [at, kind, id])).join("\n"));
    if (firedCount > SHOWN_MAX) printData(`… and ${firedCount - SHOWN_MAX} more (--json lists them)`);
  }
  const { attempted, succeeded, failed } = deliveries;
  if (attempted > 0) printData(`webhooks: ${attempted} attempted, ${succeeded} succeeded, ${failed} failed`);
  if (unfinished !== undefined)
    printDiagnostic(`Still in flight, their receivers do not answer: ${unfinished.join(", ")}`);
}
