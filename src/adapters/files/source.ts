import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, Parser } from "yaml";
import { renderPosition, type SourcePosition, UsageError } from "../../kernel/messages/problem.js";
import { readText } from "./read-text.js";
import { composeDocument, type ComposedDocument, keyName, type YamlProblem } from "./yaml-document.js";

/** A YAML or JSON file: its value, and the position of each part. */
export interface Source {
  readonly file: string;
  /** Plain data as in JSON; null for an empty file. Keys such as `__proto__` are ordinary keys. */
  readonly value: unknown;
  /** The position of the value at `path`, or of its key. For a missing value, the position of its nearest ancestor. */
  positionOf(path: SourcePath, at?: "key" | "value"): SourcePosition;
  /** A scalar as it was written, without quotes: `0700000010` where the value is 700000010. */
  writtenAt(path: SourcePath): string | undefined;
}

export type SourcePath = readonly (string | number)[];

/**
 * Reads a YAML or JSON file (JSON is YAML, so one reader serves both).
 *
 * Throws UsageError("file") when it is missing or unreadable, and with every problem as `file:line:column: message` when it does not parse.
 */
export async function readSource(file: string): Promise<Source> {
  return parseSource(await readText(file), file);
}

/** Like `readSource`, for a text. `file` is only named in messages. */
export function parseSource(text: string, file: string): Source {
  const lines = new LineCounter();
  const parser = new Parser(lines.addNewLine);
  const position = (offset: number): SourcePosition => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const composed = compose(parser, text.replace(/^\uFEFF/, ""));
  if ("problems" in composed) throw new UsageError("file", listProblems(composed.problems, position));
  const { document, value } = composed;
  return {
    file,
    value,
    positionOf(path, at = "value") {
      const { node, key, isWhole } = follow(document, path);
      const target = at === "key" && isWhole ? (key ?? node) : (node ?? key);
      return position(target?.range[0] ?? 0);
    },
    writtenAt(path) {
      const { node, isWhole } = follow(document, path);
      return isWhole && isScalar(node) ? (node.source ?? String(node.value)) : undefined;
    },
  };
}

function compose(parser: Parser, text: string): ComposedDocument {
  try {
    return composeDocument([...parser.parse(text)]);
  } catch (error) {
    // The parser is recursive for keys that begin with `?`, one within another.
    if (!(error instanceof RangeError)) throw error;
    return { problems: [{ offset: 0, message: "It is nested too deep to be read. Make it flatter" }] };
  }
}

/** The first problems matter: later ones are often consequences. */
const PROBLEMS_MAX = 50;

function listProblems(problems: readonly YamlProblem[], position: (offset: number) => SourcePosition): string[] {
  const shown = [...problems].sort((a, b) => a.offset - b.offset).slice(0, PROBLEMS_MAX);
  const rendered = shown.map(({ offset, message }) => renderPosition(position(offset), message));
  const more = problems.length - shown.length;
  return more > 0 ? [...rendered, `… and ${more} more problems`] : rendered;
}

interface Followed {
  /** The last node of the path that exists. */
  readonly node: ParsedNode | null;
  /** The key of the node, if the node is in a mapping. */
  readonly key: ParsedNode | null;
  /** Whether the whole path exists. */
  readonly isWhole: boolean;
}

function follow(document: Document.Parsed, path: SourcePath): Followed {
  let found: Omit<Followed, "isWhole"> = { node: document.contents, key: null };
  for (const step of path) {
    const next = memberOf(resolveAlias(document, found.node), step);
    if (next === undefined) return { ...found, isWhole: false };
    found = next;
  }
  return { ...found, node: resolveAlias(document, found.node), isWhole: true };
}

function memberOf(node: ParsedNode | null, step: string | number): Omit<Followed, "isWhole"> | undefined {
  if (isMap<ParsedNode, ParsedNode | null>(node)) {
    const pair = node.items.find(({ key }) => keyName(key) === String(step));
    return pair === undefined ? undefined : { node: pair.value, key: pair.key };
  }
  const item = isSeq<ParsedNode>(node) ? node.items[Number(step)] : undefined;
  return item === undefined ? undefined : { node: item, key: null };
}

function resolveAlias(document: Document.Parsed, node: ParsedNode | null): ParsedNode | null {
  // In a parsed document an alias stands for a parsed node, but the type of `resolve` does not say so.
  return isAlias(node) ? ((node.resolve(document) as ParsedNode | undefined) ?? null) : node;
}
