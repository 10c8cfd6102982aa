import * as z from "zod";
import { oneOf } from "../../kernel/fields.js";
import type { Json } from "../../kernel/messages/json.js";

/**
 * Defines one open point of the contract: the default, the alternatives, and the words that leave the point open.
 *
 * The type does not mention zod, so that the published `ProfileInput` can be derived from it.
 */
export interface SettingDefinition<Output, Input> {
  /** One sentence for users, which also explains the default. */
  readonly summary: string;
  /** The default as a user would write it. */
  readonly default: Json;
  readonly alternatives: readonly Alternative[];
  /** The question to the provider whose answer chooses the value. */
  readonly question: string;
  /** The contract's own words, or a sentence that starts with `Not in the contract`. */
  readonly contract: string;
  /** Whether the default is an object whose members apply where none are written. */
  readonly partial?: boolean;
  /** Only a type: `output` is what the rules read, `input` what users write. */
  readonly types?: { readonly output: Output; readonly input: Input };
}

export interface Alternative {
  /** The value itself, or, with `form`, words for a kind of value: `a number of XOF`. */
  readonly value: Json;
  readonly effect: string;
  readonly form?: true;
  /** Values to try, for a `form`. */
  readonly samples?: readonly Json[];
}

/** A definition with the schema that compiles what users write into what the rules read. */
interface CheckedDefinition<Output = unknown, Input = unknown> extends SettingDefinition<Output, Input> {
  readonly schema: z.ZodType<Output, Input>;
}

export function setting<Output, Input>(
  definition: Omit<CheckedDefinition<Output, Input>, "types" | "default"> & { readonly default: NoInfer<Input> & Json },
): SettingDefinition<Output, Input> {
  return definition;
}

/** A setting with a few fixed values: the default and its alternatives. */
export function choice<const Value extends string | number | boolean>(
  definition: Omit<SettingDefinition<Value, Value>, "types" | "default" | "alternatives"> & {
    readonly default: Value;
    readonly alternatives: readonly { readonly value: Value; readonly effect: string }[];
  },
): SettingDefinition<Value, Value> {
  const values = definition.alternatives.map(({ value }) => value);
  return setting<Value, Value>({ ...definition, schema: oneOf(definition.default, ...values) });
}

export function isDefinition(value: object): value is CheckedDefinition {
  return "schema" in value && value.schema instanceof z.ZodType;
}

/** The words of the contract, or the sentence that it has none, as readers see it. */
export function sourceOf({ contract }: Pick<Setting, "contract">): string {
  return contract.startsWith("Not in the contract") ? contract : `The contract: "${contract}"`;
}

/** One row of the table of settings. */
export interface Setting extends CheckedDefinition {
  /** The place in a profile file: `transfers.settlement`. */
  readonly path: string;
  readonly partial: boolean;
  /** The default as the rules read it. Frozen, because all sandboxes of a process share it. */
  readonly compiledDefault: unknown;
}

export function placeSetting(path: string, definition: CheckedDefinition): Setting {
  const compiledDefault = freeze(definition.schema.parse(definition.default));
  return Object.freeze({ partial: false, ...definition, path, default: freeze(definition.default), compiledDefault });
}

/** All sandboxes of a process share the value, so `sandbox.profile.transfers.fee.rate = 0` must throw. */
function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
