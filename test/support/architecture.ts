import { posix } from "node:path";
import { type Node, type ParserOptions, parseSync } from "oxc-parser";
import { findCycles } from "./cycles.js";

/** `path` is relative to `src/`, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
}

/** All rings but the two entry points. */
const inside = [
  "kernel",
  "domain",
  "contract",
  "adapters",
  "sandbox",
  "http",
  "scenarios",
  "audit",
  "experiments",
  "calibration",
];

/** The rings that each ring may import. */
const mayImport: Record<string, readonly string[]> = {
  kernel: [],
  domain: ["kernel"],
  contract: ["kernel", "domain"],
  adapters: ["kernel", "domain", "contract"],
  sandbox: ["kernel", "domain", "contract", "adapters"],
  // An audit sends requests to one address, and does not know the sandbox.
  audit: ["kernel", "domain", "contract", "adapters"],
  // The probes are scenarios.
  calibration: ["kernel", "domain", "contract", "adapters", "sandbox", "scenarios"],
  http: ["kernel", "domain", "contract", "adapters", "sandbox", "audit"],
  // Scenarios call an API through a fetch-like function, local or remote. They know the sandbox's companies, but not its server.
  scenarios: ["kernel", "domain", "contract", "adapters", "sandbox"],
  // Experiments read the records of a sandbox that their caller starts.
  experiments: ["kernel", "domain", "contract", "adapters", "sandbox"],
  // The two entry points do not import each other.
  library: inside,
  cli: inside,
};

/** The library's entry files: they may import anything, and nothing imports them. */
const faces = ["index.ts", "webhooks.ts", "vitest.ts", "jest.ts", "node-test.ts"];

const bannedPackages: Record<string, readonly string[]> = {
  kernel: ["hono", "@hono/node-server", "lowdb", "commander", "undici"],
  domain: [
    "hono",
    "@hono/node-server",
    "lowdb",
    "commander",
    "undici",
    "node:http",
    "node:https",
    "node:net",
    "node:fs",
  ],
  sandbox: ["hono", "@hono/node-server"],
};

const timeFiles = ["kernel/time/system-clock.ts"];
const randomFiles = ["kernel/records/ids.ts"];

const timeGlobals = ["setTimeout", "setInterval", "setImmediate"];
const timeMembers = ["Date.now", "performance.now", "performance.timeOrigin", "process.hrtime", "process.uptime"];
const timePackages = ["node:timers", "node:perf_hooks"];
const randomMembers = ["Math.random"];
const randomNames = ["randomUUID", "randomBytes", "randomInt", "randomFillSync", "randomFill", "getRandomValues"];
const randomPackages = ["nanoid"];

const maxLines = { source: 450, test: 600 };
/** Source files directly in a folder of `src/`. */
const filesPerFolder = { least: 4, most: 15 };

interface Import {
  readonly specifier: string;
  readonly start: number;
  readonly typeOnly: boolean;
  readonly names: readonly string[];
}

export function checkArchitecture(files: readonly SourceFile[]): Violation[] {
  const sources = files.filter(({ path }) => !isTest(path)).map((file) => new Source(file));
  return [
    ...sources.flatMap((source) => checkSource(source)),
    ...checkCycles(sources),
    ...checkFolderDirection(sources),
    ...checkLength(files),
  ];
}

/** The only rule that applies to `test/` too. */
export function checkLength(files: readonly SourceFile[]): Violation[] {
  return files.flatMap(({ path, text }) => {
    const limit = isTest(path) || path.startsWith("test/") ? maxLines.test : maxLines.source;
    const lines = text.replace(/\n$/, "").split("\n").length;
    return lines > limit ? [{ path, line: limit + 1, rule: `a file of ${lines} lines; ${limit} is the most` }] : [];
  });
}

export function formatViolations(violations: readonly Violation[], folder: string): string {
  return violations.map(({ path, line, rule }) => `${folder}${path}:${line} ${rule}`).join("\n");
}

class Source {
  readonly path: string;
  readonly ring: string;
  readonly program: Node;
  readonly imports: readonly Import[];
  readonly #text: string;

