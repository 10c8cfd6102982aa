import type * as z from "zod";
import type { Json } from "../../kernel/json.js";

/** One open point of the contract: what is chosen, what could be chosen instead, and the words that leave it open. */
export interface Setting<Output = unknown, Input = unknown> {
  /** Where it stands in a profile file: `transfers.settlement`. */
  readonly path: string;
  /** One sentence for users; it explains the default too. */
  readonly summary: string;
  /** As a user would write it. */
  readonly default: Json;
  readonly alternatives: readonly Alternative[];
  /** The contract's own words, or a sentence that starts with `Not in the contract`. */
  readonly contract: string;
  /** The default is an object, and what is not written of it is taken from there. */
  readonly partial: boolean;
  /**
   * Input is what a user writes, output what the rules read. Built when first asked for: a start without a profile
   * needs none.
   */
  readonly schema: z.ZodType<Output, Input>;
  /** The default in the form the rules read. Frozen, for all sandboxes of a process share it. */
  readonly compiledDefault: Output;
}

export interface Alternative {
  /** The value itself, or, with `form`, words for a kind of value: `a number of XOF`. */
  readonly value: Json;
  readonly effect: string;
  readonly form?: true;
}

/** How a settings file of ours writes one row; the path comes from its place in the table. */
export type SettingDefinition<Output> = {
  readonly summary: string;
  readonly alternatives: readonly Alternative[];
  readonly contract: string;
  readonly partial?: true;
  readonly schema: () => z.ZodType<Output>;
} & (
  | { readonly default: Output & Json }
  // What is written differs from what is read. A test proves that the schema makes the one of the other.
  | { readonly default: Json; readonly compiledDefault: Output }
);

/** One definition for every member of a group of the profile, no more and no fewer. */
export type GroupDefinition<Group> = { readonly [Name in keyof Group]: SettingDefinition<Group[Name]> };

/** Every setting as a user would write it, nested: the defaults with the overrides applied. What is displayed. */
export type ProfileValues = { readonly [groupOrSetting: string]: Json };

/** Only what differs from the defaults by a user's wish, nested and plain JSON. What is stored. */
export type ProfileOverrides = { readonly [groupOrSetting: string]: Json };

export function defineSetting<Output>(path: string, definition: SettingDefinition<Output>): Setting<Output> {
  const { summary, alternatives, contract, partial = false } = definition;
  let schema: z.ZodType<Output> | undefined;
  return Object.freeze({
    path,
    summary,
    default: freeze(definition.default),
    alternatives,
    contract,
    partial,
    compiledDefault: freeze("compiledDefault" in definition ? definition.compiledDefault : definition.default),
    get schema() {
      return (schema ??= definition.schema());
    },
  });
}

/** What is shared must not be changed by anyone who got hold of it: `sandbox.profile.transfers.fee.rate = 0`. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
