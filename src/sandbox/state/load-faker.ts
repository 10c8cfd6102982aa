import type * as FakerModule from "@faker-js/faker";
import type { Faker } from "@faker-js/faker";
import type { DrawPerson } from "../../domain/accounts/customers.js";
import { hashToSeed } from "../../kernel/records/ids.js";

/**
 * Imports Faker, the heaviest library of the sandbox, when something draws from it. Each instance is private: the library's shared one may be in use by
 * the application in this process. Names are in the French of the XOF zone.
 */
export async function importFaker(): Promise<() => Faker> {
  const { Faker, fr_SN, fr, base } = await import("@faker-js/faker").catch(requireFaker);
  return () => new Faker({ locale: [fr_SN, fr, base] });
}

/** Jest without `--experimental-vm-modules` refuses `import()`, and its own `require` takes no ES module. Node's takes this one. */
function requireFaker(): typeof FakerModule {
  return process.getBuiltinModule("node:module").createRequire(import.meta.url)("@faker-js/faker");
}

/** "a person drawn by Faker, the same for the same number and seed". */
export async function createDrawPerson(seed: number): Promise<DrawPerson> {
  const faker = (await importFaker())();
  return (msisdnKey) => {
    faker.seed(hashToSeed(seed, msisdnKey));
    return { kycStatus: "complete", firstName: faker.person.firstName(), lastName: faker.person.lastName() };
  };
}
