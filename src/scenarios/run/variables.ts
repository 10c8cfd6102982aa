import { valueAt } from "../../kernel/fields.js";
import type { IdSource } from "../../kernel/records/ids.js";
import { jsonBytes, valueBytes } from "../../kernel/messages/json.js";
import { UsageError } from "../../kernel/messages/problem.js";
import type { DrawFake } from "../file/fake-data.js";
import { fill, parsePath } from "../file/template.js";
import type { ScenarioWorld } from "./world.js";

export interface VariableSources {
  readonly world: ScenarioWorld;
  readonly ids: IdSource;
  /** Only variables that start with `SANDBOX_`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined when the scenario does not use `${faker.…}`. */
  readonly drawFake: DrawFake | undefined;
}

/** The most memory for the values of one scenario: those that it has saved, and those that its running steps fill in. */
const MIB_MAX = 64;
export const VARIABLE_BYTES_MAX = MIB_MAX * 1024 * 1024;
const TOO_MUCH = `The variables of the scenario take more than ${MIB_MAX} MiB: what it has saved, and what the steps under way fill in. Save less of each answer, or insert less.`;

interface Saved {
  readonly value: unknown;
  readonly bytes: number;
}

/**
 * The values of `${…}` at one place of a running scenario. Local variables come first, then those that were saved here, then those of the places around it,
 * then those that are always known.
 */
export class Variables {
  readonly #sources: VariableSources;
  /** The place around this one. It does not change while this one is in use, so nothing is copied. */
  readonly #around: Variables | undefined;
  readonly #locals: Map<string, unknown>;
  readonly #saved = new Map<string, Saved>();
  /** Shared by all branches of the scenario. */
  readonly #held: { bytes: number };
  #filledBytes = 0;

  constructor(sources: VariableSources, around?: Variables, locals: Readonly<Record<string, unknown>> = {}) {
    this.#sources = sources;
    this.#around = around;
    this.#locals = new Map(Object.entries(locals));
    this.#held = around === undefined ? { bytes: 0 } : around.#held;
  }

  save(name: string, value: unknown, bytes = bytesOf(value)): void {
    this.#hold(bytes - (this.#saved.get(name)?.bytes ?? 0));
    this.#locals.delete(name);
    this.#saved.set(name, { value, bytes });
  }

  /** A place within this one, with additional local variables: the `with` of a used file, the `index` of a repetition. What it saves is known here after `adopt`. */
  branch(locals: Readonly<Record<string, unknown>> = {}): Variables {
    return new Variables(this.#sources, this, locals);
  }

  /** Takes over what a branch has saved. */
  adopt(branch: Variables): void {
    for (const [name, { value, bytes }] of branch.#saved) {
      this.#held.bytes -= bytes;
      this.save(name, value, bytes);
    }
  }

  /** Frees what was filled in here, once the step is over. */
  release(): void {
    this.#held.bytes -= this.#filledBytes;
    this.#filledBytes = 0;
  }

  fill(value: unknown): unknown {
    return fill(value, (expression) => {
      const found = this.#lookUp(expression);
      const bytes = bytesOf(found);
      this.#hold(bytes);
      this.#filledBytes += bytes;
      return found;
    });
  }

  fillText(value: string): string {
    const filled = this.fill(value);
    return typeof filled === "string" ? filled : JSON.stringify(filled);
  }

  #hold(bytes: number): void {
    if (this.#held.bytes + bytes > VARIABLE_BYTES_MAX) throw new UsageError("input", TOO_MUCH);
    this.#held.bytes += bytes;
  }

  #lookUp(expression: string): unknown {
    const [root = "", ...rest] = parsePath(expression);
    const name = String(root);
    const own = this.#find(name);
    const value = own === undefined ? this.#builtIn(name, rest) : valueAt(own.value, rest);
    if (value !== undefined) return value;
    const why = own === undefined && name === "env" ? "that variable is not set" : "nothing stands at that path";
    throw new UsageError("input", `\${${expression}} has no value: ${why}.`);
  }

  #find(name: string): Pick<Saved, "value"> | undefined {
    if (this.#locals.has(name)) return { value: this.#locals.get(name) };
    const saved = this.#saved.get(name);
    return saved !== undefined || this.#around === undefined ? saved : this.#around.#find(name);
  }

  #builtIn(root: string, rest: readonly (string | number)[]): unknown {
    const { world, ids, env, drawFake } = this.#sources;
    switch (root) {
      case "uuid":
        return ids.uuid();
      case "now":
        return world.now();
      case "receiver":
        return world.receiverUrl;
      case "url":
      case "token":
      case "companyId":
      case "secretKey":
        return world[root];
      case "testNumbers":
        return valueAt(world.testNumbers, rest);
      case "env":
        return valueAt(env, rest);
      case "faker":
        return drawFake?.(rest.map(String));
      default:
        return undefined;
    }
  }
}

/** The memory that a value takes: lists and objects take more than their JSON. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (jsonBytes(value, VARIABLE_BYTES_MAX) > VARIABLE_BYTES_MAX) return VARIABLE_BYTES_MAX + 1;
  const json = Buffer.from(JSON.stringify(value));
  return json.length + valueBytes(json);
}
