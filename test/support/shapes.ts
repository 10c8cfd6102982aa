import { expect } from "vitest";

/** Matchers for values that differ from run to run. */
export const anUuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
export const aTransactionId = expect.stringMatching(/^txn_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
export const aBatchId = expect.stringMatching(/^bat_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
export const aCorrelationId = expect.stringMatching(/^[0-9a-f]{32}$/);

const errorNames: Readonly<Record<number, string>> = {
  400: "Bad Request Exception",
  401: "Unauthorized Exception",
  403: "Forbidden Exception",
  404: "Not Found Exception",
  405: "Method Not Allowed Exception",
  409: "Conflict Exception",
  413: "Payload Too Large Exception",
  415: "Unsupported Media Type Exception",
  422: "Unprocessable Entity Exception",
  429: "Too Many Requests Exception",
};

/** The complete error body: no other keys, all of the right type. */
export function anError(status: number, path: unknown, message: unknown, timestamp: unknown = expect.any(String)) {
  return { statusCode: status, message, error: errorNames[status], correlationId: aCorrelationId, path, timestamp };
}
