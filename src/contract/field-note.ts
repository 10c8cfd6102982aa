import type { Profile } from "../domain/profile/profile.js";

/** The path of a setting, `charges.createdAtFormat`: one that does not exist does not compile. */
export type SettingPath = {
  [Group in keyof Profile]: Group extends "rateLimit" ? Group : `${Group}.${keyof Profile[Group] & string}`;
}[keyof Profile];

/** What a schema says of a field to those who read the API description. */
export interface FieldNote {
  [key: string]: unknown;
  description: string;
  "x-sandbox-setting"?: SettingPath[];
}

/** A sentence for a schema's `.meta()`, and the settings on which the field rests. */
export function note(description: string, ...settings: SettingPath[]): FieldNote {
  return settings.length === 0 ? { description } : { description, "x-sandbox-setting": settings };
}
