import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, Parser } from "yaml";
import { renderPosition, type SourcePosition, UsageError } from "../../kernel/problem.js";
import { readText } from "./read-text.js";
import { composeDocument, keyName, type YamlProblem } from "./yaml-document.js";

/** A YAML or JSON file that was read: its value, and where each part of it stands. */
export interface Source {
  readonly file: string;
  /** Plain data as JSON knows it; null for an empty file. Keys such as `__proto__` are keys like any other. */
  readonly value: unknown;
  /**
   * Where the value at `path` begins, or its key. What is not there has the position of its nearest ancestor that is.
   */
  positionOf(path: SourcePath, at?: "key" | "value"): SourcePosition;
  /** A number, word or text as it was written, without quotes: `0700000010` where the value is 700000010. */
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

/** As `readSource`, of text that is at hand; `file` is only named in messages. */
export function parseSource(text: string, file: string): Source {
  const lines = new LineCounter();
  const parser = new Parser(lines.addNewLine);
  const position = (offset: number): SourcePosition => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const composed = composeDocument([...parser.parse(text.replace(/^\uFEFF/, ""))]);
  if ("problems" in composed) throw new UsageError("file", listProblems(composed.problems, position));
  const { document, value } = composed;
  return {
    file,
    value,
    positionOf: (path, at = "value") => position(offsetOf(document, path, at)),
    writtenAt(path) {
      const { node, depth } = follow(document, path);
      return depth === path.length && isScalar(node) ? (node.source ?? String(node.value)) : undefined;
    },
  };
}

/** More than this nobody reads; the first ones are at fault, and what follows is often only their echo. */
const PROBLEMS_MAX = 50;

function listProblems(problems: readonly YamlProblem[], position: (offset: number) => SourcePosition): string[] {
  const shown = [...problems].sort((a, b) => a.offset - b.offset).slice(0, PROBLEMS_MAX);
  const rendered = shown.map(({ offset, message }) => renderPosition(position(offset), message));
  const more = problems.length - shown.length;
  return more > 0 ? [...rendered, `… and ${more} more problems`] : rendered;
}

interface Followed {
  /** The last node of the path that is there. */
  readonly node: ParsedNode | null;
  /** The key under which it stands, in a mapping. */
  readonly key: ParsedNode | null;
  /** How many steps of the path are there. */
  readonly depth: number;
}

function follow(document: Document.Parsed, path: SourcePath): Followed {
  let found: Followed = { node: document.contents, key: null, depth: 0 };
  for (const step of path) {
    const next = memberOf(resolveAlias(document, found.node), step);
    if (next === undefined) return found;
    found = { ...next, depth: found.depth + 1 };
  }
  return { ...found, node: resolveAlias(document, found.node) };
}

function memberOf(node: ParsedNode | null, step: string | number): Omit<Followed, "depth"> | undefined {
  if (isMap<ParsedNode, ParsedNode | null>(node)) {
    const pair = node.items.find(({ key }) => keyName(key) === String(step));
    return pair === undefined ? undefined : { node: pair.value, key: pair.key };
  }
  const item = isSeq<ParsedNode>(node) ? node.items[Number(step)] : undefined;
  return item === undefined ? undefined : { node: item, key: null };
}

function resolveAlias(document: Document.Parsed, node: ParsedNode | null): ParsedNode | null {
  // An alias of a parsed document stands for a parsed node: the type of `resolve` forgets it.
  return isAlias(node) ? ((node.resolve(document) as ParsedNode | undefined) ?? null) : node;
}

function offsetOf(document: Document.Parsed, path: SourcePath, at: "key" | "value"): number {
  const { node, key, depth } = follow(document, path);
  const wantsKey = at === "key" && depth === path.length;
  const target = wantsKey ? (key ?? node) : (node ?? key);
  return target?.range[0] ?? 0;
}
