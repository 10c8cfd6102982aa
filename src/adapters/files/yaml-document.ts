import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  type Scalar,
  visit,
  type YAMLError,
  type YAMLMap,
  type YAMLWarning,
} from "yaml";

/** A problem in a text, and its offset in characters. */
export interface YamlProblem {
  readonly offset: number;
  readonly message: string;
}

export type ComposedDocument =
  | { readonly document: Document.Parsed; readonly value: unknown }
  | { readonly problems: readonly YamlProblem[] };

/** Composing a document is recursive: a deeper one would exhaust the stack. */
const DEPTH_MAX = 200;
/** Finding what an alias stands for takes time that grows with the document, and an alias of aliases may stand for millions of values. */
const ALIASES_MAX = 500;

/**
 * The one document of a text: YAML 1.2 with the types of JSON. Other features of YAML are refused, because they are either a mistake (a second value for a
 * key) or an attack (aliases that expand to millions of values).
 */
export function composeDocument(tokens: readonly CST.Token[]): ComposedDocument {
  const unfit = checkTokens(tokens);
  if (unfit !== undefined) return { problems: [unfit] };
  // Keys are compared below, because the library takes quadratic time.
  const composer = new Composer({ schema: "core", merge: false, resolveKnownTags: false, uniqueKeys: false });
  const [document] = composer.compose(tokens, true);
  if (document === undefined || !isParsed(document))
    return { problems: [{ offset: 0, message: "It has no document" }] };
  const faults = withoutEchoes([...document.errors, ...document.warnings]).map(({ code, message, pos }) => ({
    offset: pos[0],
    message: explanations[code] ?? unquoted.find(([start]) => message.startsWith(start))?.[1] ?? withoutQuote(message),
  }));
  const problems = [...faults, ...checkNodes(document)];
  if (problems.length > 0) return { problems };
  try {
    return { document, value: document.toJS({ maxAliasCount: ALIASES_MAX }) };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { problems: [{ offset: 0, message: "Its aliases stand for too many values. Write the values themselves" }] };
  }
}

/** Replacements for messages of the library that do not help, or that quote the file, which may hold tokens and keys. */
const explanations: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: "Tabs are not allowed as indentation. Use spaces",
  TAG_RESOLVE_FAILED: "Tags such as !!binary or !!js/function are not allowed here, only plain values. Remove the tag",
  BAD_DIRECTIVE:
    "A line that begins with % is a directive, and this one is unknown. Remove it, or put the text in quotes",
  BAD_DQ_ESCAPE: String.raw`An escape in double quotes is unknown. Write \\ for a backslash, or use single quotes`,
  BLOCK_AS_IMPLICIT_KEY:
    "A mapping cannot begin on the line of its key. Put a text that contains ': ' in quotes, or begin a new line",
};

/** A common mistake in scenarios: `{ request: GET /v1/charges/${id} }`. */
const unquoted: readonly (readonly [start: string, explanation: string])[] = [
  [
    "Unexpected flow-map-start at node end",
    'A mapping cannot begin inside of a text. Put a text with { in quotes, as "${name}"',
  ],
  [
    "Missing , or : between flow sequence items",
    'There must be a comma between the items of a list. Put a text with { in quotes, as "${name}"',
  ],
];

/** The library quotes the file only after a colon, up to the end of the message. */
function withoutQuote(message: string): string {
  return message.replace(/(?<=\w): .*$/s, "");
}

/** After a problem the parser reports unexpected tokens to the end of the text. Only the first one counts. */
function withoutEchoes(faults: readonly (YAMLError | YAMLWarning)[]): readonly (YAMLError | YAMLWarning)[] {
  // There may be hundreds of thousands, too many for the arguments of one call.
  const first = faults.reduce((least, { pos }) => Math.min(least, pos[0]), Number.POSITIVE_INFINITY);
  return faults.filter(({ code, pos }) => code !== "UNEXPECTED_TOKEN" || pos[0] === first);
}

function isParsed(document: Document.Parsed | Document): document is Document.Parsed {
  return Array.isArray(document.range);
}

