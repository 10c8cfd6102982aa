import { expect, it } from "vitest";
import type { OperationId } from "../../contract/operations.js";
import type { RecordedRequest } from "../recording/entry.js";
import { suggest } from "./suggest.js";

it("suggests limits from more requests than a call can have arguments", () => {
  const entries = Array.from({ length: 130_000 }, (_, index) => request("createCharge", 201, { amount: 100 + index }));
  const suggested = suggest([{ companyId: undefined, entries }]);
  expect(suggested.get("charges.min")).toContain(100);
  expect(suggested.get("charges.max")).toEqual([130_099]);
});

it("suggests test numbers from twenty thousand numbers with as many outcomes", () => {
  const numbers = Array.from({ length: 20_000 }, (_, index) => `+22507${String(index).padStart(8, "0")}`);
  const failed = numbers.map((msisdn, index) => ({
    id: String(index),
    msisdn,
    status: "failed",
    failureReason: index,
  }));
  const sent = { transactions: numbers.map((msisdn) => ({ msisdn })) };
  const entries = [request("createBatch", 201, sent, { transactions: failed })];
  const suggested = suggest([{ companyId: undefined, entries }]);
  expect(suggested.get("testNumbers.failure")).toEqual(numbers.slice(0, 10));
});

function request(operation: OperationId, status: number, sent: object, body: object = {}): RecordedRequest {
  return {
    kind: "request",
    exchange: { file: null, index: 0, method: "POST", path: "/v1/charges" },
    at: 0,
    authorization: undefined,
    companyId: undefined,
    contentType: undefined,
    operation,
    path: "/v1/charges",
    body: JSON.stringify(sent),
    answer: { status, headers: { retryAfter: null, contentType: null, allow: null }, body },
  };
}
