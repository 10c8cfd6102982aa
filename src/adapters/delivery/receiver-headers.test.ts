import { expect, it } from "vitest";
import { createReceiverHeaders } from "./receiver-headers.js";

it("writes what came more than once on one line, and keeps what came before once", () => {
  const headers = createReceiverHeaders();
  expect(headers.of({ "set-cookie": ["a=1", "b=2"], date: "now" })).toEqual({ "set-cookie": "a=1, b=2", date: "now" });
  const plain = headers.of({ date: "now" });
  expect(plain).toEqual({ date: "now" });
  expect(headers.of({ date: "now" })).toBe(plain);
});
