import { formatDuration, tryParseDuration } from "../../kernel/duration.js";
import { parseInstant } from "../../kernel/instant.js";
import { UsageError } from "../../kernel/problem.js";
import { didYouMean } from "../../kernel/suggest.js";
import { callControl, type ControlTarget, isObject, notASandbox } from "../control-client.js";
import { alignColumns, printData, printDiagnostic, printJson } from "../output.js";
import { parseBaseUrl, wrongValue } from "../values.js";

export interface ClockFlags {
  readonly toNext?: true;
  readonly url?: string;
  readonly company?: string;
  readonly adminToken?: string;
  readonly json?: true;
}

/** `sandbox clock [show | advance 1h | advance --to-next | set ISO | freeze | resume]` */
export async function clock(action: string | undefined, value: string | undefined, flags: ClockFlags): Promise<void> {
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

interface Change {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body: object;
}

const ADVANCE = "/clock/advance";
const actions = ["show", "advance", "set", "freeze", "resume"] as const;

/** What is to be sent; undefined when the clock is only looked at. Checked here already: a wrong word needs no sandbox to be wrong. */
function readChange(action: string, value: string | undefined, { toNext }: ClockFlags): Change | undefined {
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

function readTarget(flags: ClockFlags): ControlTarget {
  const fromFlag = flags.url !== undefined;
  const url = flags.url ?? (process.env["SANDBOX_URL"] || "http://127.0.0.1:4010");
  return {
    url: parseBaseUrl(fromFlag ? "--url" : "SANDBOX_URL", url),
    company: flags.company ?? (process.env["SANDBOX_COMPANY_ID"] || undefined),
    adminToken: flags.adminToken ?? (process.env["SANDBOX_ADMIN_TOKEN"] || undefined),
  };
}

function readClock(target: ControlTarget): Promise<unknown> {
  return callControl(target, { method: "GET", path: "/clock" });
}

interface Due {
  readonly at: string;
  readonly kind: string;
  readonly id: string;
}

function isDue(value: unknown): value is Due {
  return isObject(value) && [value["at"], value["kind"], value["id"]].every((member) => typeof member === "string");
}

/** Now, the mode, and what is due next. */
function printClock({ url }: ControlTarget, answer: unknown): void {
  if (!isObject(answer)) throw notASandbox(url);
  const { now, mode, pendingTimers, next } = answer;
  if (typeof now !== "string" || typeof mode !== "string") throw notASandbox(url);
  const rows = [["now", `${now}, ${mode}`]];
  if (isDue(next)) {
    const wait = Date.parse(next.at) - Date.parse(now);
    const others =
      typeof pendingTimers === "number" && pendingTimers > 1 ? `, and ${pendingTimers - 1} more after it` : "";
    rows.push(["next", `${next.at}, in ${formatDuration(Math.max(0, wait))}: ${next.kind} ${next.id}${others}`]);
  } else {
    rows.push(["next", "nothing is due"]);
  }
  printData(alignColumns(rows).join("\n"));
}

/** How many of what happened are shown; --json has them all. */
const SHOWN_MAX = 20;

function printAdvance({ url }: ControlTarget, answer: unknown): void {
  if (!isObject(answer) || !Array.isArray(answer["fired"])) throw notASandbox(url);
  const fired = answer["fired"].filter(isDue);
  const count = typeof answer["firedCount"] === "number" ? answer["firedCount"] : fired.length;
  if (count === 0) printData("Nothing was due.");
  else {
    printData(alignColumns(fired.slice(0, SHOWN_MAX).map(({ at, kind, id }) => [at, kind, id])).join("\n"));
    if (count > SHOWN_MAX) printData(`… and ${count - SHOWN_MAX} more (--json lists them)`);
  }
  const { deliveries, unfinished } = answer;
  if (isObject(deliveries) && deliveries["attempted"] !== 0) {
    const { attempted, succeeded, failed } = deliveries;
    printData(`webhooks: ${String(attempted)} attempted, ${String(succeeded)} succeeded, ${String(failed)} failed`);
  }
  if (Array.isArray(unfinished))
    printDiagnostic(`Still in flight, their receivers do not answer: ${unfinished.join(", ")}`);
}
