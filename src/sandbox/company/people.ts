import { importFaker } from "../../adapters/names/load-faker.js";
import { hashToSeed } from "../../kernel/random.js";
import type { Company } from "./company.js";
import { type DrawPerson, checkCustomer } from "../../domain/accounts/customers.js";
import type { CustomerCheck } from "../../domain/model/customer.js";

/** Made once per company, when the first person is drawn: the names' library is the heaviest thing the sandbox can load. */
const drawers = new WeakMap<Company, DrawPerson>();

/** Loads the names when this company's profile wants people for unlisted numbers. */
export function loadPeople(company: Company): Promise<void> | undefined {
  if (company.profile.customers.unlisted !== "generated" || drawers.has(company)) return undefined;
  return createDrawPerson(company.deps.seed ?? 0).then((draw) => {
    drawers.set(company, draw);
  });
}

export function checkCustomerOf(company: Company, msisdn: string): CustomerCheck {
  return checkCustomer(company, msisdn, drawers.get(company));
}

/** "a person drawn by Faker, the same for the same number and seed", in the French of the XOF zone. */
export async function createDrawPerson(seed: number): Promise<DrawPerson> {
  const faker = (await importFaker())();
  return (msisdnKey) => {
    faker.seed(hashToSeed(seed, msisdnKey));
    return { kycStatus: "complete", firstName: faker.person.firstName(), lastName: faker.person.lastName() };
  };
}
