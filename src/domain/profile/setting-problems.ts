import type * as z from "zod";
import { isSentence, renderPath, valueAt } from "../../kernel/fields.js";
import { didYouMean, nearest } from "../../kernel/messages/suggest.js";
import { quote, shorten } from "../../kernel/messages/text.js";
import type { Setting } from "./setting.js";
import { findSetting, settingGroups, settings } from "./settings.js";

/** One problem of a profile: its place, as keys from the top, and a sentence with the full path and what would be right. */
export interface ProfileProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Why a setting refused what was written: one problem for each part that is wrong. */
export function problemsOfValue(setting: Setting, written: unknown, error: z.ZodError): ProfileProblem[] {
  // Keyed by message: a number that is neither whole nor in range fails two checks with the same message.
  const problems = new Map<string, ProfileProblem>();
  for (const issue of error.issues.flatMap(narrow).slice(0, ISSUES_MAX)) {
    const inner = issue.path.filter((key) => typeof key !== "symbol");
    const path = [...setting.path.split("."), ...inner];
    const message = `${renderPath(path)}${predicate(issue, valueAt(written, inner))}`;
    problems.set(message, { path, message });
  }
  return [...problems.values()];
}

/** Why a key is not a setting, and which setting was probably meant. */
export function unknownSetting(path: readonly string[]): ProfileProblem {
  const name = path.join(".");
  const [group, inner] = name.split(".", 2);
  if (path.length === 1 && findSetting(name) !== undefined) {
    return { path, message: `${name} is written nested: {"${group}": {"${inner}": …}}` };
  }
  const meant = didYouMean(name, [...settings.map((setting) => setting.path), ...settingGroups]) || sameName(path);
  const shown = /^\s|^$/.test(name) ? quote(name) : shorten(name, SHOWN_MAX);
  return { path, message: `${shown} is not a setting${meant === "" ? "" : `.${meant}`}` };
}

/** Why a group cannot have the value that was written for it. */
export function notAGroup(group: string, written: unknown): ProfileProblem {
  const paths = settings.map(({ path }) => path).filter((path) => path.startsWith(`${group}.`));
  const some = paths.slice(0, 3).join(", ");
  const message = `${group} must be an object with settings such as ${some}, not ${show(written)}`;
  return { path: [group], message };
}

/** What was given, as JSON if possible, and shortened to fit into a message. */
export function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "number") return String(value);
  try {
    return shorten(JSON.stringify(value) ?? `a ${typeof value}`, SHOWN_MAX);
  } catch {
    // The value has a cycle or a bigint.
    return `a ${typeof value}`;
  }
}

/** The issue of a union says little. The issues of the branch that was plainly meant say what is wrong in it: `webhooks.retry[1]`. */
function narrow(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const tooLong = issue.errors.flat().find((inner) => inner.code === "too_big" && inner.origin === "array");
  if (tooLong !== undefined) return [{ ...tooLong, path: [...issue.path, ...tooLong.path] }];
  const meant = issue.errors.filter((branch) => branch.every((inner) => inner.path.length > 0 || isSentence(inner)));
  if (meant.length !== 1) return [issue];
  return (meant[0] ?? []).flatMap((inner) => narrow({ ...inner, path: [...issue.path, ...inner.path] }));
}

function predicate(issue: z.core.$ZodIssue, written: unknown): string {
  if (isSentence(issue)) return `: ${issue.message}`;
  if (issue.code === "unrecognized_keys") return ` ${issue.message.replaceAll("\n", "; ")}`;
  return ` ${issue.message}, ${written === undefined ? "and is missing" : `not ${show(written)}`}`;
}

/** Suggests `settlement` or `charge.settlement` to someone who forgot or mixed up the group. */
function sameName(path: readonly string[]): string {
  const name = path.at(-1) ?? "";
  const found = settings.map((setting) => setting.path).filter((known) => `.${known}`.endsWith(`.${name}`));
  const listed = found.length === 0 ? nearestByName(name) : found;
  return listed.length === 0 ? "" : ` Did you mean ${listed.map((known) => `"${known}"`).join(" or ")}?`;
}

function nearestByName(name: string): string[] {
  const names = settings.map(({ path }) => path.split(".").at(-1) ?? path);
  const meant = nearest(name, names);
  return meant === undefined ? [] : settings.map(({ path }) => path).filter((path) => path.endsWith(`.${meant}`));
}

const SHOWN_MAX = 80;

/** The most issues that are reported: a body of a megabyte could have hundreds of thousands. */
const ISSUES_MAX = 100;
