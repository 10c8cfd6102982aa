import type { Faker } from "@faker-js/faker";
import { importFaker } from "../../sandbox/state/load-faker.js";
import { didYouMean } from "../../kernel/messages/suggest.js";

/** Calls the method at a path such as `person.firstName`. */
export type DrawFake = (path: readonly string[]) => unknown;

/** Imports Faker, for scenarios that use it. */
export async function loadFakeData() {
  const create = await importFaker();
  const known = create();
  return {
    /** The problem with `${faker.<path>}`; undefined when it can be drawn. */
    problemOf: (path: readonly string[]) => problemOf(known, path),
    /** Draws values that are the same for the same seed. `now` is the reference date of "recent" and "soon". */
    drawer(seed: number, now: string): DrawFake {
      const faker = create();
      faker.seed(seed);
      faker.setDefaultRefDate(now);
      return (path) => toJson(findMethod(faker, path)?.());
    },
  };
}

function problemOf(faker: Faker, path: readonly string[]): string | undefined {
  const [moduleName = "", method = ""] = path;
  if (path.length === 2 && findMethod(faker, path) !== undefined) return undefined;
  const modules = Object.keys(faker).filter((name) => methodsOf(faker, name).length > 0);
  if (!modules.includes(moduleName)) {
    return `is not made-up data.${didYouMean(moduleName, modules)} It is faker.<module>.<method>, such as faker.person.firstName`;
  }
  const methods = methodsOf(faker, moduleName);
  return `is not made-up data.${didYouMean(method, methods) || ` faker.${moduleName} has ${methods.join(", ")}`}`;
}

function findMethod(faker: Faker, [moduleName = "", method = ""]: readonly string[]): (() => unknown) | undefined {
  if (!methodsOf(faker, moduleName).includes(method)) return undefined;
  const owner: object = Reflect.get(faker, moduleName);
  const found: unknown = Reflect.get(owner, method);
  return typeof found === "function" ? () => found.call(owner) : undefined;
}

function methodsOf(faker: Faker, moduleName: string): string[] {
  const owner: unknown = Object.hasOwn(faker, moduleName) ? Reflect.get(faker, moduleName) : undefined;
  if (typeof owner !== "object" || owner === null || moduleName === "fakerCore") return [];
  return Object.keys(owner).filter((name) => typeof Reflect.get(owner, name) === "function");
}

function toJson(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "bigint" ? String(value) : value;
}
