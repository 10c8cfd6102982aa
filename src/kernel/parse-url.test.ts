import { expect, it } from "vitest";
import { parseUrl } from "./parse-url.js";

it("reads absolute URLs and nothing else", () => {
  expect(parseUrl("https://shop.test/a?b=1")?.hostname).toBe("shop.test");
  for (const text of ["", "/hook", "shop.test", "http://", "http://[::1"]) expect(parseUrl(text)).toBeUndefined();
});

it("reads a URL with letters beyond ASCII the hundred thousandth time as it did the first", () => {
  const refused = Array.from({ length: 100_000 }, (_, at) => {
    if (at % 100 !== 0) return parseUrl(`https://shop.test/${at % 10}`) !== undefined;
    return parseUrl("https://münchen.example/é")?.hostname === "xn--mnchen-3ya.example";
  }).filter((read) => !read);
  expect(refused).toEqual([]);
});
