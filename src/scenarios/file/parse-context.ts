import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Source, SourcePath } from "../../adapters/files/source.js";
import { numberBehaviours } from "../../domain/accounts/test-numbers.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { didYouMean } from "../../kernel/messages/suggest.js";
import { FileProblems } from "../../sandbox/config/file-problems.js";
import { loadFakeData } from "./fake-data.js";
import { parsePath } from "./template.js";

/** Reads another file of the scenario. */
export type ReadSource = (file: string) => Promise<Source>;

/** Variables that are always known: a single value, or an object with members. */
const builtIns: Readonly<Record<string, "value" | "members">> = {
  uuid: "value",
  now: "value",
  url: "value",
  token: "value",
  companyId: "value",
  secretKey: "value",
  receiver: "value",
  testNumbers: "members",
  env: "members",
  faker: "members",
};
const BUILT_IN = Object.keys(builtIns);
const TEST_NUMBERS = Object.keys(numberBehaviours);

/** Limits on how deep files use one another, and on how often a scenario uses any. */
const USE_DEPTH_MAX = 20;
const USES_MAX = 1000;

/** Common to all files of a scenario. */
function createShared(read: ReadSource) {
  return {
    read,
    problems: new FileProblems(),
    sources: new Map<string, Source>(),
    /** The absolute paths of the files whose steps were used so far. */
    usedFiles: new Set<string>(),
    fakes: [] as { readonly path: readonly string[]; readonly report: (problem: string) => void }[],
    uses: 0,
    usesRules: false,
    /** A file could not be used, so the variables that it saves are unknown. */
    isIncomplete: false,
  };
}
type Shared = ReturnType<typeof createShared>;

interface Place {
  readonly source: Source;
  /** The files that lead here, the outermost first. */
  readonly chain: readonly string[];
  /** Saved before. */
  readonly known: Set<string>;
  /** Known only here: the `with` of a used file, the `index` of a repetition. */
  readonly locals: ReadonlySet<string>;
}

/** One place of a scenario while it is parsed: the file, the variables known there, and where problems are reported. */
export class ParseContext {
  readonly source: Source;
  readonly shared: Shared;
  readonly problems: FileProblems;
  /** The variables saved before. */
  readonly known: Set<string>;
  readonly #place: Place;

  private constructor(shared: Shared, place: Place) {
    this.shared = shared;
    this.#place = place;
    this.source = place.source;
    this.problems = shared.problems;
    this.known = place.known;
  }

  static create(source: Source, read: ReadSource): ParseContext {
    const place: Place = { source, chain: [resolve(source.file)], known: new Set(), locals: new Set() };
    return new ParseContext(createShared(read), place);
  }

  know(names: Iterable<string>): void {
    for (const name of names) this.known.add(name);
  }

  /** The same place, with its own set of saved variables. */
  branch(): ParseContext {
    return new ParseContext(this.shared, { ...this.#place, known: new Set(this.#place.known) });
  }

  /** The same place, with more local variables. */
  with(locals: readonly string[]): ParseContext {
    return new ParseContext(this.shared, { ...this.#place, locals: new Set([...this.#place.locals, ...locals]) });
  }

  checkExpression(expression: string, path: SourcePath): void {
    const { known, locals } = this.#place;
    const [root = "", ...members] = parsePath(expression).map(String);
    if (known.has(root) || locals.has(root)) return;
    const report = (problem: string): void => this.problems.add(this.source, path, `\${${expression}} ${problem}`);
    if (!Object.hasOwn(builtIns, root)) {
      if (!this.shared.isIncomplete) report(this.#explainUnknown(root));
    } else if (builtIns[root] === "value" && members.length > 0) {
      report(`has no value: \${${root}} is one value, without members`);
    } else if (root === "testNumbers" && !(members.length === 1 && TEST_NUMBERS.includes(String(members[0])))) {
      const hint = didYouMean(members.join("."), TEST_NUMBERS);
      report(`is not a test number.${hint} There are ${TEST_NUMBERS.join(", ")}`);
    } else if (root === "env" && !members.join(".").startsWith("SANDBOX_")) {
      report("is not open to scenarios: only variables that start with SANDBOX_ are");
    } else if (root === "faker") {
      this.shared.fakes.push({ path: members, report });
    }
  }

  /** Called once, when all texts are known. */
  async checkFakes(): Promise<void> {
    const { fakes } = this.shared;
    if (fakes.length === 0) return;
    const fakeData = await loadFakeData();
    for (const { path, report } of fakes) {
      const problem = fakeData.problemOf(path);
      if (problem !== undefined) report(problem);
    }
  }

  /** The beginning of another file, where the variables of this place are known; undefined after reporting why it cannot be used. */
  async open(file: string, variables: readonly string[], path: SourcePath): Promise<ParseContext | undefined> {
    const source = await this.#openSource(file, path);
    if (source === undefined) {
      this.shared.isIncomplete = true;
      return undefined;
    }
    const { chain, known, locals } = this.#place;
    const place = { source, chain: [...chain, resolve(source.file)], known, locals };
    return new ParseContext(this.shared, place).with(variables);
  }

  /** The file, or undefined after reporting why it cannot be read. */
  async read(file: string, path: SourcePath): Promise<Source | undefined> {
    const { sources, read } = this.shared;
    try {
      const source = sources.get(file) ?? (await read(file));
      sources.set(file, source);
      return source;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      for (const message of error.messages) this.problems.add(this.source, path, message);
      return undefined;
    }
  }

  async #openSource(file: string, path: SourcePath): Promise<Source | undefined> {
    // Relative to this file, but named in messages like the scenario's own path.
    const named = isAbsolute(file) ? file : join(dirname(this.source.file), file);
    const target = resolve(named);
    const { chain } = this.#place;
    const refuse = (message: string): undefined => {
      this.problems.add(this.source, path, message);
      return undefined;
    };
    if (chain.includes(target)) {
      const circle = [...chain.slice(chain.indexOf(target)), target].map((each) => each.split(/[\\/]/).at(-1));
      return refuse(`${file} uses itself: ${circle.join(" → ")}`);
    }
    if (chain.length > USE_DEPTH_MAX) return refuse(`Files use one another more than ${USE_DEPTH_MAX} deep`);
    if (++this.shared.uses > USES_MAX) return refuse(`Files are used more than ${USES_MAX} times in one story`);
    this.shared.usedFiles.add(target);
    return this.read(named, path);
  }

  #explainUnknown(root: string): string {
    const here = [...this.#place.known, ...this.#place.locals];
    const hint = didYouMean(root, [...here, ...BUILT_IN]);
    const there = here.length === 0 ? "no step before it saves one" : `known here: ${here.join(", ")}`;
    return `is not known here.${hint} (${there}; always there: ${BUILT_IN.join(", ")})`;
  }
}
