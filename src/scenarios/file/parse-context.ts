import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Source, SourcePath } from "../../adapters/files/source.js";
import { numberBehaviours } from "../../domain/accounts/test-numbers.js";
import { UsageError } from "../../kernel/problem.js";
import { didYouMean } from "../../kernel/suggest.js";
import { FileProblems } from "../../sandbox/config/file-problems.js";
import { loadFakeData } from "./fake-data.js";
import { parsePath } from "./template.js";

/** Reads another file of the story. */
export type ReadSource = (file: string) => Promise<Source>;

/** Variables that are always there: one value, or the names of its members. */
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

/** How deep files may use one another, and how often one story may use any: more is a mistake, even when it is no cycle. */
const USE_DEPTH_MAX = 20;
const USES_MAX = 1000;

/** What all files of one story share. */
interface Shared {
  readonly read: ReadSource;
  readonly problems: FileProblems;
  readonly sources: Map<string, Source>;
  readonly usedFiles: Set<string>;
  readonly fakes: { readonly path: readonly string[]; readonly tell: (problem: string) => void }[];
  uses: number;
  usesRules: boolean;
  /** A file could not be used: nobody knows what it would have saved. */
  incomplete: boolean;
}

interface Place {
  readonly source: Source;
  /** The files that lead here, the outermost first. */
  readonly chain: readonly string[];
  /** Saved before. */
  readonly known: Set<string>;
  /** Known only here: the `with` of a used file, the `index` of a repetition. */
  readonly locals: ReadonlySet<string>;
}

/** What parsing knows at one place of a story: the file, the variables saved before, and where problems go. */
export class ParseContext {
  readonly source: Source;
  readonly problems: FileProblems;
  readonly #shared: Shared;
  readonly #place: Place;

  private constructor(shared: Shared, place: Place) {
    this.#shared = shared;
    this.#place = place;
    this.source = place.source;
    this.problems = shared.problems;
  }

  static create(source: Source, read: ReadSource): ParseContext {
    const shared: Shared = {
      read,
      problems: new FileProblems(),
      sources: new Map(),
      usedFiles: new Set(),
      fakes: [],
      uses: 0,
      usesRules: false,
      incomplete: false,
    };
    const place: Place = { source, chain: [resolve(source.file)], known: new Set(), locals: new Set() };
    return new ParseContext(shared, place);
  }

  /** The absolute paths of the files whose steps were used so far. */
  get usedFiles(): ReadonlySet<string> {
    return this.#shared.usedFiles;
  }

  /** Whether any text so far draws from `${faker.…}`. */
  get usesFaker(): boolean {
    return this.#shared.fakes.length > 0;
  }

  /** Whether any step so far makes a rule. */
  get usesRules(): boolean {
    return this.#shared.usesRules;
  }

  noteRule(): void {
    this.#shared.usesRules = true;
  }

  know(names: Iterable<string>): void {
    for (const name of names) this.#place.known.add(name);
  }

  /** The variables saved before. */
  known(): readonly string[] {
    return [...this.#place.known];
  }

  /** The same place, with saved variables of its own. */
  branch(): ParseContext {
    return new ParseContext(this.#shared, { ...this.#place, known: new Set(this.#place.known) });
  }

  /** The same place, where some variables more are known. */
  with(locals: readonly string[]): ParseContext {
    return new ParseContext(this.#shared, { ...this.#place, locals: new Set([...this.#place.locals, ...locals]) });
  }

  checkExpression(expression: string, path: SourcePath): void {
    const { known, locals } = this.#place;
    const [root = "", ...members] = parsePath(expression).map(String);
    if (known.has(root) || locals.has(root)) return;
    const tell = (problem: string): void => this.problems.add(this.source, path, `\${${expression}} ${problem}`);
    if (!Object.hasOwn(builtIns, root)) {
      if (!this.#shared.incomplete) tell(this.#explainUnknown(root));
    } else if (builtIns[root] === "value" && members.length > 0) {
      tell(`has no value: \${${root}} is one value, without members`);
    } else if (root === "testNumbers" && !(members.length === 1 && TEST_NUMBERS.includes(String(members[0])))) {
      const hint = didYouMean(members.join("."), TEST_NUMBERS);
      tell(`is not a test number.${hint} There are ${TEST_NUMBERS.join(", ")}`);
    } else if (root === "env" && !members.join(".").startsWith("SANDBOX_")) {
      tell("is not open to scenarios: only variables that start with SANDBOX_ are");
    } else if (root === "faker") {
      this.#shared.fakes.push({ path: members, tell });
    }
  }

  /** To be called once, when all texts are known: the library of made-up data is loaded only for a story that draws from it. */
  async checkFakes(): Promise<void> {
    if (!this.usesFaker) return;
    const fakeData = await loadFakeData();
    for (const { path, tell } of this.#shared.fakes) {
      const problem = fakeData.problemOf(path);
      if (problem !== undefined) tell(problem);
    }
  }

  /** The beginning of another file, which knows what is known here; undefined after saying what is wrong with using it. */
  async open(file: string, variables: readonly string[], path: SourcePath): Promise<ParseContext | undefined> {
    const source = await this.#openSource(file, path);
    if (source === undefined) {
      this.#shared.incomplete = true;
      return undefined;
    }
    const { chain, known, locals } = this.#place;
    const place = {
      source,
      chain: [...chain, resolve(source.file)],
      known,
      locals: new Set([...locals, ...variables]),
    };
    return new ParseContext(this.#shared, place);
  }

  #explainUnknown(root: string): string {
    const here = [...this.#place.known, ...this.#place.locals];
    const hint = didYouMean(root, [...here, ...BUILT_IN]);
    const there = here.length === 0 ? "no step before it saves one" : `known here: ${here.join(", ")}`;
    return `is not known here.${hint} (${there}; always there: ${BUILT_IN.join(", ")})`;
  }

  async #openSource(file: string, path: SourcePath): Promise<Source | undefined> {
    // As it is named in messages: from where the story's own path begins.
    const named = isAbsolute(file) ? file : join(dirname(this.source.file), file);
    const target = resolve(named);
    const refuse = (message: string): undefined => this.#refuse(message, path);
    const { chain } = this.#place;
    if (chain.includes(target)) {
      const circle = [...chain.slice(chain.indexOf(target)), target].map((each) => each.split(/[\\/]/).at(-1));
      return refuse(`${file} uses itself: ${circle.join(" → ")}`);
    }
    if (chain.length > USE_DEPTH_MAX) return refuse(`Files use one another more than ${USE_DEPTH_MAX} deep`);
    if (++this.#shared.uses > USES_MAX) return refuse(`Files are used more than ${USES_MAX} times in one story`);
    this.#shared.usedFiles.add(target);
    return this.read(named, path);
  }

  #refuse(message: string, path: SourcePath): undefined {
    this.problems.add(this.source, path, message);
    return undefined;
  }

  /** The file, or undefined after saying why it cannot be read. */
  async read(file: string, path: SourcePath): Promise<Source | undefined> {
    const { sources, read } = this.#shared;
    try {
      const source = sources.get(file) ?? (await read(file));
      sources.set(file, source);
      return source;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      for (const message of error.messages) this.#refuse(message, path);
      return undefined;
    }
  }
}
