import { posix } from "node:path";

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
    "node:process",
  ],
  sandbox: ["hono", "@hono/node-server"],
};

/** Source files directly in a folder of `src/`. */
const filesPerFolder = { least: 4, most: 15 };

/** Text that a file may not contain. The formatter puts what is at the top of a module at the start of a line. */
const bannedText: readonly { readonly pattern: RegExp; readonly rule: string; readonly in?: RegExp }[] = [
  {
    pattern:
      /^(?:export )?(?:let|var) |^(?:export )?const (?!.*readonly).* = (?:\[\]|\{\}|new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\));$/gim,
    rule: "state in a module: keep it in an object that a sandbox owns",
  },
  {
    pattern: /\bDate\(\)/g,
    rule: "wall time (Date()) outside kernel/time/system-clock.ts",
    in: /^(?!kernel\/time\/system-clock\.ts$)/,
  },
  {
    pattern: /\bas unknown as\b/g,
    rule: "no `as unknown as` here: parse at the edge, render at the edge",
    in: /^(?:domain|contract|http\/api)\//,
  },
];

/** The rules that oxlint does not have. */
export function checkArchitecture(files: readonly SourceFile[]): Violation[] {
  const sources = files.filter(({ path }) => !isTest(path));
  return [...sources.flatMap((source) => checkSource(source)), ...checkFolderDirection(sources)];
}

export function formatViolations(violations: readonly Violation[]): string {
  return violations.map(({ path, line, rule }) => `src/${path}:${line} ${rule}`).join("\n");
}

function checkSource(source: SourceFile): Violation[] {
  const { path, text } = source;
  const ring = ringOf(path);
  const found: Violation[] = [];
  const add = (start: number, rule: string): void =>
    void found.push({ path, line: text.slice(0, start).split("\n").length, rule });
  if (ring === "" && !faces.includes(path)) add(0, `only ${faces.join(", ")} are at the top of src/`);
  else if (ring !== "" && mayImport[ring] === undefined)
    add(0, `src/${ring}/ is not a ring (${Object.keys(mayImport).join(", ")})`);
  if (/\/index\.tsx?$/.test(path)) add(0, "no barrels: name the file after what it holds");
  for (const { specifier, start } of importsOf(source)) {
    const rule = checkImport(path, ring, specifier);
    if (rule !== undefined) add(start, rule);
  }
  for (const { pattern, rule, in: place } of bannedText)
    if (place?.test(path) ?? true) for (const { index } of text.matchAll(pattern)) add(index, rule);
  return found;
}

function checkImport(path: string, ring: string, specifier: string): string | undefined {
  const target = resolve(path, specifier);
  if (target !== undefined) return checkTarget(path, ring, target);
  const packageName = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  if (packageName === "business-payments-sandbox") return "src/ does not import its own package by name";
  return bannedPackages[ring]?.includes(packageName) ? `${ring} may not import ${packageName}` : undefined;
}

function checkTarget(path: string, ring: string, target: string): string | undefined {
  if (target.startsWith("../")) {
    const isManifest = path === "kernel/version.ts" && target === "../package.json";
    return isManifest ? undefined : `${target.slice(3)} lies outside src/`;
  }
  if (faces.includes(target)) return `nothing inside imports ${target}`;
  const targetRing = ringOf(target);
  const allowed = mayImport[ring];
  if (allowed === undefined || ring === targetRing) return undefined;
  return allowed.includes(targetRing) ? undefined : `${ring} may not import ${targetRing} (${target})`;
}

/** Folders have a direction: no import, of a type or a value, leads back to a folder through others. */
function checkFolderDirection(sources: readonly SourceFile[]): Violation[] {
  const edges = new Map<string, Set<string>>();
  for (const source of sources) {
    const folder = posix.dirname(source.path);
    const targets = importsOf(source).flatMap(({ specifier }) => resolve(source.path, specifier) ?? []);
    const folders = targets.map((target) => posix.dirname(target)).filter((target) => target !== folder);
    edges.set(folder, new Set([...(edges.get(folder) ?? []), ...folders]));
  }
  return [...edges.keys()].flatMap((folder) => {
    const cycle = pathBack(edges, folder);
    return cycle === undefined
      ? []
      : [{ path: folder, line: 1, rule: `folders import each other: ${cycle.join(" -> ")}` }];
  });
}

/** The shortest path that leads from a folder back to it. */
function pathBack(edges: ReadonlyMap<string, ReadonlySet<string>>, start: string): string[] | undefined {
  const paths = [[start]];
  const seen = new Set<string>();
  for (const path of paths) {
    for (const next of edges.get(path.at(-1) ?? "") ?? []) {
      if (next === start) return [...path, start];
      if (!seen.has(next)) paths.push([...path, next]);
      seen.add(next);
    }
  }
  return undefined;
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

/** The imports and exports of other modules, of types and values. */
function importsOf({ text }: SourceFile): { readonly specifier: string; readonly start: number }[] {
  const found = text.matchAll(/^(?:import|export)\b(?:[^;"]* from)? "([^"]+)"|\bimport\("([^"]+)"\)/gm);
  return [...found].map(({ 1: fixed, 2: called, index }) => ({ specifier: fixed ?? called ?? "", start: index }));
}

/** The path of what a relative specifier means, as a `.ts` path; undefined for a package. */
function resolve(path: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return posix.normalize(posix.join(posix.dirname(path), specifier)).replace(/\.js(x?)$/, ".ts$1");
}

function ringOf(path: string): string {
  return path.slice(0, Math.max(0, path.indexOf("/")));
}

function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path);
}
