import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digitsOf, isMsisdn, msisdnKey } from "./msisdn.js";

const digits = (min: number, max: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom("1", "2", "3", "4", "5", "6", "7", "8", "9"), minLength: min, maxLength: max });

describe("isMsisdn", () => {
  it.each([
    "12345678",
    "123456789012345",
    "+12345678",
    "0012345678",
    "00123456789012345",
    "+2250700000001",
    "00225070",
  ])("takes %s", (text) => expect(isMsisdn(text)).toBe(true));

  it.each([
    "",
    "1234567",
    "1234567890123456",
    "+1234567",
    "+1234567890123456",
    "001234567890123456",
    "++12345678",
    "+ 12345678",
    " 12345678",
    "12345678 ",
    "12345678\n",
    "+225-07-00-00-00-01",
    "+225 0700000001",
    "abcdefgh",
    "١٢٣٤٥٦٧٨",
    "1234567８",
    "1e10",
    "+",
    "00",
  ])("refuses %j", (text) => expect(isMsisdn(text)).toBe(false));
});

describe("digitsOf", () => {
  it.each([
    ["+2250700000001", "2250700000001"],
    ["002250700000001", "2250700000001"],
    ["2250700000001", "2250700000001"],
    ["0700000001", "0700000001"],
    // Eight digits are needed, so the zeros are part of this number.
    ["00123456", "00123456"],
  ])("of %s are %s", (text, expected) => expect(digitsOf(text)).toBe(expected));
});

describe("msisdnKey", () => {
  it.each(["+2250700000001", "002250700000001", "2250700000001", "0700000001", "+0700000001", "000700000001"])(
    "is one for every way of writing a number: %s",
    (text) => expect(msisdnKey(text)).toBe("0700000001"),
  );

  it("keeps 225 when the rest is too short for a number", () => {
    expect(msisdnKey("2251234567")).toBe("2251234567");
    expect(msisdnKey("22512345678")).toBe("12345678");
  });

  it("is the same with and without +, 00 and the country prefix, for every national number", () => {
    fc.assert(
      fc.property(digits(8, 12), (national) => {
        fc.pre(!national.startsWith("225"));
        for (const prefix of ["", "+", "00", "225", "+225", "00225"]) {
          expect(msisdnKey(prefix + national)).toBe(msisdnKey(national));
        }
      }),
    );
  });

  it("differs for different numbers", () => {
    fc.assert(
      fc.property(digits(8, 12), digits(8, 12), (a, b) => {
        fc.pre(a !== b && !a.startsWith("225") && !b.startsWith("225"));
        expect(msisdnKey(a)).not.toBe(msisdnKey(b));
      }),
    );
  });
});
