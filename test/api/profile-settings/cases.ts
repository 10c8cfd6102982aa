import type { Json } from "../../../src/kernel/messages/json.js";
import { chargeCases } from "./charge-cases.js";
import { httpCases } from "./http-cases.js";
import type { SettingCase } from "./setting-case.js";
import { transferCases } from "./transfer-cases.js";
import { webhookCases } from "./webhook-cases.js";

export const cases: readonly SettingCase[] = [...httpCases, ...transferCases, ...chargeCases, ...webhookCases];

/** `transfers.min`, 5 → `{transfers: {min: 5}}`. */
export function nested(setting: string, value: Json): { [group: string]: Json } {
  const [group = "", name] = setting.split(".");
  return name === undefined ? { [group]: value } : { [group]: { [name]: value } };
}

export const named = cases.map((one) => [`${one.setting}: ${JSON.stringify(one.value)}`, one] as const);
