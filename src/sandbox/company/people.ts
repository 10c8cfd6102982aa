import { createDrawPerson } from "../state/load-faker.js";
import { checkCustomer } from "../../domain/accounts/customers.js";
import type { CustomerCheck } from "../../domain/model/customer.js";
import type { Company } from "./company.js";

/** Loads the names when this company's profile wants people for unlisted numbers. */
export function loadPeople(company: Company): Promise<void> | undefined {
  if (company.profile.customers.unlisted !== "generated" || company.drawPerson !== undefined) return undefined;
  return createDrawPerson(company.deps.seed ?? 0).then((draw) => {
    company.drawPerson = draw;
  });
}

export function checkCustomerOf(company: Company, msisdn: string): CustomerCheck {
  return checkCustomer(company, msisdn, company.drawPerson);
}