  constructor({ path, text }: SourceFile) {
    const options: ParserOptions = { lang: path.endsWith("x") ? "tsx" : "ts", sourceType: "module" };
    const { program, errors } = parseSync(path, text, options);
    if (errors[0] !== undefined) throw new Error(`${path} does not parse: ${errors[0].message}`);
    this.path = path;
    this.ring = path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
    this.program = program;
    this.#text = text;
    this.imports = collectImports(program);
  }

  violation(start: number, rule: string): Violation {
    return { path: this.path, line: this.#text.slice(0, start).split("\n").length, rule };
  }

  /** Variables of the module that can change: `let`, and collections that begin empty and are not read-only. */
  moduleState(): Node[] {
    const declarations = this.program.type === "Program" ? this.program.body : [];
    return declarations.flatMap((statement): Node[] => {
      const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
      if (node?.type !== "VariableDeclaration") return [];
      if (node.kind !== "const") return [node];
      return node.declarations.filter(({ id, init }) => {
        const isReadonly = /readonly/i.test(this.#text.slice(id.start, id.end));
        return init !== null && !isReadonly && isEmptyCollection(init);
      });
    });
  }

  /** The path of what a relative specifier means, as a `.ts` path; undefined for a package. */
  resolve(specifier: string): string | undefined {
    if (!specifier.startsWith(".")) return undefined;
    return posix.normalize(posix.join(posix.dirname(this.path), specifier)).replace(/\.js(x?)$/, ".ts$1");
  }
}

function checkSource(source: Source): Violation[] {
  const { path, ring } = source;
  const found: Violation[] = [];
  if (ring === "" && !faces.includes(path)) {
    found.push(source.violation(0, `only ${faces.join(", ")} are at the top of src/`));
  } else if (ring !== "" && mayImport[ring] === undefined) {
    found.push(source.violation(0, `src/${ring}/ is not a ring (${Object.keys(mayImport).join(", ")})`));
  }
  if (/\/index\.tsx?$/.test(path)) found.push(source.violation(0, "no barrels: name the file after what it holds"));
  for (const one of source.imports) {
    const rule = checkImport(source, one);
    if (rule !== undefined) found.push(source.violation(one.start, rule));
  }
  for (const node of source.moduleState()) {
    found.push(source.violation(node.start, "state in a module: keep it in an object that a sandbox owns"));
  }
  walk(source.program, undefined, (node, parent) => {
    const rule = checkNode(source, node, parent);
    if (rule !== undefined) found.push(source.violation(node.start, rule));
  });
  return found;
}

function isEmptyCollection(node: Node): boolean {
  if (node.type === "ArrayExpression") return node.elements.length === 0;
  if (node.type === "ObjectExpression") return node.properties.length === 0;
  return (
    node.type === "NewExpression" && node.arguments.length === 0 && /^(?:Weak)?(?:Map|Set)$/.test(nameOf(node.callee))
  );
}

const nameOf = (node: Node): string => (node.type === "Identifier" ? node.name : "");

function checkImport(source: Source, { specifier, typeOnly, names }: Import): string | undefined {
  const { path, ring } = source;
  const target = source.resolve(specifier);
  if (target !== undefined) return checkTarget(path, ring, target);
  const packageName = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  if (packageName === "business-payments-sandbox") return "src/ does not import its own package by name";
  if (bannedPackages[ring]?.includes(packageName)) return `${ring} may not import ${packageName}`;
  if (specifier === "node:process" && ring === "domain") return "the domain does not know the process";
  if (specifier === "node:process" && names.includes("env") && ring !== "cli")
    return "process.env is read in cli/ only";
  if (typeOnly) return undefined;
  if (timePackages.includes(packageName) && !timeFiles.includes(path)) return wallTime(specifier);
  const isRandom =
    randomPackages.includes(packageName) ||
    (packageName === "node:crypto" && names.some((name) => randomNames.includes(name)));
  return isRandom && !randomFiles.includes(path) ? randomness(packageName) : undefined;
}

function checkTarget(path: string, ring: string, target: string): string | undefined {
  if (target.startsWith("../")) {
    const isManifest = path === "kernel/version.ts" && target === "../package.json";
    return isManifest ? undefined : `${target.slice(3)} lies outside src/`;
  }
  if (faces.includes(target)) return `nothing inside imports ${target}`;
  const targetRing = target.slice(0, Math.max(0, target.indexOf("/")));
  const allowed = mayImport[ring];
  if (allowed === undefined || ring === targetRing) return undefined;
  return allowed.includes(targetRing) ? undefined : `${ring} may not import ${targetRing} (${target})`;
}

function checkNode(source: Source, node: Node, parent: Node | undefined): string | undefined {
  const { path, ring } = source;
  switch (node.type) {
    case "NewExpression": {
      const isNow = isName(node.callee, "Date") && node.arguments.length === 0;
      return isNow && !timeFiles.includes(path) ? wallTime("new Date()") : undefined;
    }
    case "CallExpression":
      return isName(node.callee, "Date") && !timeFiles.includes(path) ? wallTime("Date()") : undefined;
    case "Identifier": {
      const isTimer = timeGlobals.includes(node.name) && !timeFiles.includes(path) && isReference(node, parent);
      if (isTimer) return wallTime(node.name);
      const isProcess = node.name === "process" && ring === "domain" && isReference(node, parent);
      return isProcess ? "the domain does not know the process" : undefined;
    }
    case "MemberExpression": {
      const member = memberName(node);
      const [object, property = ""] = member.split(".", 2);
      if (timeMembers.includes(member) || (object === "globalThis" && timeGlobals.includes(property))) {
        return timeFiles.includes(path) ? undefined : wallTime(member);
      }
      const isRandom =
        randomMembers.includes(member) || (/crypto$/i.test(object ?? "") && randomNames.includes(property));
      if (isRandom) return randomFiles.includes(path) ? undefined : randomness(member);
      if (ring === "cli") return undefined;
      if (member === "process.env") return "process.env is read in cli/ only";
      return object === "console" ? "console is written in cli/ only" : undefined;
    }
    case "TSAsExpression":
      if (!/^(domain|contract|http\/api)\//.test(path)) return undefined;
      if (node.typeAnnotation.type === "TSAnyKeyword") return "no `as any` here: parse at the edge, render at the edge";
      return node.expression.type === "TSAsExpression" && node.expression.typeAnnotation.type === "TSUnknownKeyword"
        ? "no `as unknown as` here: parse at the edge, render at the edge"
        : undefined;
    default:
      return undefined;
  }
}

const wallTime = (what: string): string => `wall time (${what}) outside ${timeFiles.join(", ")}`;
const randomness = (what: string): string => `randomness (${what}) outside ${randomFiles.join(", ")}`;

/** Refuses cycles of values anywhere, and cycles of types in the kernel and the domain. */
function checkCycles(sources: readonly Source[]): Violation[] {
  const paths = new Map(sources.map((source) => [source.path, source]));
  const edges = (source: Source, keep: (one: Import) => boolean): string[] =>
    source.imports.filter(keep).flatMap((one) => {
      const target = source.resolve(one.specifier) ?? "";
      return [target, `${target}x`].find((path) => paths.has(path)) ?? [];
    });
  const values = new Map(sources.map((source) => [source.path, edges(source, (one) => !one.typeOnly)]));
  const strict = sources.filter(({ ring }) => ring === "kernel" || ring === "domain");
  const all = new Map(strict.map((source) => [source.path, edges(source, () => true)]));
  const ofValues = findCycles(values);
  const known = new Set(ofValues.map((cycle) => cycle.join()));
  const ofTypes = findCycles(all).filter((cycle) => !known.has(cycle.join()));
  return [
    ...ofValues.map((cycle) => ({ cycle, kind: "import" })),
    ...ofTypes.map((cycle) => ({ cycle, kind: "type import" })),
  ].map(({ cycle, kind }) => {
    const source = paths.get(cycle[0] ?? "");
    const next = source?.imports.find((one) =>
      [cycle[1], cycle[1]?.replace(/x$/, "")].includes(source.resolve(one.specifier)),
    );
    const rule = `${kind} cycle: ${cycle.join(" -> ")}`;
    return source?.violation(next?.start ?? 0, rule) ?? { path: cycle[0] ?? "", line: 1, rule };
  });
}

/** Folders have a direction: no import, of a type or a value, leads back to a folder through others. */
function checkFolderDirection(sources: readonly Source[]): Violation[] {
  const edges = new Map<string, string[]>();
  for (const source of sources) {
    const folder = posix.dirname(source.path);
    const targets = source.imports.flatMap(({ specifier }) => source.resolve(specifier) ?? []);
    const folders = targets.map((target) => posix.dirname(target)).filter((target) => target !== folder);
    edges.set(folder, [...(edges.get(folder) ?? []), ...folders]);
  }
  return findCycles(edges).map((cycle) => {
    const [folder = "", next = ""] = cycle;
    const source = sources.find(
      (one) =>
        posix.dirname(one.path) === folder &&
        one.imports.some(({ specifier }) => posix.dirname(one.resolve(specifier) ?? "") === next),
    );
    return { path: source?.path ?? folder, line: 1, rule: `folders import each other: ${cycle.join(" -> ")}` };
  });
}

/** Checks the number of source files in each folder, without the tests. */
export function checkFolderSizes(files: readonly SourceFile[]): Violation[] {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    if (isTest(path)) continue;
    const folder = posix.dirname(path);
    if (folder !== ".") counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const hasFolders = (folder: string): boolean => [...counts.keys()].some((other) => other.startsWith(`${folder}/`));
  return [...counts].flatMap(([folder, count]) => {
    // A folder with subfolders may hold only its entry file.
    const isRight = count <= filesPerFolder.most && (count >= filesPerFolder.least || hasFolders(folder));
    const { least, most } = filesPerFolder;
    return isRight
      ? []
      : [{ path: folder, line: 1, rule: `a folder of ${count} files; ${least} to ${most} are right` }];
  });
}

function collectImports(program: Node): Import[] {
  const imports: Import[] = [];
  walk(program, undefined, (node) => {
    const { start } = node;
    switch (node.type) {
      case "ImportDeclaration": {
        const names = node.specifiers.map((one) =>
          one.type === "ImportSpecifier" && "name" in one.imported ? one.imported.name : "*",
        );
        imports.push({ specifier: node.source.value, start, typeOnly: node.importKind === "type", names });
        break;
      }
      case "ExportAllDeclaration":
      case "ExportNamedDeclaration":
        if (node.source)
          imports.push({ specifier: node.source.value, start, typeOnly: node.exportKind === "type", names: ["*"] });
        break;
      case "ImportExpression":
        if (node.source.type === "Literal")
          imports.push({ specifier: String(node.source.value), start, typeOnly: false, names: ["*"] });
        break;
      case "TSImportType":
        imports.push({ specifier: node.source.value, start, typeOnly: true, names: ["*"] });
        break;
      default:
    }
  });
  return imports;
}

function walk(node: Node, parent: Node | undefined, visit: (node: Node, parent: Node | undefined) => void): void {
  visit(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, node, visit);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

const isName = (node: Node, name: string): boolean => node.type === "Identifier" && node.name === name;

/** Whether an identifier reads the variable of that name: not a property, a key, a type or the name of an import. */
function isReference(node: Node, parent: Node | undefined): boolean {
  switch (parent?.type) {
    case "MemberExpression":
      return parent.object === node || parent.computed;
    case "Property":
    case "PropertyDefinition":
    case "MethodDefinition":
      return parent.value === node || parent.computed;
    case "ImportSpecifier":
    case "ImportDefaultSpecifier":
    case "ExportSpecifier":
      return false;
    case "TSAsExpression":
    case "TSNonNullExpression":
    case "TSSatisfiesExpression":
      return true;
    default:
      return parent !== undefined && !parent.type.startsWith("TS");
  }
}

/** `a.b` for a member of a name, `?.b` for a member of another expression. */
function memberName(node: Node): string {
  if (node.type !== "MemberExpression") return "";
  const object = node.object.type === "Identifier" ? node.object.name : "?";
  const { property } = node;
  if (property.type === "Identifier" && !node.computed) return `${object}.${property.name}`;
  return property.type === "Literal" ? `${object}.${String(property.value)}` : `${object}.?`;
}

function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path);
}
