import { expect, it } from "vitest";
import { describeDifference } from "./reporters.js";

it("shows the name of a member on one line, without control characters", () => {
  const exchange = { file: null, index: 0, method: "GET", path: "/v1/balance" };
  const example = { exchange, expected: null, got: 1 };
  const pointer = "/a\u001B]0;title\u0007\nno drift";
  const drift = { operation: "getBalance", topic: null, pointer, kind: "added", count: 1, of: 1, example } as const;
  expect(describeDifference(drift)).toBe("only the service has /a\\u001b]0;title\\u0007 no drift: 1");
});
