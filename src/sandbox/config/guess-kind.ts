import { basename } from "node:path";
import { isObject } from "../../domain/profile/read-overrides.js";
import { findSetting, settingGroups } from "../../domain/profile/settings.js";
import { UsageError } from "../../kernel/problem.js";
import { configFields } from "./config-schema.js";
import { worldLists } from "../state/fixture.js";

export type FileKind = "config" | "profile" | "fixtures";

/** As `findKind`; throws UsageError("file") when neither keys nor name tell. */
export function guessKind(file: string, value: unknown): FileKind {
  const kind = findKind(file, value);
  if (kind !== undefined) return kind;
  const why = "neither its name nor its keys say whether it is a configuration, a profile or fixtures";
  throw new UsageError(
    "file",
    `Failed to validate ${file}: ${why}. Name it sandbox.config.yaml, or with "profile" or "fixtures" in its name.`,
  );
}

/** What a file is meant to be: what most of its keys belong to, and where they do not tell, what its name says. */
export function findKind(file: string, value: unknown): FileKind | undefined {
  const named = kindOfName(file);
  if (named === "config" && basename(file).startsWith("sandbox.config.")) return named;
  const entries = isObject(value) ? Object.entries(value) : [];
  const score = (kind: FileKind): number =>
    entries.filter(([key, member]) => belongs[kind](key, member)).length + (kind === named ? 0.5 : 0);
  const best = kinds.reduce((a, b) => (score(b) > score(a) ? b : a));
  return score(best) > 0 ? best : undefined;
}

/** Of equally likely ones the first. */
const kinds = ["config", "fixtures", "profile"] as const satisfies FileKind[];

function kindOfName(file: string): FileKind | undefined {
  const name = basename(file);
  if (/\bconfig\b/i.test(name)) return "config";
  if (/profile/i.test(name)) return "profile";
  return /fixture/i.test(file) ? "fixtures" : undefined;
}

const configKeys: ReadonlySet<string> = new Set(Object.keys(configFields("")));
const fixtureKeys: ReadonlySet<string> = new Set(["companies", ...Object.keys(worldLists)]);

/** `charges` and `customers` are lists in fixtures, and groups of settings in a profile. */
const belongs: Readonly<Record<FileKind, (key: string, member: unknown) => boolean>> = {
  config: (key) => configKeys.has(key),
  fixtures: (key, member) => fixtureKeys.has(key) && !isObject(member),
  profile: (key, member) => (settingGroups.has(key) || findSetting(key) !== undefined) && !Array.isArray(member),
};
