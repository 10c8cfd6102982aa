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

type Values = ReadonlyMap<string, unknown>;

/** The most memory for the values of one scenario: those that it has saved, and those that its running steps fill in. */
const MIB_MAX = 64;
export const VARIABLE_BYTES_MAX = MIB_MAX * 1024 * 1024;
const TOO_MUCH = `The variables of the scenario take more than ${MIB_MAX} MiB: what it has saved, and what the steps under way fill in. Save less of each answer, or insert less.`;

/** The values of `${…}` at one place of a running scenario. Local variables come first, then saved ones, then those that are always known. */
export class Variables {
  readonly #sources: VariableSources;
  readonly #saved: Map<string, unknown>;
  readonly #locals: Map<string, unknown>;
  /** What was saved here, and not in a place before. */
  readonly #written = new Map<string, { readonly value: unknown; readonly bytes: number }>();
  /** Shared by all branches of the scenario. */
  readonly #held: { bytes: number };
  #filledBytes = 0;

  constructor(
    sources: VariableSources,
    saved: Values = new Map(),
    locals: Values = new Map(),
    held: { bytes: number } = { bytes: 0 },
  ) {
    this.#sources = sources;
    this.#saved = new Map(saved);
    this.#locals = new Map(locals);
    this.#held = held;
  }

  save(name: string, value: unknown, bytes = bytesOf(value)): void {
    this.#hold(bytes - (this.#written.get(name)?.bytes ?? 0));
    this.#locals.delete(name);
    this.#saved.set(name, value);
    this.#written.set(name, { value, bytes });
  }

  /** A copy with additional local variables: the `with` of a used file, the `index` of a repetition. What the branch saves is known here after `adopt`. */
  branch(locals: Readonly<Record<string, unknown>> = {}): Variables {
    return new Variables(this.#sources, this.#saved, new Map([...this.#locals, ...Object.entries(locals)]), this.#held);
  }

  /** Takes over what a branch has saved. */
  adopt(branch: Variables): void {
    for (const [name, { value, bytes }] of branch.#written) {
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
    const own = [this.#locals, this.#saved].find((values) => values.has(name));
    const value = own === undefined ? this.#builtIn(name, rest) : valueAt(own.get(name), rest);
    if (value !== undefined) return value;
    const why = own === undefined && name === "env" ? "that variable is not set" : "nothing stands at that path";
    throw new UsageError("input", `\${${expression}} has no value: ${why}.`);
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
