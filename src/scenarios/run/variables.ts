import { valueAt } from "../../kernel/fields.js";
import type { IdSource } from "../../kernel/records/ids.js";
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

/** The values of `${…}` at one place of a running scenario: local ones first, then saved ones, then those that are always known. */
export class Variables {
  readonly #sources: VariableSources;
  readonly #saved: Map<string, unknown>;
  readonly #locals: Map<string, unknown>;
  /** What was saved here, and not before. */
  readonly #written = new Map<string, unknown>();

  constructor(sources: VariableSources, saved: Values = new Map(), locals: Values = new Map()) {
    this.#sources = sources;
    this.#saved = new Map(saved);
    this.#locals = new Map(locals);
  }

  save(name: string, value: unknown): void {
    this.#locals.delete(name);
    this.#saved.set(name, value);
    this.#written.set(name, value);
  }

  /** A copy with more local variables: the `with` of a used file, the `index` of a repetition. What it saves is known here once it is adopted. */
  branch(locals: Readonly<Record<string, unknown>> = {}): Variables {
    return new Variables(this.#sources, this.#saved, new Map([...this.#locals, ...Object.entries(locals)]));
  }

  /** Takes over what a branch has saved. */
  adopt(branch: Variables): void {
    for (const [name, value] of branch.#written) this.save(name, value);
  }

  fill(value: unknown): unknown {
    return fill(value, (expression) => this.#lookUp(expression));
  }

  fillText(value: string): string {
    const filled = this.fill(value);
    return typeof filled === "string" ? filled : JSON.stringify(filled);
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
