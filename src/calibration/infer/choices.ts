import { isDeepStrictEqual } from "node:util";
import type { Setting } from "../../domain/profile/setting.js";
import type { Json } from "../../kernel/messages/json.js";

/** The values that a setting may have in the place of `value`: those of the table, and those that the traffic suggests. */
export function choicesOf(setting: Setting, value: Json, suggested: readonly Json[] = []): Json[] {
  const { schema, alternatives } = setting;
  const known = alternatives.flatMap((one) => one.samples ?? (one.form ? [] : [one.value]));
  const compiled = [schema.parse(value)];
  return [setting.default, ...known, ...suggested].filter((choice) => {
    const parsed = schema.safeParse(choice);
    if (!parsed.success || compiled.some((other) => isDeepStrictEqual(other, parsed.data))) return false;
    compiled.push(parsed.data);
    return true;
  });
}
