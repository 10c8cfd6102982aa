/**
 * `${…}` in the texts of a scenario. A text that is one `${x}` keeps the value's type; `$${` is a literal `${`.
 */
export interface TemplatePart {
  readonly literal?: string;
  /** `charge.transactions[0].id` */
  readonly expression?: string;
}

/** The parts of a text, or what is wrong with it. */
export function parseTemplate(text: string): { parts: readonly TemplatePart[] } | { problem: string } {
  const parts: TemplatePart[] = [];
  let literal = "";
  for (let at = 0; at < text.length;) {
    if (text.startsWith("$${", at)) {
      literal += "${";
      at += 3;
    } else if (text.startsWith("${", at)) {
      const end = text.indexOf("}", at);
      if (end === -1) return { problem: `"${text.slice(at)}" is not closed: a variable is \${name}` };
      const expression = text.slice(at + 2, end).trim();
      if (!EXPRESSION.test(expression)) {
        return {
          problem: `"\${${expression}}" is not a variable: it is a name with dots and [0], such as \${charge.transactions[0].id}`,
        };
      }
      if (literal !== "") parts.push({ literal });
      literal = "";
      parts.push({ expression });
      at = end + 1;
    } else {
      literal += text[at];
      at++;
    }
  }
  if (literal !== "" || parts.length === 0) parts.push({ literal });
  return { parts };
}

/** Whether a value is known only when the step runs. A text that is not well formed counts: what is wrong with it is said elsewhere. */
export function hasVariables(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const parsed = parseTemplate(value);
  return "problem" in parsed || parsed.parts.some(({ expression }) => expression !== undefined);
}

const EXPRESSION = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_$][\w$-]*|\[\d+\])*$/;

/** The steps of a dotted path with `[0]`: `a.b[0].c` → a, b, 0, c. */
export function parsePath(path: string): readonly (string | number)[] {
  return [...path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) =>
    name === undefined ? Number(index) : name,
  );
}

export function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
    root,
  );
}

/** Every expression in the texts of a value, with the path of the text it stands in. Members' names are taken as they are. */
export function listExpressions(value: unknown): { expression: string; path: (string | number)[] }[] {
  return listTexts(value).flatMap(({ text, path }) => {
    const parsed = parseTemplate(text);
    if ("problem" in parsed) return [];
    return parsed.parts.flatMap(({ expression }) => (expression === undefined ? [] : [{ expression, path }]));
  });
}

export function listTexts(
  value: unknown,
  path: (string | number)[] = [],
): { text: string; path: (string | number)[] }[] {
  if (typeof value === "string") return [{ text: value, path }];
  if (Array.isArray(value)) return value.flatMap((element, index) => listTexts(element, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => listTexts(member, [...path, key]));
}

/** The value with every `${…}` in it filled in. */
export function fill(value: unknown, lookUp: (expression: string) => unknown): unknown {
  if (typeof value === "string") return fillText(value, lookUp);
  if (Array.isArray(value)) return value.map((element) => fill(element, lookUp));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member, lookUp)]));
}

function fillText(text: string, lookUp: (expression: string) => unknown): unknown {
  const parsed = parseTemplate(text);
  if ("problem" in parsed) return text;
  const [only] = parsed.parts;
  if (parsed.parts.length === 1 && only?.expression !== undefined) return lookUp(only.expression);
  return parsed.parts
    .map(({ literal, expression }) => (expression === undefined ? literal : asText(lookUp(expression))))
    .join("");
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
