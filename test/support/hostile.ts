import fc from "./fast-check.js";

/** Hostile input for tests. */

/** Texts that often cause errors. */
const ODD_TEXTS = [
  "",
  " ",
  "\u0000",
  "\r\nset-cookie: x=1",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "length",
  "then",
  "../../etc/passwd",
  "..%2f..%2fetc%2fpasswd",
  "/etc/passwd",
  "file:///etc/passwd",
  "%",
  "%00",
  "%zz",
  "%E0%A4%A",
  "${secret}",
  "$&",
  "$where",
  "<script>alert(1)</script>",
  "' OR 1=1 --",
  "null",
  "undefined",
  "NaN",
  "1e400",
  "-0",
  "0x10",
  "\ud800",
  "\udfff\ud800",
  "\u202e",
  "\ufeff",
  "é".repeat(300),
  "a".repeat(10_000),
  "(a+)+$",
  "[",
  "*",
  "company_sandbox",
  "at_sandbox",
  "secret_sandbox",
  "2026-02-30T25:61:61Z",
  "+275760-09-13T00:00:00.001Z",
  "9999999999999999h",
  "-1s",
  "P1Y",
  "http://169.254.169.254/",
  "http://user:pass@host:99999/",
  "javascript:alert(1)",
  "+2250700000001",
  "charges/events",
] as const;

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...ODD_TEXTS),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ maxLength: 20 }),
);

const hostileNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 0.1, 1e-7, 5e-324, 1e15, 1e21, 1e308, Number.MAX_SAFE_INTEGER, 2 ** 53, 8.64e15 + 1),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);

/** Any JSON value of unusual parts. `words` are keys and texts with a meaning at that place. */
export function hostileJson(words: readonly string[]): fc.Arbitrary<unknown> {
  const key = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: hostileText });
  const leaf = fc.oneof(hostileText, hostileNumber, fc.constantFrom(null, true, false, ...words));
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, depthSize: "small" },
      leaf,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.array(fc.tuple(key, tie("value")), { maxLength: 6 }).map(ownMembers),
    ),
  }));
  return value;
}

/** Defines members without assignment, so that `__proto__` is an ordinary one. */
function ownMembers(entries: readonly (readonly [string, unknown])[]): unknown {
  return Object.fromEntries(entries);
}

/** Broken JSON, as a client with a bug sends it. */
export function brokenJson(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const edits = fc.array(
    fc.tuple(fc.nat(), fc.nat(6), fc.oneof(hostileText, fc.constantFrom("{", "}", "[", '"', ",", ":", "\\"))),
    {
      maxLength: 3,
    },
  );
  return fc.tuple(value, edits).map(([given, changes]) => {
    const text = JSON.stringify(given) ?? "";
    return changes.reduce((changed, [at, length, put]) => splice(changed, at, length, put), text);
  });
}

/** Deeper and wider values than generators make. */
export const extremeJson: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(fc.constantFrom(["[", "]"], ['{"a":', "}"], ['[{"metadata":', "}]"]), fc.integer({ min: 1, max: 50_000 }))
    .map(([[open = "", close = ""], depth]) => `${open.repeat(depth)}1${close.repeat(depth)}`),
  fc.integer({ min: 1, max: 120_000 }).map((count) => {
    const members = Array.from({ length: count }, (_, index) => `"${index.toString(36)}":0`);
    return `{${members.join(",")}}`;
  }),
  fc.integer({ min: 1, max: 300_000 }).map((count) => `[${Array.from({ length: count }, () => "0").join(",")}]`),
  fc.integer({ min: 1, max: 1_000_000 }).map((length) => `{"amount":${"9".repeat(length)}}`),
  fc.integer({ min: 1, max: 1_000_000 }).map((length) => `{"externalId":"${"x".repeat(length)}"}`),
);

/** A JSON value with one place replaced, removed or repeated. */
export function mutated(value: unknown, at: number, other: unknown, how: "replace" | "remove" | "repeat"): unknown {
  const text = JSON.stringify(value);
  const places = Math.max(1, text.match(/[,:[{]/g)?.length ?? 1);
  let place = 0;
  return JSON.parse(text, function change(this: unknown, _key, member: unknown) {
    if (place++ !== at % places) return member;
    if (how === "remove") return undefined;
    if (how === "repeat" && Array.isArray(member)) return [...member, ...member];
    return other;
  }) as unknown;
}

/** The text with one piece replaced by another. */
export function splice(text: string, at: number, length: number, put: string): string {
  const start = text.length === 0 ? 0 : at % (text.length + 1);
  return text.slice(0, start) + put + text.slice(start + length);
}
