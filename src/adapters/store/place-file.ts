import { basename } from "node:path";
import type { FileSystem, WritableFile } from "./file-system.js";
import type { Lock } from "./lock.js";

/** Where a holder of the store writes, and the lock that permits it. */
export interface Place {
  readonly fs: FileSystem;
  /** The path of the store. */
  readonly path: string;
  readonly lock: Lock;
}

/**
 * Writes a file under a name that only this holder uses, and renames it once it is on the disk. A holder that was paused just before the renaming
 * cannot replace a file of the next holder, which has removed the unfinished file by then (`removeUnfinished`). Returns the open file.
 */
export async function placeFile(
  { fs, path, lock }: Place,
  target: string,
  chunks: Iterable<string>,
): Promise<WritableFile> {
  const unfinished = `${path}.tmp-${lock.id}`;
  const file = await fs.create(unfinished);
  try {
    for (const chunk of chunks) await file.append(chunk);
    await file.sync();
    await lock.assertHeld();
    await fs.rename(unfinished, target);
    await fs.syncFolderOf(target);
    return file;
  } catch (error) {
    await file.close().catch(() => undefined);
    // The unfinished file must not fill the rest of the disk.
    await fs.remove(unfinished).catch(() => undefined);
    throw error;
  }
}

/** What follows the store's name in the name of an unfinished file: it ends with the id of a holder's lock. */
const UNFINISHED = /^\.tmp-\d+-[0-9a-f]{8}$/;

/** Removes what earlier holders of the store have not finished. Call it with the lock held, before reading the store. */
export async function removeUnfinished({ fs, path }: Place): Promise<void> {
  const name = basename(path);
  for (const found of await fs.listFolderOf(path)) {
    // The names of other files, even of a store, may begin like this.
    if (found.startsWith(name) && UNFINISHED.test(found.slice(name.length)))
      await fs.remove(path + found.slice(name.length));
  }
}
