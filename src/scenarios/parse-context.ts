import { dirname, resolve } from "node:path";
import type { Source, SourcePath } from "../adapters/files/source.js";
import { numberBehaviours } from "../domain/test-numbers.js";
import { UsageError } from "../kernel/problem.js";
import { didYouMean, nearest } from "../kernel/suggest.js";
import { FileProblems } from "../sandbox/config/file-problems.js";
import { parsePath } from "./template.js";

/** Reads another file of the story. */
export type ReadSource = (file: string) => Promise<Source>;

/** Variables that are always there. */
const BUILT_IN = ["uuid", "now", "url", "token", "companyId", "secretKey", "testNumbers", "env", "faker"];
const TEST_NUMBERS = Object.keys(numberBehaviours);

/** How deep files may use one another: more is a mistake, even when it is no cycle. */
const USE_DEPTH_MAX = 20;

interface ContextParts {
  readonly source: Source;
  readonly read: ReadSource;
  /** Files that use one another share theirs. */
  readonly problems: FileProblems;
  /** The files that lead here, the outermost first. */
  readonly chain: readonly string[];
  readonly known: Set<string>;
  readonly uses: { faker: boolean };
}

/** What parsing knows at one place of a story: the file, the variables saved before, and where problems go. */
export class ParseContext {
  readonly source: Source;
  readonly problems: FileProblems;
  readonly #parts: ContextParts;

  constructor(parts: ContextParts) {
    this.#parts = parts;
    this.source = parts.source;
    this.problems = parts.problems;
  }

  static create(source: Source, read: ReadSource): ParseContext {
    const chain = [resolve(source.file)];
    const problems = new FileProblems();
    return new ParseContext({ source, read, problems, chain, known: new Set(), uses: { faker: false } });
  }

  /** Whether any text so far draws from `${faker.…}`. */
  get usesFaker(): boolean {
    return this.#parts.uses.faker;
  }

  know(names: Iterable<string>): void {
    for (const name of names) this.#parts.known.add(name);
  }

  known(): readonly string[] {
    return [...this.#parts.known];
  }

  /** The same place with variables of its own. */
  branch(known: readonly string[]): ParseContext {
    return new ParseContext({ ...this.#parts, known: new Set(known) });
  }

  checkExpression(expression: string, path: SourcePath): void {
    const [root, member] = parsePath(expression);
    if (root === "faker") this.#parts.uses.faker = true;
    const known = [...this.#parts.known, ...BUILT_IN];
    if (typeof root !== "string" || !known.includes(root)) {
      const hint = nearest(String(root), known) === undefined ? "" : didYouMean(String(root), known);
      const saved = this.known();
      const there = saved.length === 0 ? "no step before it saves one" : `saved before it: ${saved.join(", ")}`;
      this.problems.add(
        this.source,
        path,
        `\${${expression}} is not known here.${hint} (${there}; always there: ${BUILT_IN.join(", ")})`,
      );
    } else if (root === "testNumbers" && !this.#parts.known.has(root) && !TEST_NUMBERS.includes(String(member))) {
      const hint = didYouMean(String(member ?? ""), TEST_NUMBERS);
      this.problems.add(
        this.source,
        path,
        `\${${expression}} is not a test number.${hint} There are ${TEST_NUMBERS.join(", ")}`,
      );
    } else if (root === "env" && !this.#parts.known.has(root) && !/^SANDBOX_/.test(String(member))) {
      this.problems.add(
        this.source,
        path,
        `\${${expression}} is not open to scenarios: only variables that start with SANDBOX_ are`,
      );
    }
  }

  /** The beginning of another file, which knows what is known here; undefined after saying what is wrong with using it. */
  async open(file: string, variables: readonly string[], path: SourcePath): Promise<ParseContext | undefined> {
    const target = resolve(dirname(this.source.file), file);
    const { chain } = this.#parts;
    if (chain.includes(target)) {
      const circle = [...chain.slice(chain.indexOf(target)), target].map((each) => each.split(/[\\/]/).at(-1));
      this.problems.add(this.source, path, `${file} uses itself: ${circle.join(" → ")}`);
      return undefined;
    }
    if (chain.length > USE_DEPTH_MAX) {
      this.problems.add(this.source, path, `Files use one another more than ${USE_DEPTH_MAX} deep`);
      return undefined;
    }
    const source = await this.#read(target, path);
    if (source === undefined) return undefined;
    const known = new Set([...this.known(), ...variables]);
    return new ParseContext({ ...this.#parts, source, chain: [...chain, target], known });
  }

  async #read(file: string, path: SourcePath): Promise<Source | undefined> {
    try {
      return await this.#parts.read(file);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      for (const message of error.messages) this.problems.add(this.source, path, message);
      return undefined;
    }
  }
}
