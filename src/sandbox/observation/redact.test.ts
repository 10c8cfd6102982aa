import { describe, expect, it } from "vitest";
import fc, { runs } from "../../../test/support/fast-check.js";
import type { Identity } from "../state/company-record.js";
import { holdsSecret, REDACTED, searchIn, SecretRedactor, secretsOf, secretTexts } from "./redact.js";

const redactedWith = (secret: string, text: string): string => new SecretRedactor([secret]).text(text);

const latin1 = (text: string): string => Buffer.from(text).toString("latin1");
const hex = (byte: number, digits: number): string => byte.toString(16).padStart(digits, "0");

describe("a secret is redacted", () => {
  it.each([
    ["plain", "k/y+1=abc", "key k/y+1=abc!", `key ${REDACTED}!`],
    ["inside of a longer word when it is long", "at_sandbox", "flat_sandbox2", `fl${REDACTED}2`],
    ["alone when it is short", "at_1", "at_1 flat_1 at_12", `${REDACTED} flat_1 at_12`],
    ["as the whole text when it is a plain word", "shop", "shop", REDACTED],
    ["quoted in JSON", 'a"b\\c-d-e', String.raw`{"key":"a\"b\\c-d-e"}`, `{"key":"${REDACTED}"}`],
    ["in a JSON pointer", "k/~y+1=abc", "/body/k~1~0y+1=abc/0", `/body/${REDACTED}/0`],
    ["encoded for a URL", "k/y+1=abc", "?k=k%2Fy%2B1%3Dabc&x=1", `?k=${REDACTED}&x=1`],
    ["encoded for a URL in another way", "at_sandbox", "/%61t_s%61ndbox", `/${REDACTED}`],
    ["where a plus became a space", "abc+defgh", "?k=abc defgh", `?k=${REDACTED}`],
    ["in Unicode's decomposed form", "clé-dé-1", `x ${"clé-dé-1".normalize("NFD")} y`, `x ${REDACTED} y`],
    ["in the composed form of it", "clé-dé-1".normalize("NFD"), "x clé-dé-1 y", `x ${REDACTED} y`],
    ["as its bytes, quoted", 'k%2F"clé-1', `got ${JSON.stringify(latin1('k%2F"clé-1'))}`, `got "${REDACTED}"`],
    ["where a message cut it off", "at_sandbox_0123456789", 'got "at_sandbox_01234…"', `got "${REDACTED}…"`],
    ["cut off before a letter beyond ASCII", "clé-dé-la-漢字-1", 'got "clé-dé-la-…"', `got "${REDACTED}…"`],
    ["cut off within an escape for a URL", "at_sandbox_(1)", "got at_sandbox_%2…", `got ${REDACTED}…`],
    ["cut off within an escape of an escape", "at_sandbox_/1", "got at%5Fsandbox%5F%25…", `got ${REDACTED}`],
    ["in base64", "at_sandbox", `Basic ${Buffer.from("user:at_sandbox").toString("base64")}`, `Basic ${REDACTED}`],
    [
      "in base64 where a plus became a space",
      "at_~>~>~",
      `got "${Buffer.from("x at_~>~>~").toString("base64").replaceAll("+", " ")}"`,
      REDACTED,
    ],
    ["in hex", "at_sandbox", `x ${Buffer.from("-at_sandbox-").toString("hex")} y`, `x ${REDACTED} y`],
    [
      "in base64 in a path",
      "at_sandbox",
      `/v1/${Buffer.from("at_sandbox").toString("base64url")}/pay`,
      `/v1/${REDACTED}/pay`,
    ],
  ])("%s", (_, secret, text, expected) => {
    expect(redactedWith(secret, text)).toBe(expected);
  });

  it.each([
    ["for a URL", (byte: number) => `%${hex(byte, 2)}`],
    ["for a URL, twice", (byte: number) => `%25${hex(byte, 2)}`],
    ["for JSON", (byte: number) => String.raw`\u${hex(byte, 4)}`],
    ["for HTML", (byte: number) => `&#x${hex(byte, 2)};`],
  ])("wherever a message cuts it off: escaped %s", (_, escape) => {
    const secret = "key(of)mine-é/1";
    const written = [...Buffer.from(secret)].map(escape).join("");
    for (let length = 9 * escape(0).length; length < written.length; length++)
      expect(redactedWith(secret, `got ${written.slice(0, length)}…`)).not.toContain(written.slice(0, 20));
  });

  it.each([
    ["for a URL", "at_sandbox%2F9f8e7d6c"],
    ["for a URL in lower case", "at_sandbox%2f9f8e7d6c"],
    ["for a URL, twice", "at_sandbox%252F9f8e7d6c"],
    ["for JSON by PHP", String.raw`at_sandbox\/9f8e7d6c`],
  ])("when it begins with another one: escaped %s", (_, written) => {
    const redactor = new SecretRedactor(["at_sandbox", "at_sandbox/9f8e7d6c"]);
    expect(redactor.text(`got ${written}!`)).toBe(`got ${REDACTED}!`);
  });

  it("by the longest secret when several begin at the same place", () => {
    const redactor = new SecretRedactor(["at_sandbox", "at_sandbox_two"]);
    expect(redactor.text("at_sandbox_two at_sandbox")).toBe(`${REDACTED} ${REDACTED}`);
  });

  it("in values, in the names of members, and in numbers", () => {
    const redactor = new SecretRedactor(["at_sandbox", "123456"]);
    expect(redactor.value({ at_sandbox: ["x", { a: "at_sandbox" }], n: 123_456, m: 1_234_567 })).toEqual({
      [REDACTED]: ["x", { a: REDACTED }],
      n: REDACTED,
      m: 1_234_567,
    });
  });

  it("with every credential header, known or not", () => {
    const headers = { authorization: "Bearer other", cookie: "a=b", "x-note": "at_sandbox" };
    expect(new SecretRedactor(["at_sandbox"]).headers(headers)).toEqual({
      authorization: REDACTED,
      cookie: REDACTED,
      "x-note": REDACTED,
    });
  });
});

