import { type Coverage, coverageSections, type CoverageSection } from "../sandbox/observation/coverage-report.js";
import { listUnmet, sectionTitles } from "../sandbox/observation/render-coverage.js";
import { alignColumns, WIDTH_MAX } from "./output.js";

/** Lines for what was never met of one section; the whole list is in the report and in `GET /_sandbox/coverage`. */
const LINES_MAX = 3;

const unmetTitles = {
  operations: "Never answered",
  transitions: "Never happened",
  causes: "Never the reason",
  topics: "Never acknowledged",
  rules: "Never fired",
} as const satisfies Partial<Record<CoverageSection, string>>;

/** Coverage for a terminal: a line for each section, then what was never met, cut to a few lines. */
export function renderCoverageTable(coverage: Coverage): string {
  const { percent, met, total, sections } = coverage;
  const counts = coverageSections
    .filter((section) => sections[section].total > 0)
    .map((section) => [`  ${sectionTitles[section]}`, `${sections[section].met}/${sections[section].total}`]);
  const unmet = (Object.keys(unmetTitles) as (keyof typeof unmetTitles)[]).flatMap((section) =>
    renderUnmet(unmetTitles[section], listUnmet(coverage, section)),
  );
  return [...alignColumns([["Coverage of the contract", `${met}/${total}`, `${percent} %`], ...counts]), ...unmet].join(
    "\n",
  );
}

function renderUnmet(title: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  const lines: string[] = [];
  let shown = 0;
  for (const item of items) {
    const last = lines.at(-1);
    const longer = last === undefined ? undefined : `${last}, ${item}`;
    if (longer !== undefined && longer.length <= WIDTH_MAX) lines[lines.length - 1] = longer;
    else if (lines.length === LINES_MAX) break;
    else lines.push(`  ${cut(item)}`);
    shown++;
  }
  const more = items.length - shown;
  return [`${title}:`, ...lines, ...(more > 0 ? [`  … and ${more} more`] : [])];
}

function cut(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, " ");
  const room = WIDTH_MAX - 2;
  return oneLine.length <= room ? oneLine : `${oneLine.slice(0, room - 1)}…`;
}
