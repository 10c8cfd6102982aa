import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { DocumentFile, STORE_VERSION } from "../../src/adapters/store/document.js";
import { openFileStore } from "../../src/adapters/store/file-store.js";
import { type FileSystem, nodeFileSystem } from "../../src/adapters/store/file-system.js";
import { checksum, checksumIn, renderChecksum } from "../../src/adapters/store/lines.js";
import type { Place } from "../../src/adapters/store/place-file.js";
import type { Store, StoreFormat } from "../../src/adapters/store/store.js";
import { type SystemClock, systemClock } from "../../src/kernel/time/system-clock.js";
import { folderWith } from "./folder.js";

export type Data = Map<string, number>;

export const letters: StoreFormat<Data> = {
  createEmpty: () => new Map(),
  apply(data, [kind, key, value]) {
    if (kind === "put") data.set(String(key), Number(value));
    else if (kind === "drop") data.delete(String(key));
    else throw new Error(`there is no entry of the kind "${kind}"`);
  },
  dump: (data) => [...data].map(([key, value]) => ["put", key, value]),
};

export interface Opened {
  readonly store: Store<Data>;
  readonly logged: string[];
  readonly put: (key: string, value: number) => void;
}

/** A file store of letters that is closed when the test ends. */
export async function openLetters(
  path: string,
  options: { fs?: FileSystem; journalBytes?: number; system?: SystemClock } = {},
): Promise<Opened> {
  const logged: string[] = [];
  const log = {
    write: (level: string, _: string, fields?: { message?: unknown }) =>
      void logged.push(`${level} ${String(fields?.message)}`),
  };
  const store = await openFileStore({ path, format: letters, system: systemClock, log, name: "a test", ...options });
  onTestFinished(() => store.close().catch(() => undefined));
  const put = (key: string, value: number): void => {
    store.data.set(key, value);
    store.note(["put", key, value]);
  };
  return { store, logged, put };
}

/** A line of a journal. `before`: the line before, when the checksums are chained. */
export const withChecksum = (text: string, before = "00000000"): string =>
  `${renderChecksum(checksum(text, checksumIn(before)))} ${text}\n`;

/** The place of a store, with a lock of this epoch and id that is never lost. */
export function placeOf(path: string, epoch = 1, id = "test"): Place {
  const nothing = async (): Promise<void> => undefined;
  const lock = { id, epoch, isFresh: true, assertHeld: nothing, watch: () => undefined, release: nothing };
  return { fs: nodeFileSystem, path, lock };
}

/** The files as a kill leaves them, without a lock. */
export async function copyOf(path: string): Promise<string> {
  const folder = await folderWith({});
  const from = join(path, "..");
  for (const name of await readdir(from)) {
    if (!name.endsWith(".lock")) await writeFile(join(folder, name), await readFile(join(from, name)));
  }
  return join(folder, path.split("/").at(-1) ?? "");
}

/** The path of a store in a new folder. */
export const newStorePath = async (): Promise<string> => join(await folderWith({}), "store.json");

/** What somebody does who copies a backup over the checkpoint of a running process: the file stays the same one. */
export async function overwriteWithOther(path: string): Promise<void> {
  const other = await newStorePath();
  const entries = [["put", "z", 26]] as const;
  await new DocumentFile(placeOf(other)).write({
    schemaVersion: STORE_VERSION,
    epoch: 1,
    holder: "another",
    generation: 1,
    entries,
  });
  await copyFile(other, path);
}