/** Refuses, before composing, what cannot be composed safely. It proceeds level by level, because recursion could exhaust the stack. */
function checkTokens(tokens: readonly CST.Token[]): YamlProblem | undefined {
  const documents = tokens.filter((token) => token.type === "document");
  const second = documents[1];
  if (second !== undefined)
    return { offset: second.offset, message: "A second document begins here (---). Put it in a file of its own" };
  let aliases: CST.Token[] = [];
  let level: CST.Token[] = documents.flatMap(({ value }) => value ?? []);
  for (let depth = 1; level.length > 0; depth++) {
    const [first] = level;
    if (depth > DEPTH_MAX && first !== undefined)
      return { offset: first.offset, message: `It is nested deeper than ${DEPTH_MAX} levels. Make it flatter` };
    aliases = [...aliases, ...level.filter(({ type }) => type === "alias")];
    const tooMany = aliases[ALIASES_MAX];
    if (tooMany !== undefined)
      return {
        offset: tooMany.offset,
        message: `It has more than ${ALIASES_MAX} aliases. Write the values themselves`,
      };
    level = level.flatMap(childrenOf);
  }
  return undefined;
}

function childrenOf(token: CST.Token): CST.Token[] {
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }) => [key ?? [], value ?? []].flat());
}

/** Refuses well-formed YAML that is not plain data. */
function checkNodes(document: Document.Parsed): YamlProblem[] {
  const problems: (readonly YamlProblem[])[] = [];
  const anchors = new Set<string>();
  visit(document, {
    Node: (_, node, path) => {
      if (isAlias(node)) problems.push(checkAlias(node, path, anchors));
      else if (node.anchor !== undefined) anchors.add(node.anchor);
      if (isScalar(node)) problems.push(checkNumber(node));
      if (isMap(node)) problems.push(checkKeys(node));
    },
  });
  return problems.flat();
}

function checkAlias(alias: Alias, path: readonly unknown[], anchors: ReadonlySet<string>): YamlProblem[] {
  const { source } = alias;
  const offset = offsetOf(alias);
  const isInside = path.some((parent) => isCollection(parent) && parent.anchor === source);
  if (isInside) return [{ offset, message: "This alias contains itself. Write the value itself" }];
  return anchors.has(source) ? [] : [{ offset, message: NO_ANCHOR }];
}

const NO_ANCHOR = "This alias has no anchor before it. Put a text that begins with * in quotes";

/** The name that a key has in the value; undefined for a key that is not a scalar. */
export function keyName(key: unknown): string | undefined {
  return isScalar<string | number | boolean | null>(key) ? String(key.value ?? "") : undefined;
}

const MERGE_KEY = "Merge keys (<<) are not part of YAML 1.2. Repeat the keys, or use an alias for the whole value";

function checkKeys(map: YAMLMap): YamlProblem[] {
  const seen = new Set<string>();
  return map.items.flatMap(({ key }) => {
    const offset = offsetOf(key);
    const name = keyName(key);
    if (name === undefined) return [{ offset, message: "A key must be plain text, not a list, a mapping or an alias" }];
    if (name === "<<" && isScalar(key) && key.type === "PLAIN") return [{ offset, message: MERGE_KEY }];
    if (seen.has(name)) return [{ offset, message: "This key is there twice. Remove one" }];
    seen.add(name);
    return [];
  });
}

/** Refuses a number that JSON would change. */
function checkNumber(scalar: Scalar): YamlProblem[] {
  const { value, source = String(value) } = scalar;
  if (typeof value !== "number") return [];
  const offset = offsetOf(scalar);
  if (!Number.isFinite(value))
    return [{ offset, message: "This is not a number that JSON can hold. Write it as text, in quotes" }];
  const isExact = Number.isSafeInteger(value) || String(value) === source || !/^(?:[-+]?\d+|0[xo]\w+)$/.test(source);
  if (isExact) return [];
  return [{ offset, message: "This has too many digits for a number. Write it as text, in quotes" }];
}

function offsetOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
