import type { Faker } from "@faker-js/faker";
import { importFaker } from "../../adapters/names/load-faker.js";
import { didYouMean } from "../../kernel/suggest.js";

/** Calls what a path such as `person.firstName` names. */
export type DrawFake = (path: readonly string[]) => unknown;

/** The library of made-up data, imported only for a story that draws from it. */
export interface FakeData {
  /** What is wrong with `${faker.<path>}`; undefined when it can be drawn. */
  problemOf(path: readonly string[]): string | undefined;
  /** A stream of its own: the same for the same seed. `now` is what "recent" and "soon" are counted from. */
  drawer(seed: number, now: string): DrawFake;
}

export async function loadFakeData(): Promise<FakeData> {
  const create = await importFaker();
  const known = create();
  return {
    problemOf: (path) => problemOf(known, path),
    drawer(seed, now) {
      const faker = create();
      faker.seed(seed);
      faker.setDefaultRefDate(now);
      return (path) => plainData(find(faker, path)?.());
    },
  };
}

function problemOf(faker: Faker, path: readonly string[]): string | undefined {
  const [moduleName = "", method = ""] = path;
  if (path.length === 2 && find(faker, path) !== undefined) return undefined;
  const modules = namesOf(faker).filter((name) => methodsOf(faker, name).length > 0);
  if (!modules.includes(moduleName)) {
    return `is not made-up data.${didYouMean(moduleName, modules)} It is faker.<module>.<method>, such as faker.person.firstName`;
  }
  const methods = methodsOf(faker, moduleName);
  return `is not made-up data.${didYouMean(method, methods) || ` faker.${moduleName} has ${methods.join(", ")}`}`;
}

/** The method that a path of two names stands for, bound to its module. */
function find(faker: Faker, [moduleName = "", method = ""]: readonly string[]): (() => unknown) | undefined {
  if (!methodsOf(faker, moduleName).includes(method)) return undefined;
  const owner: unknown = Reflect.get(faker, moduleName);
  const found: unknown = typeof owner === "object" && owner !== null ? Reflect.get(owner, method) : undefined;
  return typeof found === "function" ? () => found.call(owner) : undefined;
}

function methodsOf(faker: Faker, moduleName: string): string[] {
  const owner: unknown = Object.hasOwn(faker, moduleName) ? Reflect.get(faker, moduleName) : undefined;
  if (typeof owner !== "object" || owner === null || moduleName === "fakerCore") return [];
  return namesOf(owner).filter((name) => typeof Reflect.get(owner, name) === "function");
}

function namesOf(value: object): string[] {
  return Object.keys(value);
}

/** What JSON can hold: an instant as text. */
function plainData(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "bigint" ? String(value) : value;
}
