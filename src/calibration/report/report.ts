import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../kernel/messages/json.js";
import type { ExchangeName } from "../recording/entry.js";
import type { DifferenceKind } from "../replay/compare.js";

/** What `calibrate` found. The JSON report has the same members. */
export interface CalibrationReport {
  readonly verb: "calibrate";
  readonly source: CalibrationSource;
  /** A row for each setting, in the order of the table. */
  readonly settings: readonly CalibratedSetting[];
  /** What no setting explains, grouped by operation or topic and place. */
  readonly drift: readonly Drift[];
  /** What the recording presupposes, and what was chosen where it leaves a choice. */
  readonly assumptions: readonly string[];
  readonly counts: Readonly<Record<SettingState | "drift", number>>;
}

interface CalibrationSource {
  /** The archives; null for a target. */
  readonly files: readonly string[] | null;
  /** The address of the service that was asked; null for archives. */
  readonly target: string | null;
  /** Requests to the API. */
  readonly exchanges: number;
  readonly webhooks: number;
  /** How many of both were compared: a request without an answer, or about what the recording does not show, is not. None where all answers are 401. */
  readonly compared: number;
  /** ISO 8601; null without traffic. */
  readonly from: string | null;
  readonly to: string | null;
}

export const settingStates = ["confirmed", "set", "open", "contradicted"] as const;

/**
 * `confirmed`: the traffic distinguishes the values, and this is the one that was given. `set`: it is another. `open`: nothing in the traffic
 * distinguishes them. `contradicted`: parts of the traffic disagree.
 */
type SettingState = (typeof settingStates)[number];

export interface CalibratedSetting {
  /** `transfers.settlement` */
  readonly path: string;
  readonly state: SettingState;
  /** What explains most of the traffic. */
  readonly value: Json;
  /** What was assumed before: the value of the profile that was given, else the default. */
  readonly default: Json;
  /** At most three. */
  readonly evidence: readonly Evidence[];
}

/** Whether the traffic needs another value than the one that was given, be it this one or one of several. */
export function isChanged({ value, default: given }: Pick<CalibratedSetting, "value" | "default">): boolean {
  return !isDeepStrictEqual(value, given);
}

/** The assumption that the value of a setting is an example, which stands for one that nothing shows. */
export function assumeStandIn(path: string, value: Json, other: Json): string {
  const [shown, usual] = [value, other].map((one) => JSON.stringify(one));
  return `${path}: it is not ${usual}, but nothing shows what it is. ${shown} stands for it: ask the provider.`;
}

export function hasStandIn({ assumptions }: Pick<CalibrationReport, "assumptions">, path: string): boolean {
  return assumptions.some((assumption) => assumption.startsWith(`${path}: it is not `));
}

export const calibrationGates = ["set", "drift", "contradicted"] as const;

/** Whether a report has what a gate fails on. */
export function failsOn({ settings, counts }: CalibrationReport, gate: (typeof calibrationGates)[number]): boolean {
  return gate === "set" ? settings.some(isChanged) : counts[gate] > 0;
}

export interface Evidence {
  readonly exchange: ExchangeName;
  /** A JSON pointer into `{status, headers, body}` of an answer or a webhook. */
  readonly pointer: string;
  /** What the sandbox says with another value. */
  readonly expected: Json;
  /** What the service said. */
  readonly got: Json;
}

export interface Drift {
  /** `GET /v1/charges/:id`; null for a webhook. */
  readonly operation: string | null;
  /** Null for an answer. */
  readonly topic: string | null;
  /** A JSON pointer in which places in a list are `*`. */
  readonly pointer: string;
  readonly kind: DifferenceKind;
  /** How many answers or webhooks have the difference. */
  readonly count: number;
  /** How many were compared. */
  readonly of: number;
  readonly example: { readonly exchange: ExchangeName; readonly expected: Json; readonly got: Json };
}

/** Why a report without drift proves nothing. */
export const NOTHING_COMPARED =
  "Nothing was compared: the service answered no request that the sandbox can repeat, or each with 401. Is the access token right?";
