import { parseInstant, toIso } from "../../kernel/time/instant.js";
import type { Fields, LogSource } from "./log.js";
import { type Colors, colorsFor } from "../shared/output.js";
import { printable } from "../../kernel/messages/text.js";

/** Renders a line for people, with colours if `stream` allows them. */
export type LineRenderer = (line: Fields, stream: NodeJS.WriteStream) => string;

/**
 * Events are `09:00:00.000  charge.paid  <id>  10 000 XOF  order-1  req_1`, with the company's time; the first line of a day has the date before it.
 * Warnings and errors are `2026-01-15T09:00:00.000Z  warn   message  field=value`.
 */
export function createLineRenderer(source: () => Pick<LogSource, "now" | "home">): LineRenderer {
  let day: string | undefined;
  return (line, stream) => {
    const colors = colorsFor(stream);
    const { now, home } = source();
    const { event, level, time: _, now: at = toIso(now()), company, ...rest } = line;
    const when = String(at);
    const fields = { ...rest, company: company === home ? undefined : company };
    if (level === "warn" || level === "error") return renderWarning(when, String(event), level, fields, colors);
    const today = when.slice(0, DATE_LENGTH);
    const isNewDay = today !== day;
    day = today;
    const written = renderEvent(when, String(event), fields, colors);
    return isNewDay ? `${colors.dim(today)}\n${written}` : written;
  };
}

const DATE_LENGTH = "2026-01-15".length;

function renderWarning(when: string, event: string, level: "warn" | "error", fields: Fields, colors: Colors): string {
  const { message, ...others } = fields;
  const what = typeof message === "string" ? message : event.replaceAll("-", " ");
  const [first = "", ...more] = printable(what).split("\n");
  const inline = Object.entries(others).filter(([, value]) => value !== undefined && !isLong(value));
  const painted = (level === "warn" ? colors.yellow : colors.red)(level.padEnd(5));
  const head = [colors.dim(when), painted, first, ...inline.map(([name, value]) => nameValue(name, value, colors))];
  // Texts of several lines, such as stack traces, are indented.
  const below = Object.values(others)
    .filter(isLong)
    .flatMap((text) => printable(text).split("\n"));
  return [head.join("  "), ...[...more, ...below].map((line) => `    ${line}`)].join("\n");
}

function renderEvent(when: string, event: string, fields: Fields, colors: Colors): string {
  const clock = colors.dim(when.slice(DATE_LENGTH + 1, -1));
  const { message } = fields;
  if (typeof message === "string") return `${clock}  ${printable(message).replaceAll("\n", "\n    ")}`;
  const isRequest = event === "request";
  const { title, paint } = isRequest ? titleOfRequest(fields, colors) : titleOfEvent(event, colors);
  // The title of a request has its status and method. The URL of a webhook is shown only if it did not arrive.
  const omitted: Fields = isRequest ? { status: undefined, method: undefined } : {};
  const arrived: Fields = event.endsWith("succeeded") ? { url: undefined } : {};
  const { request, ...others } = { ...fields, ...omitted, ...arrived };
  const parts = Object.entries({ ...others, request }).flatMap(([name, value]) =>
    renderField(name, value, when, colors),
  );
  // The padding is outside the colour, so that trimEnd removes it.
  return [clock, paint(title) + " ".repeat(Math.max(0, TITLE_WIDTH - title.length)), ...parts].join("  ").trimEnd();
}

const TITLE_WIDTH = "transaction.completed".length;
const AMOUNT_WIDTH = "100 000 XOF".length;

interface Title {
  readonly title: string;
  readonly paint: (text: string) => string;
}

function titleOfEvent(event: string, { green, red, yellow, cyan }: Colors): Title {
  if (/\.(?:paid|completed|succeeded|attempt_succeeded)$/.test(event)) return { title: event, paint: green };
  if (/\.(?:failed|exhausted|payment_failed)$/.test(event)) return { title: event, paint: red };
  const isOdd = /\.(?:dropped|cancelled|payment_lost|payment_cancelled|attempt_failed)$/.test(event);
  return { title: event, paint: isOdd ? yellow : cyan };
}

/** Status 0 means that there was no answer. */
function titleOfRequest({ status, method }: Fields, { green, red, yellow }: Colors): Title {
  const code = Number(status);
  const paint = code >= 500 || code === 0 ? red : code >= 400 ? yellow : green;
  return { title: `${code === 0 ? "---" : code} ${text(method)}`, paint };
}

function renderField(name: string, value: unknown, when: string, colors: Colors): readonly string[] {
  if (value === undefined || hidden.has(name)) return [];
  switch (name) {
    case "amount":
    case "balance":
      return [`${grouped(value)} XOF`.padStart(AMOUNT_WIDTH)];
    case "refunded":
      return [`${grouped(value)} XOF refunded`];
    case "transactions":
      return [`${text(value)} transactions`];
    case "deliveriesInFlight":
      return value === 0 ? [] : [nameValue(name, value, colors)];
    case "attempt":
      return value === 1 ? [] : [`attempt ${text(value)}`];
    case "durationMs":
      return [`${text(value)} ms`];
    case "nextAttemptAt":
      return [`next at ${shortened(text(value), when)}`];
    case "reason":
    case "problem":
    case "fault":
      return [colors.yellow(text(value))];
    case "path":
      return [text(value, /^[^\s"]+$/)];
    case "resource":
    case "externalId":
    case "reference":
    case "topic":
    case "url":
    case "status":
      return [text(value)];
    case "request":
    case "correlationId":
      return [colors.dim(text(value))];
    default:
      return [nameValue(name, value, colors)];
  }
}

const hidden: ReadonlySet<string> = new Set(["eventId", "delivery", "operation"]);

function nameValue(name: string, value: unknown, { dim }: Colors): string {
  return `${dim(`${name}=`)}${text(value)}`;
}

/** Quotes anything but a word, so that a client's text cannot look like a field. */
function text(value: unknown, word = /^[^\s"=]+$/): string {
  const isWord = typeof value === "string" && word.test(value);
  return printable(isWord ? value : (JSON.stringify(value) ?? "undefined"));
}

/** `10 000.5` */
function grouped(value: unknown): string {
  const [whole = "", decimals] = text(value).split(".");
  const groups = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, " ");
  return decimals === undefined ? groups : `${groups}.${decimals}`;
}

function shortened(instant: string, when: string): string {
  const isToday = instant.slice(0, DATE_LENGTH) === when.slice(0, DATE_LENGTH);
  return isToday && parseInstant(instant) !== undefined ? instant.slice(DATE_LENGTH + 1, -1) : instant;
}

function isLong(value: unknown): value is string {
  return typeof value === "string" && value.includes("\n");
}