it("the whole text is redacted when it has too many escapes to resolve", () => {
  const { text } = new SecretRedactor(["at_sandbox"]);
  expect(text("%25".repeat(10_000))).not.toBe(REDACTED);
  expect(text("%25".repeat(10_001))).toBe(REDACTED);
});

it("the whole text is redacted when an encoded secret extends over several of its parts", () => {
  const encoded = Buffer.from("at?sandbox-1").toString("base64");
  expect(encoded).toContain("/");
  expect(new SecretRedactor(["at?sandbox-1"]).text(`auth ${encoded} sent`)).toBe(REDACTED);
  expect(new SecretRedactor(["/a/b\\"]).text("There is no GET /v1/%2Fa/b\\/x here")).toBe(REDACTED);
});

it.each([
  ["base64", 76, "\r\n"],
  ["base64", 60, "\n"],
  ["hex", 60, "\n"],
] as const)("%s in lines of %i characters is redacted", (encoding, width, lineBreak) => {
  const token = "at_0123456789abcdefghijklmnopqrstuvwxyz_ABCDEFGH";
  for (let before = 0; before < 60; before++) {
    const encoded = Buffer.from(`${"x".repeat(before)}:${token}`).toString(encoding);
    const lines = encoded.match(new RegExp(`.{1,${width}}`, "g")) ?? [];
    const shown = new SecretRedactor([token]).text(lines.join(lineBreak));
    expect(shown).toContain(REDACTED);
    expect(Buffer.from(shown.replaceAll(REDACTED, ""), encoding).toString()).not.toContain("at_");
  }
});

it("among many encoded words the one with a secret is redacted", () => {
  const words = Array.from({ length: 500 }, (_, at) => Buffer.from(`business payments ${at}`).toString("base64"));
  const secret = Buffer.from("x:at_sandbox").toString("base64");
  const text = (held: string): string => [...words, held, ...words].join(" ");
  expect(new SecretRedactor(["at_sandbox"]).text(text(secret))).toBe(text(REDACTED));
});

