import { isDeepStrictEqual } from "node:util";
import type { Setting } from "../../domain/profile/setting.js";
import type { Json } from "../../kernel/messages/json.js";
import type { History } from "../replay/history.js";
import type { FoundDifference } from "../replay/replay.js";

/** The values that a setting may have in the place of `value`: those of the table, and those that the recording suggests. */
export function choicesOf(
  setting: Setting,
  value: Json,
  histories: readonly History[],
  differences: readonly FoundDifference[],
): Json[] {
  const { schema, alternatives } = setting;
  const known = alternatives.flatMap(
    (alternative) => alternative.samples ?? (alternative.form ? [] : [alternative.value]),
  );
  const suggested = suggestions[setting.path]?.(histories, differences) ?? [];
  const compiled = [schema.parse(value)];
  return [setting.default, ...suggested, ...known].filter((choice) => {
    const parsed = schema.safeParse(choice);
    if (!parsed.success || compiled.some((other) => isDeepStrictEqual(other, parsed.data))) return false;
    compiled.push(parsed.data);
    return true;
  });
}

type Suggest = (histories: readonly History[], differences: readonly FoundDifference[]) => readonly Json[];

const suggestions: Readonly<Record<string, Suggest>> = {};
