import type { Faker } from "@faker-js/faker";

/**
 * Makes instances of Faker in the French of the XOF zone, each of our own: the library's shared one belongs to whoever else uses it in this process. It is
 * the heaviest thing the sandbox can load, and is imported only when something draws from it.
 */
export async function importFaker(): Promise<() => Faker> {
  const { Faker, fr_SN, fr, base } = await import("@faker-js/faker");
  return () => new Faker({ locale: [fr_SN, fr, base] });
}
