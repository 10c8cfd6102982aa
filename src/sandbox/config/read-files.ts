import { dirname, resolve } from "node:path";
import type * as z from "zod";
import { readSource, type Source } from "../../adapters/files/source.js";
import type { ProfileOverrides } from "../../domain/profile/setting.js";
import { UsageError } from "../../kernel/problem.js";
import { type FixturesEntry, fixturesSchema } from "./company-schema.js";
import { configSchema } from "./config-schema.js";
import { findDuplicates } from "./duplicates.js";
import { profile } from "../state/file-fields.js";
import { FileProblems } from "./file-problems.js";
import { type FileKind, guessKind } from "./guess-kind.js";
import type { FileConfig } from "./load-config.js";

export async function readConfig(file: string): Promise<FileConfig> {
  const [config] = await readAll([file], parseConfig);
  return config ?? {};
}

export async function readProfile(file: string): Promise<ProfileOverrides> {
  const [overrides] = await readAll([file], parseProfileFile);
  return overrides ?? {};
}

/** Each file once, whichever way it was named. */
export function readFixtures(files: readonly string[]): Promise<FixturesEntry[]> {
  return readAll([...new Map(files.map((file) => [resolve(file), file])).values()], parseFixtures);
}

export async function checkFile(file: string): Promise<{ kind: FileKind; problems: readonly string[] }> {
  const source = await readSource(file);
  const kind = guessKind(file, source.value);
  const problems = new FileProblems();
  parsers[kind]([source], problems);
  return { kind, problems: problems.messages };
}

/** What the files say, file by file; what a file with problems says is left out. */
type ParseFiles<T> = (sources: readonly Source[], problems: FileProblems) => T[];

const parseConfig: ParseFiles<FileConfig> = (sources, problems) => {
  findDuplicates(sources, problems);
  return parseEach(sources, problems, ({ file }) => configSchema(dirname(resolve(file))));
};

const parseProfileFile: ParseFiles<ProfileOverrides> = (sources, problems) =>
  parseEach(sources, problems, () => profile);

const parseFixtures: ParseFiles<FixturesEntry> = (sources, problems) => {
  findDuplicates(sources, problems);
  return parseEach(sources, problems, () => fixturesSchema);
};

function parseEach<T>(
  sources: readonly Source[],
  problems: FileProblems,
  schemaOf: (source: Source) => z.ZodType<T>,
): T[] {
  const parsed: T[] = [];
  for (const source of sources) {
    const result = problems.parse(source, schemaOf(source));
    if (result !== undefined) parsed.push(result);
  }
  return parsed;
}

const parsers: Readonly<Record<FileKind, ParseFiles<unknown>>> = {
  config: parseConfig,
  profile: parseProfileFile,
  fixtures: parseFixtures,
};

/** Throws UsageError("file") with everything that is wrong in all of them. */
async function readAll<T>(files: readonly string[], parse: ParseFiles<T>): Promise<T[]> {
  const read = await Promise.allSettled(files.map(readSource));
  const sources = read.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const unreadable = read.flatMap((result): readonly string[] =>
    result.status === "rejected" ? messagesOf(result.reason) : [],
  );
  const problems = new FileProblems();
  const parsed = parse(sources, problems);
  const messages = [...unreadable, ...problems.messages];
  if (messages.length > 0) throw new UsageError("file", messages);
  return parsed;
}

function messagesOf(reason: unknown): readonly string[] {
  if (reason instanceof UsageError) return reason.messages;
  throw reason;
}
