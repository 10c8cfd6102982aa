import { STATUS_CODES } from "node:http";
import type { ProblemCode } from "../domain/model/problem-codes.js";
import type { Profile } from "../domain/profile/profile.js";
import type { ErrorBody } from "./resources.js";

/** The status of each problem. A missing one does not compile. */
export const statusOfProblem = {
  malformed_json: 400,
  invalid_request: 400,
  company_header_missing: 400,
  refund_exceeds_paid: 400,
  refund_exceeds_left: 422,
  token_invalid: 401,
  company_mismatch: 403,
  route_not_found: 404,
  charge_not_found: 404,
  transaction_not_found: 404,
  subscription_not_found: 404,
  method_not_allowed: 405,
  external_id_taken: 409,
  reference_taken: 409,
  subscription_exists: 409,
  charge_not_payable_conflict: 409,
  body_too_large: 413,
  media_type_unsupported: 415,
  charge_not_payable: 422,
  charge_not_refundable: 422,
  insufficient_balance: 422,
  recipient_refused: 422,
  payer_refused: 422,
  rate_limited: 429,
  internal: 500,
} as const satisfies Record<ProblemCode, number>;

/** Whether a request was refused for its access token or its company, before its content was examined. */
export function isTurnedAway(status: number): boolean {
  return status === statusOfProblem.token_invalid || status === statusOfProblem.company_mismatch;
}

export type ErrorStatus = (typeof statusOfProblem)[ProblemCode];

/** `status` may also be one that the API itself never answers, when a rule chooses it. */
export function renderError(
  status: number,
  messages: readonly string[],
  context: Pick<ErrorBody, "correlationId" | "path" | "timestamp">,
): ErrorBody {
  return {
    statusCode: status,
    message: [...messages],
    error: errorName(status),
    correlationId: context.correlationId,
    path: context.path,
    timestamp: context.timestamp,
  };
}

/** The text of `error`: for 404 `Not Found Exception`. The contract: "Error body shape: not shown." */
export function errorName(status: number): string {
  return `${STATUS_CODES[status] ?? "Unknown Error"} Exception`;
}

/** Renders an error in the shape that a profile chooses. All shapes but `envelope` have all problems in one text. */
export function renderErrorAs(
  shape: Profile["errors"]["shape"],
  ...[status, messages, context]: Parameters<typeof renderError>
): object {
  const envelope = renderError(status, messages, context);
  const message = messages.join("; ");
  return shape === "envelope" ? envelope : shape === "message" ? { message } : { ...envelope, message };
}
