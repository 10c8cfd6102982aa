import { expect, it } from "vitest";
import { longestStop } from "../../../test/support/loop-stops.js";
import { SecretRedactor } from "./redact.js";

const redactor = new SecretRedactor(["at_sandbox", "secret_sandbox", "k/y+1=abc", "à_clé_dé"]);
const MEBIBYTE = 1024 * 1024;
/** The longest stop, ms of processor time. */
const STOP_MAX_MS = 1_500;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

it.each([
  ["letters", "a"],
  ["words", "business payments sandbox "],
  ["long words", "a-business-payments-sandbox "],
  ["short words of base64", "YXRfc2FuYXRfc2Fu "],
  ["hex", "6174"],
  ["words of hex", "617473616e617473616e "],
  ["percent signs", "%"],
  ["escapes", "%25"],
  ["escapes of escapes", "%252525252541"],
  ["escapes as in JSON", String.raw`\u0061`],
  ["quotes", String.raw`\"`],
  ["entities", "&#38;amp;"],
  ["escapes among words", `${"%252525252541".repeat(2)}${"sandbox ".repeat(26)}`],
  ["letters in UTF-8", "%C3%A9"],
  ["base64 twice", base64(base64("business payments"))],
  ["base64 of escapes", base64("%252525252541")],
  ["base64 with a secret", `${base64("user:at_sandbox/")} `],
  ["paths of base64 with a secret", `/${base64("user:at_sandbox")}/a/b/c `],
  ["long words that are cut off", `${"business-payments".repeat(6)}…`],
  ["a secret", "at_sandbox "],
  ["a secret as an escape", "%61t_sandbox "],
  ["almost a secret", "at_sandbo"],
  ["characters beyond ASCII", "漢😀é"],
])("a mebibyte of %s is redacted without a long stop", async (_, piece) => {
  const text = piece.repeat(Math.ceil(MEBIBYTE / piece.length));
  const stopMs = await longestStop(async () => redactor.text(text));
  expect(stopMs).toBeLessThan(STOP_MAX_MS);
});

it("a text as long as the largest body is redacted", () => {
  const long = "x".repeat(8 * MEBIBYTE);
  expect(redactor.text(long)).toBe(long);
  expect(redactor.text(`${long}${base64("-at_sandbox-")}`)).toBe("[redacted]");
});

const HARD_LENGTHS = Array.from({ length: 188 }, (_, at) => 12 + at);

it.each([
  ["differ at their ends", (length: number) => `${"a".repeat(length - 1)}-`],
  ["begin with one another", (length: number) => `a-${"a".repeat(length - 2)}`],
])("secrets that were chosen to be slow, since they %s, are searched for without a long stop", async (_, secretOf) => {
  const chosen = new SecretRedactor(HARD_LENGTHS.map(secretOf));
  for (const text of ["a".repeat(64 * 1024), "a-".repeat(32 * 1024)]) {
    const stopMs = await longestStop(async () => chosen.text(text));
    expect(stopMs).toBeLessThan(STOP_MAX_MS);
  }
});

it("secrets that are replaced over and over are learned without a long stop", async () => {
  const one = new SecretRedactor();
  for (let n = 0; n < 2_500; n++) {
    const secret = ('é%2F+ "\\&'.repeat(25) + n).slice(-199);
    const stopMs = await longestStop(async () => one.add([secret]));
    expect(stopMs).toBeLessThan(STOP_MAX_MS);
  }
  expect(one.text(('é%2F+ "\\&'.repeat(25) + 2_499).slice(-199))).toBe("[redacted]");
});

it("secrets that are replaced while thousands are in use are learned without a long stop", async () => {
  const inUse = Array.from({ length: 10_000 }, (_, n) => `aa%25+%2B"${n}${'%2f+"'.repeat(37)}`.slice(0, 200));
  const one = new SecretRedactor([], () => inUse);
  for (let n = 0; n < 1_100; n++) {
    const secret = `at_${n}`.padEnd(40, "x");
    const stopMs = await longestStop(async () => one.add([secret]));
    expect(stopMs).toBeLessThan(STOP_MAX_MS);
  }
  expect(one.text(`${inUse[7]} at_1099${"x".repeat(33)}`)).toBe("[redacted] [redacted]");
});

it("a text with many encoded secrets, deeply escaped, is redacted without a long stop", async () => {
  const noise = Array.from({ length: 25 }, (_, at) => base64(base64(`${at} and others `.repeat(70))));
  const text = `%2525252541&amp;amp;amp;amp;amp;${noise.join("/")}/${base64(base64("x at_sandbox x"))} ${noise.join(" ")}`;
  const stopMs = await longestStop(async () =>
    expect(redactor.text(text.slice(0, 48_000))).not.toContain("at_sandbox"),
  );
  expect(stopMs).toBeLessThan(STOP_MAX_MS);
});
