import type * as FakerModule from "@faker-js/faker";
import type { Faker } from "@faker-js/faker";
import type { DrawPerson } from "../../domain/accounts/customers.js";
import { hashToSeed } from "../../kernel/records/ids.js";

/**
 * Imports Faker, the heaviest library of the sandbox, only when names are drawn. Each instance is private: the application in this process may use the
 * library's shared one. Names are in the French of the XOF zone.
 */
export async function importFaker(): Promise<() => Faker> {
  const { Faker, fr_SN, fr, base } = await import("@faker-js/faker").catch(requireFaker);
  return () => new Faker({ locale: [fr_SN, fr, base] });
}

/** Jest without `--experimental-vm-modules` refuses `import()`, and its own `require` loads no ES modules. Node's `require` loads Faker. */
function requireFaker(): typeof FakerModule {
  return process.getBuiltinModule("node:module").createRequire(import.meta.url)("@faker-js/faker");
}

/** Draws a person with Faker, always the same for the same number and seed. */
export async function createDrawPerson(seed: number): Promise<DrawPerson> {
  const faker = (await importFaker())();
  return (msisdnKey) => {
    faker.seed(hashToSeed(seed, msisdnKey));
    return { kycStatus: "complete", firstName: faker.person.firstName(), lastName: faker.person.lastName() };
  };
}
