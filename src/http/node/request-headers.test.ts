import fc from "fast-check";
import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { RequestHeaders } from "./request-headers.js";

const names = fc.constantFrom(
  "Accept",
  "accept",
  "Authorization",
  "authorization",
  "Content-Type",
  "X-Company-Id",
  "x-company-id",
  "Set-Cookie",
);
const lines = fc.array(
  fc.tuple(
    names,
    fc.stringMatching(/^[a-z,;= ]{0,6}$/).map((value) => value.trim()),
  ),
  { maxLength: 8 },
);

test("they are what Headers would make of the same lines, before one was made and after", () => {
  fc.assert(
    fc.property(lines, (given) => {
      const incoming: Pick<IncomingMessage, "rawHeaders"> = { rawHeaders: given.flat() };
      const headers = new RequestHeaders(incoming as IncomingMessage);
      const expected = new Headers(given);
      const asked = ["accept", "AUTHORIZATION", "content-type", "X-Company-Id", "set-cookie", "x-none"];
      const answers = () => asked.map((name) => [headers.get(name), headers.has(name)]);
      expect(answers()).toEqual(asked.map((name) => [expected.get(name), expected.has(name)]));
      expect([...headers]).toEqual([...expected]);
      expect(answers()).toEqual(asked.map((name) => [expected.get(name), expected.has(name)]));
      const each: string[][] = [];
      headers.forEach((value, name) => each.push([name, value]));
      expect(each).toEqual([...expected]);
    }),
  );
});

test("of several cookies one header is made, as the client's cookie jar would have written it", () => {
  const incoming: Pick<IncomingMessage, "rawHeaders"> = { rawHeaders: ["Cookie", "a=1", "cookie", "b=2"] };
  expect(new RequestHeaders(incoming as IncomingMessage).get("cookie")).toBe("a=1; b=2");
});
