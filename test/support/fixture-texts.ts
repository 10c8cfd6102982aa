import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type LoadedFixtures, loadFixtureFiles } from "../../src/sandbox/config/load-files.js";
import type { FileDefaults } from "../../src/sandbox/config/set-up.js";
import { fileProblemsOf } from "./file-problems.js";

/** Texts that are loaded as the fixtures files a.yaml, b.yaml and c.yaml. */
export interface FixtureTexts {
  readonly folder: string;
  readonly load: (texts: string | readonly string[], defaults?: FileDefaults) => Promise<LoadedFixtures>;
  /** The messages with which the texts are refused, without the folder; none when they are accepted. */
  readonly problemsOf: (texts: string | readonly string[], defaults?: FileDefaults) => Promise<readonly string[]>;
}

/** Creates a folder for the texts during the tests of a file. They are loaded at {@link FIXTURES_AT}. */
export function useFixtureTexts(): FixtureTexts {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fixture-files-"));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const load: FixtureTexts["load"] = async (texts, defaults) => {
    const files = [texts].flat().map((text, index) => ({ file: join(folder, `${"abc"[index]}.yaml`), text }));
    for (const { file, text } of files) await writeFile(file, text);
    return loadFixtureFiles(
      files.map(({ file }) => file),
      FIXTURES_AT,
      defaults,
    );
  };
  return {
    get folder() {
      return folder;
    },
    load,
    async problemsOf(texts, defaults) {
      const messages = await fileProblemsOf(() => load(texts, defaults));
      return messages.map((message) => message.replaceAll(`${folder}/`, ""));
    },
  };
}

export const FIXTURES_AT = Date.UTC(2026, 0, 15, 9);
