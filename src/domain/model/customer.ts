import type * as z from "zod";
import { anyText, count, id, object } from "../../kernel/fields.js";
import { msisdn } from "../values/fields.js";

/** A wallet user whom the service knows. */
export const customerRow = object({
  /** The key of the number, the same for every way of writing it. */
  id,
  seq: count,
  msisdn,
  firstName: anyText(),
  lastName: anyText(),
  /** The contract: "`complete` means the customer is validated. Any other value means a customer identification problem." */
  kycStatus: anyText(),
});

export type Customer = Readonly<z.output<typeof customerRow>>;

export type CustomerCheck = Pick<Customer, "kycStatus" | "firstName" | "lastName">;
