import { isMsisdn, msisdnKey } from "../values/msisdn.js";
import { behaviourOf, findTestNumber, type TestNumberRole } from "./test-numbers.js";
import type { Work } from "../model/work.js";
import type { Customer, CustomerCheck } from "../model/customer.js";

/** The contract: "`unknown` is returned when the user is not found". Both names are `unknown` too. */
const unknownCustomer: CustomerCheck = { kycStatus: "unknown", firstName: "unknown", lastName: "unknown" };

/** The customers of the reserved numbers. */
const testPeople: Readonly<Record<TestNumberRole, readonly [firstName: string, lastName: string]>> = {
  success: ["Awa", "Koné"],
  failure: ["Issa", "Traoré"],
  pending: ["Fatou", "Diop"],
  late: ["Moussa", "Ouattara"],
  silent: ["Aminata", "Sow"],
  limit: ["Kouadio", "Yao"],
  refused: ["unknown", "unknown"],
  unverified: ["Adjoua", "Kouassi"],
  confirming: ["Mariam", "Bamba"],
};

/** Draws a person for a number that is not registered, the same one every time (`customers.unlisted: generated`). */
export type DrawPerson = (msisdnKey: string) => CustomerCheck;

/** GET /v1/transactions/customers/check. A registered customer takes precedence over a reserved number. */
export function checkCustomer(
  work: Pick<Work, "world" | "profile">,
  msisdn: string,
  drawPerson: DrawPerson | undefined,
): CustomerCheck {
  const customer = findCustomer(work, msisdn);
  if (customer !== undefined) return customer;
  const role = findTestNumber(work.profile, msisdn);
  if (role !== undefined) {
    const [firstName, lastName] = testPeople[role];
    return { kycStatus: behaviourOf(work.profile, msisdn).kycStatus, firstName, lastName };
  }
  return work.profile.customers.unlisted === "generated" && drawPerson !== undefined
    ? drawPerson(msisdnKey(msisdn))
    : unknownCustomer;
}

/** Whether the check calls a number `unknown`. */
export function isUnknown(work: Pick<Work, "world" | "profile">, msisdn: string): boolean {
  return (
    work.profile.customers.unlisted !== "generated" && checkCustomer(work, msisdn, undefined).kycStatus === "unknown"
  );
}

export function findCustomer(work: Pick<Work, "world">, msisdn: string): Customer | undefined {
  return isMsisdn(msisdn) ? work.world.customers.get(msisdnKey(msisdn)) : undefined;
}

export function removeCustomer(work: Work, id: string): void {
  work.remove(work.world.customers, id);
}

/** Registers a person, or replaces the one with this number. */
export function setCustomer(work: Work, msisdn: string, person: CustomerCheck): Customer {
  const id = msisdnKey(msisdn);
  const seq = work.world.customers.get(id)?.seq ?? work.nextSeq();
  return work.put<Customer>(work.world.customers, { id, seq, msisdn, ...person });
}