it("a text without secrets is not changed", () => {
  const redactor = new SecretRedactor(["at_sandbox", "shop", "k/y+1="]);
  for (const text of ["", "%", "%zz", "the shop is open", "at_sand box", "YXRfc2FuZA=="]) {
    expect(redactor.text(text)).toBe(text);
  }
});

describe("the secrets that are known", () => {
  function identity(name: string): Identity {
    const tokens = [{ token: `token-${name}-1`, expiresAt: null }];
    return { id: `company_${name}`, secretKey: `key-${name}-1`, tokens };
  }
  const isRedacted = (redactor: SecretRedactor, name: string): boolean =>
    secretTexts(identity(name)).every((secret) => redactor.text(secret) === REDACTED);

  it("include those that were replaced", () => {
    const redactor = new SecretRedactor();
    redactor.add(secretTexts(identity("a")));
    redactor.add(secretTexts(identity("b")));
    expect(isRedacted(redactor, "a")).toBe(true);
    expect(isRedacted(redactor, "b")).toBe(true);
  });

  it("are bounded, and include those in use and the newest of the others", () => {
    const redactor = new SecretRedactor([], () => secretTexts(identity("used")));
    redactor.add(secretTexts(identity("used")));
    for (let n = 1; n <= 1_000; n++) redactor.add(secretTexts(identity(`n${n}`)));
    for (const name of ["used", "n1000", "n900"]) expect(isRedacted(redactor, name)).toBe(true);
    expect(isRedacted(redactor, "n1")).toBe(false);
  });
});

describe("the secrets that are searched for in requests", () => {
  const secrets = secretsOf({
    id: "company_shop",
    secretKey: "k/y+1=",
    tokens: ["at_shop", "shop", "1234", "averylongwordthatisatoken"].map((token) => ({ token, expiresAt: null })),
  });

  it("are the secret key and the tokens, but no plain words or numbers", () => {
    expect(secrets.map(({ text }) => text)).toEqual(["k/y+1=", "at_shop", "averylongwordthatisatoken"]);
  });

  it.each(["reference at_shop!", "?k=k%2Fy%2B1%3D&x=%20", "/%61t_shop", "at_shopping at_shop"])("are in %j", (text) => {
    expect(secrets.some((secret) => holdsSecret(text, secret))).toBe(true);
  });

  it.each(["flat_shop", "at_shopping", "at_shop-2", "%", "%zz", "", "shop 1234"])("are not in %j", (text) => {
    expect(secrets.some((secret) => holdsSecret(text, secret))).toBe(false);
  });

  it("are found fast when they repeat one letter", () => {
    const repeated = Array.from(
      { length: 100 },
      (_, n) => ({ name: "access token", text: "a".repeat(200 - n) }) as const,
    );
    const start = process.cpuUsage();
    expect(repeated.some(searchIn(["a".repeat(50_000)]))).toBe(false);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(150);
  });
});

it("redacts the longest of the secrets that are at a place", () => {
  const part = fc.string({ unit: fc.constantFrom("a", "-", "1"), minLength: 8, maxLength: 14 });
  const secrets = fc.array(part, { minLength: 1, maxLength: 20 });
  const text = fc.string({ unit: fc.constantFrom("a", "-", "1"), maxLength: 60 });
  fc.assert(
    fc.property(secrets, text, (known, given) => {
      // Plain words and numbers are redacted only as a whole.
      const sought = known.filter((secret) => !/^(?:a*|1*)$/.test(secret) || secret.length >= 12);
      let expected = "";
      for (let at = 0; at < given.length;) {
        const found = sought.filter((secret) => given.startsWith(secret, at)).map(({ length }) => length);
        expected += found.length === 0 ? given[at] : REDACTED;
        at += Math.max(1, ...found);
      }
      expect(new SecretRedactor(known).text(given)).toBe(known.includes(given) ? REDACTED : expected);
    }),
    { numRuns: runs(1_000) },
  );
});
