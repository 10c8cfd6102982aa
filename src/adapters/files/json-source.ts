import { isContainer } from "../../kernel/messages/json.js";
import type { Source } from "./source.js";

/** A JSON value as a file with two spaces of indentation, where each member has a line of its own. A YAML parser would take seconds for a mebibyte. */
export function jsonSource(value: unknown, file: string): Source {
  let lines: Lines | undefined;
  return {
    file,
    value,
    positionOf(path, at = "value") {
      lines ??= linesOf(value);
      const position = { file, line: 1, column: 1 };
      let container = value;
      for (const [depth, step] of path.entries()) {
        if (!isContainer(container)) break;
        const line = lines.get(container)?.get(step);
        if (line === undefined) break;
        const isKey = at === "key" && depth === path.length - 1;
        const beforeValue = isKey || Array.isArray(container) ? 0 : `${JSON.stringify(step)}: `.length;
        position.line = line;
        position.column = 2 * depth + 3 + beforeValue;
        container = Reflect.get(container, step);
      }
      return position;
    },
    writtenAt: () => undefined,
  };
}

/** The lines on which the members of each list and object begin. */
type Lines = ReadonlyMap<object, ReadonlyMap<string | number, number>>;

function linesOf(value: unknown): Lines {
  const lines = new Map<object, ReadonlyMap<string | number, number>>();
  let line = 1;
  const visit = (container: unknown): void => {
    if (!isContainer(container)) return;
    const own = new Map<string | number, number>();
    for (const [key, member] of Array.isArray(container) ? container.entries() : Object.entries(container)) {
      own.set(key, ++line);
      visit(member);
    }
    if (own.size === 0) return;
    lines.set(container, own);
    line++;
  };
  visit(value);
  return lines;
}
