import type { IdSource } from "../kernel/ids.js";
import { UsageError } from "../kernel/problem.js";
import { fill, parsePath, valueAt } from "./template.js";
import type { ScenarioWorld } from "./world.js";

/** Calls `faker.person.firstName` and the like. Undefined when there is no such function. */
export type DrawFake = (path: readonly string[]) => unknown;

export interface VariableSources {
  readonly world: ScenarioWorld;
  readonly ids: IdSource;
  /** Only those that start with `SANDBOX_` are given. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined when the scenario draws nothing. */
  readonly drawFake: DrawFake | undefined;
}

/** What `${…}` stands for at one place of a running story: what was saved, then what is always there. */
export class Variables {
  readonly #sources: VariableSources;
  readonly #saved: Map<string, unknown>;

  constructor(sources: VariableSources, saved = new Map<string, unknown>()) {
    this.#sources = sources;
    this.#saved = saved;
  }

  save(name: string, value: unknown): void {
    this.#saved.set(name, value);
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
    const value = this.#saved.has(name) ? valueAt(this.#saved.get(name), rest) : this.#builtIn(name, rest);
    if (value === undefined)
      throw new UsageError("input", `\${${expression}} has no value: nothing stands at that path.`);
    return value;
  }

  #builtIn(root: string, rest: readonly (string | number)[]): unknown {
    const { world, ids, env, drawFake } = this.#sources;
    switch (root) {
      case "uuid":
        return ids.uuid();
      case "now":
        return world.now();
      case "url":
        return world.url;
      case "token":
        return world.token;
      case "companyId":
        return world.companyId;
      case "secretKey":
        return world.secretKey;
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
