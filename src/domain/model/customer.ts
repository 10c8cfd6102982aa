import type { Row } from "../../kernel/table.js";

/** A wallet user whom the service knows. */
export interface Customer extends Row {
  /** The number's key: the same for every way of writing it. */
  readonly id: string;
  readonly msisdn: string;
  readonly firstName: string;
  readonly lastName: string;
  /** "`complete` means the customer is validated. Any other value means a customer identification problem." */
  readonly kycStatus: string;
}

export type CustomerCheck = Pick<Customer, "kycStatus" | "firstName" | "lastName">;
