import type { SettingPath } from "../fields.js";
import { findSetting, settings } from "../../domain/profile/settings.js";
import type { Resting, SettingObject } from "./document.js";

/** A description that names the settings it rests on, and the words of the contract that leave the point open. */
export function resting(description: string, paths: readonly SettingPath[]): { description: string } & Resting {
  return paths.length === 0
    ? { description }
    : { description: explain(description, paths), "x-sandbox-setting": paths };
}

/** The description alone. */
export function explain(description: string, paths: readonly string[]): string {
  const bySource = new Map<string, string[]>();
  for (const path of paths) {
    const contract = findSetting(path)?.contract ?? "";
    const source = contract.startsWith("Not in the contract") ? contract : `The contract: "${contract}"`;
    bySource.set(source, [...(bySource.get(source) ?? []), `\`${path}\``]);
  }
  const sentences = [...bySource].map(([source, names]) => `Rests on ${names.join(", ")}. ${source}`);
  return [description, ...sentences].join("\n\n");
}

/** What each setting is, for those who find its name in the document. */
export function describeSettings(): Readonly<Record<string, SettingObject>> {
  return Object.fromEntries(
    settings.map(({ path, summary, default: chosen, contract }) => [path, { summary, default: chosen, contract }]),
  );
}
