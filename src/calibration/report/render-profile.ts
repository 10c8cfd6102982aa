import { Document, isMap, isNode } from "yaml";
import { oneLine } from "../../kernel/messages/text.js";
import { mergeOverrides } from "../../domain/profile/overrides.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import type { CalibratedSetting, CalibrationReport } from "./report.js";
import { renderSum, describeEvidence } from "./reporters.js";
import { plainStyle } from "../../kernel/messages/report.js";

/** A profile file: the given profile with what the traffic has shown, and the evidence for each setting as a comment. */
export function renderProfile(report: CalibrationReport, given: ProfileOverrides): string {
  const written = report.settings.filter(isWritten);
  const overrides = written.reduce<unknown>((profile, { path, value }) => {
    const [group = "", name] = path.split(".");
    return mergeOverrides(profile, { [group]: name === undefined ? value : { [name]: value } });
  }, given);
  const document = new Document(overrides);
  document.commentBefore = [` ${renderSum(report, plainStyle)}`, ...openComment(report)].join("\n");
  for (const row of written) comment(document, row, report.assumptions);
  return document.toString({ lineWidth: 100 });
}

/** An open setting is written too when it has evidence: its value explains the traffic, though others do as well. */
function isWritten({ state, evidence }: CalibratedSetting): boolean {
  return state !== "open" || evidence.length > 0;
}

function openComment({ settings }: CalibrationReport): string[] {
  const open = settings.filter((row) => !isWritten(row)).map(({ path }) => path);
  return open.length === 0 ? [] : [` Open: ${open.join(", ")}`];
}

function comment(
  document: Document,
  { path, state, evidence }: CalibratedSetting,
  assumptions: CalibrationReport["assumptions"],
): void {
  const names = path.split(".");
  const parent = document.getIn(names.slice(0, -1));
  const key = isMap(parent) ? parent.items.find((pair) => String(pair.key) === names.at(-1))?.key : undefined;
  const about = assumptions.filter((assumption) => assumption.startsWith(`${path}: `));
  const lines = [...about, ...evidence.map(describeEvidence)].map((line) => ` ${oneLine(line)}`);
  if (isNode(key)) key.commentBefore = [` ${state}`, ...lines].join("\n");
}
