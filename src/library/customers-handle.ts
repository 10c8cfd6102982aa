import { findCustomer, removeCustomer, setCustomer } from "../domain/accounts/customers.js";
import { isMsisdn, msisdnKey } from "../domain/values/msisdn.js";
import { renderCustomer } from "../http/control/render-control.js";
import { isObject } from "../kernel/messages/json.js";
import { UsageError } from "../kernel/messages/problem.js";
import { show } from "../domain/profile/setting-problems.js";
import type { Company } from "../sandbox/company/company.js";
import type { CustomerCheckBody } from "../contract/resources.js";

/** The registered customers of a company, besides the test numbers. */
export interface CustomersHandle {
  /**
   * Registers a customer, or changes the one with this number. Throws `UsageError` for a wrong phone number or a blank name.
   *
   * @param msisdn 8 to 15 digits after an optional `+` or `00`; the country prefix 225 may be left out.
   *
   * @example
   * ```ts
   * sandbox.customers.set("+2250700000010", { firstName: "Awa", lastName: "Koné", kycStatus: "complete" });
   * ```
   */
  set(msisdn: string, person: Person): Customer;
  /** The customer; undefined for an unregistered number. Throws `UsageError` for a wrong phone number. */
  get(msisdn: string): Customer | undefined;
  /** All customers, in the order of registration. */
  list(): readonly Customer[];
  /** Deletes a customer; an unregistered number is ignored. Throws `UsageError` for a wrong phone number. */
  delete(msisdn: string): void;
}

export interface Person {
  readonly firstName: string;
  readonly lastName: string;
  /** The contract: "`complete` means the customer is validated. Any other value means a customer identification problem." Default `complete`. */
  readonly kycStatus?: string;
}

export interface Customer extends Readonly<CustomerCheckBody> {
  /** As it was given at registration. */
  readonly msisdn: string;
}

/** `current` is called each time, because a reset replaces the company. */
export function createCustomersHandle(current: () => Company): CustomersHandle {
  return {
    set(msisdn, person) {
      assertMsisdn(msisdn);
      const { firstName, lastName, kycStatus = "complete" } = parsePerson(person);
      return renderCustomer(
        current().run((work) => setCustomer(work, msisdn, { firstName, lastName, kycStatus }), undefined),
      );
    },
    get(msisdn) {
      assertMsisdn(msisdn);
      const found = findCustomer(current(), msisdn);
      return found && renderCustomer(found);
    },
    list: () => current().world.customers.values().map(renderCustomer),
    delete(msisdn) {
      assertMsisdn(msisdn);
      current().run(removeCustomer, msisdnKey(msisdn));
    },
  };
}

function assertMsisdn(msisdn: unknown): asserts msisdn is string {
  if (typeof msisdn === "string" && isMsisdn(msisdn)) return;
  const right = "a phone number: 8 to 15 digits after an optional + or 00";
  throw new UsageError("input", `msisdn must be ${right}, got ${show(msisdn)}.`);
}

const LENGTH_MAX = 200;

function parsePerson(person: Person): Person {
  const fields = ["firstName", "lastName", "kycStatus"] as const;
  const problems = fields.flatMap((name) => {
    const value: unknown = isObject(person) ? person[name] : undefined;
    const isText = typeof value === "string" && /\S/.test(value) && value.length <= LENGTH_MAX;
    if (isText || (name === "kycStatus" && value === undefined)) return [];
    return [`${name} must be a text of 1 to ${LENGTH_MAX} characters that is not blank, got ${show(value)}.`];
  });
  if (problems.length > 0) throw new UsageError("input", problems);
  return person;
}
