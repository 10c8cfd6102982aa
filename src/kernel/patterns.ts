import { RE2JS } from "re2js";
import { messageOf, UsageError } from "./messages/problem.js";
import { quote } from "./messages/text.js";

/**
 * The regular expressions that users write: those of JavaScript with the flag `u`. An engine with linear time runs them, so that none can stop the event
 * loop. Patterns that such an engine cannot run are refused.
 */

const LENGTH_MAX = 1000;
/** The largest pattern once its counted repetitions are written out: `(?:ab){3}` is as large as `ababab`. */
const SIZE_MAX = 500;
/** The most properties in a pattern. Each stands for hundreds of ranges of characters, which are merged when the pattern is compiled. */
const PROPERTIES_MAX = 20;

/** What is wrong with a pattern; undefined when nothing is. Does not compile it, since a body may have thousands of patterns. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > LENGTH_MAX) return `must have at most ${LENGTH_MAX} characters`;
  const tokens = tokensOf(pattern);
  const properties = tokens.filter(isCategory);
  if (properties.length > PROPERTIES_MAX)
    return String.raw`has ${properties.length} properties such as \p{L}, at most ${PROPERTIES_MAX} are allowed`;
  for (const token of tokens) {
    const refusal = refusalOf(token);
    if (refusal !== undefined) return `has ${quote(token.text)} at character ${token.index + 1}: ${refusal}`;
  }
  // JavaScript's engine takes long to merge the ranges of a property: each property is checked once, by itself, and replaced by a short class in the pattern.
  const short = tokens.map((token) => (isCategory(token) ? String.raw`\d` : token.text)).join("");
  const parts = [short, ...new Set(properties.map(({ text }) => text))];
  const syntaxError = parts.map(syntaxErrorOf).find((error) => error !== undefined);
  if (syntaxError !== undefined) return `is not a regular expression: ${syntaxError}`;
  const size = sizeOf(tokens);
  if (size <= SIZE_MAX) return undefined;
  return `is too large: written out, its repetitions come to ${size} characters, at most ${SIZE_MAX} are allowed. Use * or +, with $length beside it`;
}

function syntaxErrorOf(pattern: string): string | undefined {
  try {
    return void new RegExp(pattern, "u");
  } catch (error) {
    return messageOf(error);
  }
}

interface Token {
  readonly text: string;
  readonly index: number;
  /** Whether it is in a character class, such as `[a-z]`. */
  readonly isInClass: boolean;
}

const TOKEN = /\\(?:[pP]\{[^}]*\}|[^])|\(\?<?[=!]|\(\?[-a-z]|\(\?<[^>\]]+>|\{\d+(?:,\d*)?\}|[^]/gu;

function tokensOf(pattern: string): readonly Token[] {
  let isInClass = false;
  return [...pattern.matchAll(TOKEN)].map(({ 0: text, index }) => {
    const token = { text, index, isInClass };
    isInClass = isInClass ? text !== "]" : text === "[";
    return token;
  });
}

function isCategory({ text }: Pick<Token, "text">): boolean {
  return /^\\[pP]\{[A-Z][a-z]?\}$/.test(text);
}

/** Why linear engines, or this one, cannot run a token, and what to write instead. */
function refusalOf({ text, isInClass }: Token): string | undefined {
  if (/^\\[pP]\{/.test(text)) {
    if (isCategory({ text })) return undefined;
    return String.raw`of the properties only general categories are known, such as \p{L} and \p{Lu}`;
  }
  if (isInClass) return text === String.raw`\b` ? String.raw`a backspace is written \x08` : undefined;
  if (/^\(\?<?[=!]/.test(text))
    return "lookahead and lookbehind are not supported. Describe the text itself, or put another condition beside it, such as $contains";
  // Without regard to case, compiling one range of characters takes milliseconds. Older versions of Node do not know flags there.
  if (/^\(\?[-a-z]/.test(text)) return "flags within a pattern are not supported. For both cases write [Aa]";
  if (/^\\[1-9k]/.test(text)) return "backreferences are not supported. List the possible texts, as in (a-a|b-b)";
  return undefined;
}

function sizeOf(tokens: readonly Token[]): number {
  /** The sizes of the open groups, outermost first. */
  const open = [0];
  let last = 0;
  const add = (size: number): void => void open.push((open.pop() ?? 0) + size);
  for (const { text, isInClass } of tokens) {
    if (isInClass) continue;
    const counts = /^\{\d/.test(text) ? text.match(/\d+/g) : null;
    if (counts !== null) add(last * (Math.max(1, ...counts.map(Number)) - 1));
    else if (text.startsWith("(")) open.push(1);
    else {
      last = text === ")" ? (open.pop() ?? 0) : 1;
      add(last);
    }
  }
  return open.reduce((sum, size) => sum + size, 0);
}

/** Throws UsageError("input") for a pattern that is refused. */
export function compilePattern(pattern: string): RE2JS {
  // A pattern with variables of a scenario was not checked before.
  const problem = patternProblem(pattern);
  if (problem !== undefined) throw new UsageError("input", `$regex ${problem}.`);
  // The names of groups are left out: JavaScript permits more of them than RE2, and they make no difference here.
  const unnamed = tokensOf(pattern).map(({ text, isInClass }) => (!isInClass && /^\(\?<[^=!]/.test(text) ? "(" : text));
  return RE2JS.compile(RE2JS.translateRegExp(unnamed.join("")));
}
