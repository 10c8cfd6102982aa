import { type JunitCase, type Style, plainStyle, renderJunit as renderJunitXml } from "../../kernel/messages/report.js";
import type { Json } from "../../kernel/messages/json.js";
import { oneLine, shorten, wrapText, pluralize } from "../../kernel/messages/text.js";
import type { ExchangeName } from "../recording/entry.js";
import {
  type CalibratedSetting,
  type CalibrationReport,
  type Drift,
  type Evidence,
  NOTHING_COMPARED,
  isChanged,
} from "./report.js";

/** What the traffic says about the settings, then the drift. */
export function renderPretty(report: CalibrationReport, style: Style): string {
  const { settings, drift, assumptions } = report;
  const listed = (state: CalibratedSetting["state"], label: string): string[] => {
    const paths = settings.filter((row) => row.state === state && !isChanged(row)).map(({ path }) => path);
    return paths.length === 0 ? [] : wrapText(paths.join(", "), style.width, 2, `${label}: `).map(style.faint);
  };
  const blocks = [
    ...settings.filter((row) => row.state === "contradicted" || isChanged(row)).map((row) => renderSetting(row, style)),
    listed("confirmed", "Confirmed"),
    listed("open", "Open"),
    ...drift.map((row) => renderDrift(row, style)),
    assumptions.flatMap((text) => wrapText(oneLine(text), style.width, 6, "Assumption: ")).map(style.faint),
    [renderSum(report, style)],
  ].filter((lines) => lines.length > 0);
  return blocks.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

function renderSetting(row: CalibratedSetting, style: Style): string[] {
  const paint = { set: style.good, confirmed: style.good, open: style.warning, contradicted: style.bad }[row.state];
  return [
    `${paint(row.state)}  ${style.strong(titleOf(row))}`,
    ...row.evidence.flatMap((evidence) => wrapText(describeEvidence(evidence), style.width, 4, "  ")),
  ];
}

function renderDrift(row: Drift, style: Style): string[] {
  return [
    `${style.warning("drift")}  ${style.strong(subjectOf(row))}`,
    ...wrapText(describeDrift(row), style.width, 4, "  "),
  ];
}

/** `http.createdStatus: 200 in place of 201` */
function titleOf(row: CalibratedSetting): string {
  const { path, value, default: before } = row;
  return isChanged(row) ? `${path}: ${show(value)} in place of ${show(before)}` : `${path}: ${show(value)}`;
}

/** `#3 POST /v1/charges: /status is 200, not 201` */
export function describeEvidence({ exchange, pointer, expected, got }: Evidence): string {
  return `${describeExchange(exchange)}: ${placeOf(pointer)} is ${show(got)}, not ${show(expected)}`;
}

export function subjectOf({ operation, topic }: Drift): string {
  return operation ?? `webhook ${topic}`;
}

export function describeDrift(drift: Drift): string {
  const { count, of, example } = drift;
  return `${describeDifference(drift)}. In ${count} of ${of}, first in ${describeExchange(example.exchange)}.`;
}

export function describeDifference({ kind, pointer, example }: Drift): string {
  const place = placeOf(pointer);
  const [got, expected] = [show(example.got), show(example.expected)];
  return {
    added: `only the service has ${place}: ${got}`,
    missing: `only the sandbox has ${place}: ${expected}`,
    type: `${place} has another type: ${showJson(example.got)}, not ${showJson(example.expected)}`,
    value: `${place} is ${got}, not ${expected}`,
    status: `the status is ${got}, not ${expected}`,
    order: `${place} has another order`,
    signature: `the signature in ${place} is ${example.got === null ? "missing" : "invalid"}`,
  }[kind];
}

function describeExchange({ file, index, method, path }: ExchangeName): string {
  return `${file === null ? "" : oneLine(file)}#${index} ${method} ${path}`;
}

function placeOf(pointer: string): string {
  return pointer === "" ? "the webhook" : oneLine(pointer);
}

function show(value: Json): string {
  const text = typeof value === "string" ? oneLine(value) : "";
  return text === "" ? showJson(value) : shorten(text, 80);
}

/** As JSON, so that texts are in quotes. */
function showJson(value: Json): string {
  return shorten(oneLine(JSON.stringify(value)), 80);
}

export function renderSum({ counts, source }: CalibrationReport, style: Style): string {
  const { confirmed, set, open, contradicted, drift } = counts;
  const states = [
    style.good(`${confirmed} confirmed`),
    style.good(`${set} set`),
    `${open} open`,
    contradicted === 0 ? "0 contradicted" : style.bad(`${contradicted} contradicted`),
  ];
  const { exchanges, webhooks, compared } = source;
  const differences = drift === 0 ? style.good("no drift") : style.warning(`${pluralize(drift, "kind")} of drift`);
  const verdict = compared === 0 ? style.bad("nothing compared") : differences;
  const skipped = exchanges + webhooks - compared;
  const left = skipped === 0 || compared === 0 ? "" : `, ${skipped} of them not compared`;
  return `${states.join(", ")}; ${verdict}: ${pluralize(exchanges, "request")}, ${pluralize(webhooks, "webhook")}${left}`;
}

export function renderMarkdown(report: CalibrationReport): string {
  const { settings, drift, assumptions } = report;
  const isListed = (row: CalibratedSetting): boolean => row.state !== "open" || isChanged(row);
  const rows = settings.filter(isListed);
  const open = settings.filter((row) => !isListed(row)).map(({ path }) => `\`${path}\``);
  const noDrift = report.source.compared === 0 ? NOTHING_COMPARED : "None.";
  const sections = [
    "# Calibration",
    renderSum(report, plainStyle),
    "## Settings",
    ...(rows.length === 0 ? [] : [table(["Setting", "State", "Value", "Evidence"], rows.map(settingCells))]),
    ...(open.length === 0 ? [] : [`Open: ${open.join(", ")}.`]),
    "## Drift",
    drift.length === 0
      ? noDrift
      : table(
          ["Where", "What"],
          drift.map((row) => [subjectOf(row), describeDrift(row)]),
        ),
    ...(assumptions.length === 0 ? [] : ["## Assumptions", assumptions.map((text) => `- ${oneLine(text)}`).join("\n")]),
  ];
  return `${sections.join("\n\n")}\n`;
}

function settingCells({ path, state, value, evidence }: CalibratedSetting): string[] {
  const [first] = evidence;
  return [`\`${path}\``, state, `\`${show(value)}\``, first === undefined ? "" : describeEvidence(first)];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => oneLine(cell).replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** JUnit XML: a case for each setting and each drift. What `failOn` does not name is output, not a failure. */
export function renderJunit(report: CalibrationReport, failOn: readonly string[]): string {
  const settings = report.settings.map((row) => settingCase(row, failOn));
  const drift = report.drift.map((row): JunitCase => {
    const text = describeDrift(row);
    const name = `${subjectOf(row)} ${row.kind} ${row.pointer}`.trimEnd();
    const result = failOn.includes("drift")
      ? { tag: "failure" as const, message: text, type: "drift", text }
      : { tag: "system-out" as const, text };
    return { name, className: "calibrate.drift", durationMs: 0, result };
  });
  const unjudged: JunitCase = {
    name: "drift",
    className: "calibrate.drift",
    durationMs: 0,
    result: { tag: "error", message: NOTHING_COMPARED, type: "inconclusive", text: NOTHING_COMPARED },
  };
  return renderJunitXml("sandbox calibrate", 0, [
    { name: "settings", cases: settings },
    { name: "drift", cases: report.source.compared === 0 ? [unjudged, ...drift] : drift },
  ]);
}

function settingCase(row: CalibratedSetting, failOn: readonly string[]): JunitCase {
  const { path, state, evidence } = row;
  const shared = { name: titleOf(row), className: `calibrate.${path}`, durationMs: 0 };
  const text = evidence.map(describeEvidence).join("\n");
  const fail = (type: string, message: string): JunitCase => ({
    ...shared,
    result: { tag: "failure", message, type, text },
  });
  if (state === "contradicted" && failOn.includes(state)) return fail(state, "parts of the traffic disagree");
  if (isChanged(row) && failOn.includes("set")) return fail("set", "the service has another value");
  if (state === "open") return { ...shared, result: { tag: "skipped", message: "the traffic does not show it" } };
  return state === "confirmed" ? shared : { ...shared, result: { tag: "system-out", text } };
}
