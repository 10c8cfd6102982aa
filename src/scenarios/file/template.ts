import { mapTexts } from "../../kernel/messages/json.js";

/** `${…}` in the texts of a scenario. A text that is only `${x}` keeps the type of the value; `$${` is a literal `${`. */
export type TemplatePart = { readonly literal: string } | { readonly expression: string };

const EXPRESSION = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_$][\w$-]*|\[\d+\])*$/;

const NO_VARIABLE =
  "What is between ${ and } must be a name with dots and [0], such as ${charge.transactions[0].id}. Write $${ for a plain ${";

/** The parts of a text, or its problem. The problem quotes nothing, because a text may hold tokens and keys. */
export function parseTemplate(text: string): { parts: readonly TemplatePart[] } | { problem: string } {
  const parts: TemplatePart[] = [];
  let literal = "";
  let from = 0;
  for (const { 0: found, 1: inner = "", 2: close, index } of text.matchAll(/\$\$\{|\$\{([^}]*)(\}?)/g)) {
    literal += text.slice(from, index);
    from = index + found.length;
    if (found === "$${") {
      literal += "${";
      continue;
    }
    if (close === "") return { problem: "A variable is not closed: write ${name}, or $${ for a plain ${" };
    const expression = inner.trim();
    if (!EXPRESSION.test(expression)) return { problem: NO_VARIABLE };
    if (literal !== "") parts.push({ literal });
    literal = "";
    parts.push({ expression });
  }
  literal += text.slice(from);
  if (literal !== "" || parts.length === 0) parts.push({ literal });
  return { parts };
}

export function expressionsOf(text: string): string[] {
  const parsed = parseTemplate(text);
  if ("problem" in parsed) return [];
  return parsed.parts.flatMap((part) => ("expression" in part ? [part.expression] : []));
}

/** Whether a value is known only when the step runs. A malformed text counts too: its problem is reported elsewhere. */
export function hasVariables(value: unknown): boolean {
  return typeof value === "string" && ("problem" in parseTemplate(value) || expressionsOf(value).length > 0);
}

/** The keys of a dotted path with `[0]`: `a.b[0].c` → a, b, 0, c. */
export function parsePath(path: string): readonly (string | number)[] {
  return [...path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) =>
    name === undefined ? Number(index) : name,
  );
}

type Path = (string | number)[];

/** Every text in a value, but not the keys. */
export function* listTexts(value: unknown, path: Path = []): Generator<{ text: string; path: Path }> {
  if (typeof value === "string") yield { text: value, path };
  if (typeof value !== "object" || value === null) return;
  const members: Iterable<[string | number, unknown]> = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, member] of members) yield* listTexts(member, [...path, key]);
}

/** The value with every `${…}` in it filled in. */
export function fill(value: unknown, lookUp: (expression: string) => unknown): unknown {
  return mapTexts(value, (text) => {
    const parsed = parseTemplate(text);
    if ("problem" in parsed) return text;
    const values = parsed.parts.map((part) => ("expression" in part ? lookUp(part.expression) : part.literal));
    if (values.length === 1) return values[0];
    return values.map((each) => (typeof each === "string" ? each : JSON.stringify(each))).join("");
  });
}
