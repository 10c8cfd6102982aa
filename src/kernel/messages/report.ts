/** How the text of a report looks: its width, and the colours of a terminal. */
export interface Style {
  /** The width in columns. */
  readonly width: number;
  readonly good: Paint;
  readonly bad: Paint;
  readonly warning: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
}

type Paint = (text: string) => string;

const unchanged: Paint = (text) => text;

/** Without colours. */
export const plainStyle: Style = {
  width: 100,
  good: unchanged,
  bad: unchanged,
  warning: unchanged,
  strong: unchanged,
  faint: unchanged,
};

export interface JunitCase {
  readonly name: string;
  readonly className: string;
  readonly durationMs: number;
  /** Undefined for a case that passed without a remark. */
  readonly result?: JunitResult | undefined;
}

export interface JunitResult {
  readonly tag: "failure" | "error" | "skipped" | "system-out";
  readonly message?: string;
  readonly type?: string;
  readonly text?: string;
}

export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

/** Renders JUnit XML that the schema of Jenkins (junit-10.xsd) permits, with the numbers of tests, failures, errors and skipped cases. */
export function renderJunit(name: string, durationMs: number, suites: readonly JunitSuite[]): string {
  const { skipped: _, ...counts } = countsOf(suites.flatMap(({ cases }) => cases));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name, ...counts, time: seconds(durationMs) })}>`,
    ...suites.flatMap(({ name: suite, cases }) => [
      `  <testsuite${attributes({ name: suite, ...countsOf(cases), time: seconds(totalMs(cases)) })}>`,
      ...cases.flatMap(renderCase),
      "  </testsuite>",
    ]),
    "</testsuites>",
    "",
  ].join("\n");
}

function renderCase({ name, className, durationMs, result }: JunitCase): string[] {
  const open = `    <testcase${attributes({ name, classname: className, time: seconds(durationMs) })}`;
  if (result === undefined) return [`${open}/>`];
  const { tag, message, type, text } = result;
  const inside = `${tag}${attributes({ message, type })}`;
  const element = text === undefined ? `<${inside}/>` : `<${inside}>${escapeXml(text)}</${tag}>`;
  return [`${open}>`, `      ${element}`, "    </testcase>"];
}

function countsOf(cases: readonly JunitCase[]) {
  const count = (tag: JunitResult["tag"]): string => String(cases.filter(({ result }) => result?.tag === tag).length);
  return {
    tests: String(cases.length),
    failures: count("failure"),
    errors: count("error"),
    skipped: count("skipped"),
  };
}

function totalMs(cases: readonly JunitCase[]): number {
  return cases.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

function attributes(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? "" : ` ${name}="${escapeXml(value)}"`))
    .join("");
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** Escapes a text for an XML element or attribute. XML 1.0 forbids most control characters, even escaped: they are replaced. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\r", "&#13;");
}
