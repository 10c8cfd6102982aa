import type { DrawFake } from "./variables.js";

/** An instance of its own for each story, imported only by one that draws from it. */
export async function loadFaker(seed: number): Promise<DrawFake> {
  const { Faker, fr_SN, fr, base } = await import("@faker-js/faker");
  const faker = new Faker({ locale: [fr_SN, fr, base] });
  faker.seed(seed);
  return (path) => {
    let at: unknown = faker;
    let owner: unknown = faker;
    for (const key of path) {
      owner = at;
      at = typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined;
    }
    return typeof at === "function" ? at.call(owner) : undefined;
  };
}
