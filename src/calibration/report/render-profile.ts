import { Document, type YAMLMap } from "yaml";
import { isObject } from "../../kernel/messages/json.js";
import { oneLine } from "../../kernel/messages/text.js";
import { mergeOverrides } from "../../domain/profile/overrides.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import type { CalibratedSetting, CalibrationReport } from "./report.js";
import { renderSum, tellEvidence } from "./reporters.js";
import { plainStyle } from "../../kernel/messages/report.js";

/** A profile file: what was given, with what the traffic has shown, and the evidence for each setting as a comment. */
export function renderProfile(report: CalibrationReport, given: ProfileOverrides): string {
  const told = report.settings.filter(isWritten);
  const overrides = told.reduce<unknown>((profile, { path, value }) => {
    const [group = "", name] = path.split(".");
    return mergeOverrides(profile, { [group]: name === undefined ? value : { [name]: value } });
  }, given);
  const document = new Document(overrides);
  document.commentBefore = [` ${renderSum(report, plainStyle)}`, ...openComment(report)].join("\n");
  for (const row of told) comment(document, row);
  return document.toString({ lineWidth: 100 });
}

/** Also an open setting: the value explains the traffic, though others do too. */
function isWritten({ state, evidence }: CalibratedSetting): boolean {
  return state !== "open" || evidence.length > 0;
}

function openComment({ settings }: CalibrationReport): string[] {
  const open = settings.filter((row) => !isWritten(row)).map(({ path }) => path);
  return open.length === 0 ? [] : [` Open: ${open.join(", ")}`];
}

function comment(document: Document, { path, state, evidence }: CalibratedSetting): void {
  const parents = path.split(".");
  const name = parents.at(-1);
  const parent: unknown = parents.length === 1 ? document.contents : document.getIn(parents.slice(0, -1));
  const pair = isMap(parent) ? parent.items.find(({ key }) => String(key) === name) : undefined;
  const lines = evidence.map((one) => ` ${oneLine(tellEvidence(one))}`);
  const key: unknown = pair?.key;
  if (isNode(key)) key.commentBefore = [` ${state}`, ...lines].join("\n");
}

function isMap(value: unknown): value is YAMLMap {
  return typeof value === "object" && value !== null && "items" in value;
}

function isNode(value: unknown): value is { commentBefore?: string } {
  return typeof value === "object" && value !== null && !isObject(value);
}
