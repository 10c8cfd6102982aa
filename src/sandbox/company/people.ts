import { createDrawPerson } from "../../adapters/names/load-faker.js";
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
