import { expect, it } from "vitest";
import { quote } from "./quote.js";

it.each([
  ["order-1", '"order-1"'],
  ["", '""'],
  ['a "b"\n', String.raw`"a \"b\"\n"`],
  ["x".repeat(60), `"${"x".repeat(60)}"`],
  ["x".repeat(61), `"${"x".repeat(60)}…"`],
])("quotes %j", (text, quoted) => {
  expect(quote(text)).toBe(quoted);
});
