import { expect, it } from "vitest";
import { parseUrl, quote } from "./text.js";

it.each([
  ["order-1", '"order-1"'],
  ["", '""'],
  ['a "b"\n', String.raw`"a \"b\"\n"`],
  ["x".repeat(60), `"${"x".repeat(60)}"`],
  ["x".repeat(61), `"${"x".repeat(60)}…"`],
])("quotes %j", (text, quoted) => {
  expect(quote(text)).toBe(quoted);
});

it("reads absolute URLs and nothing else", () => {
  expect(parseUrl("https://shop.test/a?b=1")?.hostname).toBe("shop.test");
  for (const text of ["", "/hook", "shop.test", "http://", "http://[::1"]) expect(parseUrl(text)).toBeUndefined();
});

it("reads a URL with letters beyond ASCII in the same way a hundred thousand times", () => {
  const refused = Array.from({ length: 100_000 }, (_, at) => {
    if (at % 100 !== 0) return parseUrl(`https://shop.test/${at % 10}`) !== undefined;
    return parseUrl("https://münchen.example/é")?.hostname === "xn--mnchen-3ya.example";
  }).filter((read) => !read);
  expect(refused).toEqual([]);
});
