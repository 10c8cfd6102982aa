import { expect, it } from "vitest";
import { testRegex } from "./test-regex.js";

it.each([
  ["^a", "abc", true],
  ["^b", "abc", false],
  ["^txn_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "txn_53e88c9c-406f-4569-824c-caa9491121c1", true],
  ["^txn_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "txn_53e88c9c-406f-4569-caa9491121c1", false],
  [String.raw`^(\p{L}+ ?)+$`, "Awa Koné", true],
])("%s over %j", (pattern, text, matches) => {
  expect(testRegex(pattern, text)).toBe(matches);
});

it("stops what would never end, and says that it does not match", () => {
  expect(testRegex("^(a+)+$", `${"a".repeat(40)}!`)).toBe(false);
});
