import { describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.js";
import { fileProblemsOf } from "../../../test/support/file-problems.js";
import { parseSource } from "./source.js";

const problemsOf = (text: string) => fileProblemsOf(() => parseSource(text, "f.yaml"));

describe("parseSource", () => {
  it.each<[string, unknown]>([
    ["", null],
    ["# nothing yet\n", null],
    ["---\na: 1\n...\n", { a: 1 }],
    ["\uFEFFa: 1\r\nb: [x, 2.5, true, null, ~]\r\n", { a: 1, b: ["x", 2.5, true, null, null] }],
    ['{\n\t"a": {\n\t\t"b": ["\\u00e9"]\n\t}\n}', { a: { b: ["é"] } }],
    ["at: 2026-01-15T09:00:00Z\nyes: no\nold: 010", { at: "2026-01-15T09:00:00Z", yes: "no", old: 10 }],
    ["%YAML 1.1\n---\na: yes\nb: 2026-01-01", { a: "yes", b: "2026-01-01" }],
    ["a: &x { b: 1 }\nc: *x", { a: { b: 1 }, c: { b: 1 } }],
    ["1: a\ntrue: b\n: c", { "1": "a", true: "b", "": "c" }],
  ])("%j", (text, value) => {
    expect(parseSource(text, "f.yaml").value).toEqual(value);
  });

  it("keeps keys such as __proto__ as keys", () => {
    const { value } = parseSource("__proto__: { admin: true }\nconstructor: 1", "f.yaml");
    expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":true},"constructor":1}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe("positionOf", () => {
  const text = `# a comment
shop:
  charges:
    - { id: "x", amount: 0700 }
    - ~
copy: &c [1, 2]
alias: *c
empty:
`;
  const source = parseSource(text, "f.yaml");

  it.each<[(string | number)[], "key" | "value" | undefined, string]>([
    [[], undefined, "2:1"],
    [["shop"], "key", "2:1"],
    [["shop"], "value", "3:3"],
    [["shop", "charges", 0, "amount"], "key", "4:18"],
    [["shop", "charges", 0, "amount"], undefined, "4:26"],
    [["shop", "charges", 1], "value", "5:7"],
    [["shop", "charges", 0, "missing"], "value", "4:7"],
    [["shop", "charges", 0, "missing"], "key", "4:7"],
    [["shop", "charges", 9, "id"], "value", "4:5"],
    [["nowhere", "at", "all"], "value", "2:1"],
    [["alias", 1], "value", "6:14"],
    [["empty"], "key", "8:1"],
    [["empty"], "value", "8:7"],
  ])("%j %s is %s", (path, at, expected) => {
    const { file, line, column } = source.positionOf(path, at);
    expect(`${file}:${line}:${column}`).toBe(`f.yaml:${expected}`);
  });

  it("shows a number as it was written", () => {
    expect(source.writtenAt(["shop", "charges", 0, "amount"])).toBe("0700");
    expect(source.writtenAt(["shop", "charges", 0, "id"])).toBe("x");
    expect(source.writtenAt(["shop"])).toBeUndefined();
    expect(source.writtenAt(["shop", "no"])).toBeUndefined();
  });
});

describe("a refused file", () => {
  it.each<[string, string[]]>([
    ["a: 1\na: 2", ["f.yaml:2:1: This key is there twice. Remove one"]],
    ['{"a": 1, "b": {"c": 1, "c": 2}}', ["f.yaml:1:24: This key is there twice. Remove one"]],
    ["1: x\n'1': y", ["f.yaml:2:1: This key is there twice. Remove one"]],
    ["a:\n\t- b", ["f.yaml:2:1: Tabs are not allowed as indentation. Use spaces"]],
    ["a: 1\n---\nb: 2\n---\nc: 3", ["f.yaml:2:1: A second document begins here (---). Put it in a file of its own"]],
    [
      "a: shop: x",
      [
        "f.yaml:1:4: A mapping cannot begin on the line of its key. Put a text that contains ': ' in quotes, or begin a new line",
      ],
    ],
    ["a: *b", ["f.yaml:1:4: This alias has no anchor before it. Put a text that begins with * in quotes"]],
    ["a: &a { b: [*a] }", ["f.yaml:1:13: This alias contains itself. Write the value itself"]],
    [
      "a: &x { b: 1 }\nc: { <<: *x }",
      ["f.yaml:2:6: Merge keys (<<) are not part of YAML 1.2. Repeat the keys, or use an alias for the whole value"],
    ],
    ["? [a]\n: 1", ["f.yaml:1:3: A key must be plain text, not a list, a mapping or an alias"]],
    [
      "a: .nan\nb: -.inf",
      [
        "f.yaml:1:4: This is not a number that JSON can hold. Write it as text, in quotes",
        "f.yaml:2:4: This is not a number that JSON can hold. Write it as text, in quotes",
      ],
    ],
    ["a: 1e999", ["f.yaml:1:4: This is not a number that JSON can hold. Write it as text, in quotes"]],
    ["a: 12345678901234567890", ["f.yaml:1:4: This has too many digits for a number. Write it as text, in quotes"]],
    ["a: 0xFFFFFFFFFFFFFFFF", ["f.yaml:1:4: This has too many digits for a number. Write it as text, in quotes"]],
  ])("%j", async (text, messages) => {
    expect(await problemsOf(text)).toEqual(messages);
  });

  it.each([
    "!!js/function 'x'",
    "!!js/regexp /x/",
    "!!binary aGk=",
    "!!timestamp 2026-01-01",
    "!!set {a}",
    "!mine {a: 1}",
  ])("the tag of %s", async (value) => {
    expect(await problemsOf(`a: ${value}`)).toEqual([
      expect.stringMatching(/^f\.yaml:1:4: Tags such as .* are not allowed here/),
    ]);
  });

  it("is not quoted in messages, since it may hold tokens and keys", async () => {
    const secret = "SeCrEt7";
    const marks = "[ ] { } , : - ? & * ! | > ' \" % @ ` # --- %YAML !< << \\x".split(" ");
    const spaces = [" ", "\n", ": ", "- ", "%YAML ", "1".repeat(30)];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(secret, secret, ...marks, ...spaces), { maxLength: 8 }),
        async (parts) => {
          const messages = await problemsOf(parts.join(""));
          expect(messages.join("\n")).not.toMatch(/SeCr|1111/);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("has every problem reported from top to bottom, and those beyond fifty counted", async () => {
    const few = await problemsOf("a: 1\na: *x\nb: .inf\n");
    expect(few.map((message) => message.split(":", 2)[1])).toEqual(["2", "2", "3"]);
    const many = await problemsOf("- .nan\n".repeat(200));
    expect(many).toHaveLength(51);
    expect(many.at(-1)).toBe("… and 150 more problems");
  });

  it.each(["a: [1, 2\nb: 3", 'a: "x\nb: 2', "{", "]", "a: 'x", "- a\nb: c", "@a", "%YAML 9\n---\n- 1"])(
    "%j, with a position",
    async (text) => {
      const messages = await problemsOf(text);
      expect(messages).not.toEqual([]);
      for (const message of messages) expect(message).toMatch(/^f\.yaml:\d+:\d+: \S/);
    },
  );
});

describe("hostile files", () => {
  it("are either a value or a list of problems with positions", async () => {
    const words = fc.constantFrom(
      "a",
      ":",
      ": ",
      "- ",
      "[",
      "]",
      "{",
      "}",
      ",",
      "&a",
      "*a",
      "!!x",
      "'",
      '"',
      "|",
      ">",
      "#",
      "\n",
      "  ",
      "\t",
      "---\n",
      "%",
      "? ",
      "<<",
      "1",
      "\u0000",
      "é",
      "\\",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.array(words, { maxLength: 30 }).map((parts) => parts.join("")),
          fc.string(),
        ),
        async (text) => {
          for (const message of await problemsOf(text))
            expect(message).toMatch(/^f\.yaml:[1-9]\d*:[1-9]\d*: \S|^… and/);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("are read like JSON.parse when they are JSON", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2, "\t"), (json, indent) => {
        const value: unknown = JSON.parse(json);
        expect(JSON.stringify(parseSource(JSON.stringify(value, null, indent), "f.json").value)).toBe(
          JSON.stringify(value),
        );
      }),
      { numRuns: 500 },
    );
  });

  const bomb = (width: number): string =>
    [
      "a0: &a0 [x, x]",
      ...Array.from({ length: 8 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n}, `.repeat(width)}]`),
    ].join("\n");

  it.each<[string, string, RegExp]>([
    ["a bomb of aliases", bomb(10), /^f\.yaml:1:1: Its aliases stand for too many values/],
    ["thousands of aliases", `a: &a 1\nb: [${"*a, ".repeat(10_000)}]`, /^f\.yaml:2:2005: It has more than 500 aliases/],
    ["lists in lists", "[".repeat(100_000), /^f\.yaml:1:201: It is nested deeper than 200 levels/],
    ["mappings in mappings", "{a: ".repeat(50_000), /nested deeper than 200 levels/],
    ["blocks in blocks", "- ".repeat(50_000), /nested deeper than 200 levels/],
    ["keys in keys", "? ".repeat(50_000), /nested deeper than 200 levels/],
    ["keys in keys before another line", `${"? ".repeat(50_000)}\na: 1`, /^f\.yaml:1:1: It is nested too deep/],
    [
      "indentation",
      Array.from({ length: 1000 }, (_, n) => `${" ".repeat(n)}a:`).join("\n"),
      /nested deeper than 200 levels/,
    ],
    ["nothing but closing brackets", "}".repeat(5000), /^f\.yaml:1:1: Unexpected flow-map-end/],
    ["documents", "--- a\n".repeat(5000), /^f\.yaml:2:1: A second document/],
  ])("%s", async (_, text, message) => {
    const [problem] = await problemsOf(text);
    expect(problem).toMatch(message);
  });
});
