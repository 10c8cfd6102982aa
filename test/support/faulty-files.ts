import { type FileSystem, nodeFileSystem } from "../../src/adapters/store/file-system.js";

/** A disk that fails on request, and counts its operations. */
export interface FaultyFiles extends FileSystem {
  /** Makes every later write fail with this error; undefined ends it. */
  fail(error: string | undefined): void;
  /** Makes later flushes wait until the returned function is called. */
  holdSync(): () => void;
  readonly syncs: number;
}

export function createFaultyFiles(): FaultyFiles {
  let failure: string | undefined;
  let syncs = 0;
  let held: Promise<void> | undefined;
  const check = (): void => {
    if (failure !== undefined) throw Object.assign(new Error(failure), { code: failure.split(":")[0] });
  };
  return {
    ...nodeFileSystem,
    async create(path) {
      check();
      const file = await nodeFileSystem.create(path);
      return {
        inode: file.inode,
        async append(text) {
          check();
          await file.append(text);
        },
        async sync() {
          syncs++;
          check();
          await held;
          await file.sync();
        },
        close: () => file.close(),
      };
    },
    fail: (error) => (failure = error),
    holdSync() {
      let release = (): void => undefined;
      held = new Promise((resolve) => (release = resolve));
      return () => {
        held = undefined;
        release();
      };
    },
    get syncs() {
      return syncs;
    },
  };
}
