import { Problem } from "../../kernel/messages/problem.js";

/** Everything the simulated API can refuse. `contract/problems.ts` maps each code to a status and a text, exhaustively. */
export type ProblemCode =
  | "malformed_json"
  | "invalid_request"
  | "company_header_missing"
  | "refund_exceeds_paid"
  | "refund_exceeds_left"
  | "token_invalid"
  | "company_mismatch"
  | "route_not_found"
  | "charge_not_found"
  | "transaction_not_found"
  | "subscription_not_found"
  | "method_not_allowed"
  | "external_id_taken"
  | "reference_taken"
  | "subscription_exists"
  | "body_too_large"
  | "media_type_unsupported"
  | "charge_not_payable"
  | "charge_not_payable_conflict"
  | "charge_not_refundable"
  | "insufficient_balance"
  | "recipient_refused"
  | "payer_refused"
  | "rate_limited"
  | "internal";

/** Refuses the whole request, and with it the whole unit of work. */
export function refuse(code: ProblemCode, messages: string | readonly string[]): never {
  throw new Problem<ProblemCode>(code, messages);
}

export function isApiProblem(error: unknown): error is Problem<ProblemCode> {
  return error instanceof Problem;
}
