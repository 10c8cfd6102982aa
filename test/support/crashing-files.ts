import { basename } from "node:path";
import type { FileSystem } from "../../src/adapters/store/file-system.js";

/** The content of each file in a folder. */
export type Found = ReadonlyMap<string, Buffer>;

/** A disk that fails at chosen operations, and knows what a crash at that instant would leave. */
export interface CrashingFiles extends FileSystem {
  /** The number of operations so far, failed ones included. */
  readonly operations: number;
  /**
   * All possible results of a crash now. A killed process leaves what it wrote. After a loss of power a file may have only its synced content (or
   * half of the rest, or zeros instead), and any number of the oldest name changes since the last sync of the folder.
   */
  crashes(): readonly Found[];
}

interface Inode {
  readonly id: number;
  content: Buffer;
  /** The length of the content that is on the disk for certain. */
  synced: number;
}

type Names = ReadonlyMap<string, Inode>;

/** A disk in memory. `isBroken` decides whether the n-th operation (from 1) fails. A failed write may have written half. */
export function createCrashingFiles(isBroken: (operation: number) => boolean, found: Found = new Map()): CrashingFiles {
  let operations = 0;
  let inodes = 0;
  const names = new Map<string, Inode>(
    [...found].map(([name, content]) => [name, { id: ++inodes, content, synced: content.length }]),
  );
  /** The folder's names when it was last synced, and after each change since. */
  let history: Names[] = [new Map(names)];
  const operate = (half?: () => void): void => {
    if (!isBroken(++operations)) return;
    half?.();
    throw new Error(`operation ${operations} failed`);
  };
  const rename = (change: () => void): void => {
    change();
    history.push(new Map(names));
  };
  const named = (path: string): Inode => {
    const inode = names.get(basename(path));
    if (inode === undefined) throw Object.assign(new Error(`${path} is missing`), { code: "ENOENT" });
    return inode;
  };
  return {
    async create(path) {
      operate();
      const inode: Inode = { id: ++inodes, content: Buffer.alloc(0), synced: 0 };
      rename(() => names.set(basename(path), inode));
      const write = (text: string): void => {
        inode.content = Buffer.concat([inode.content, Buffer.from(text)]);
      };
      return {
        inode: inode.id,
        async append(text) {
          operate(() => write(text.slice(0, text.length / 2)));
          write(text);
        },
        async sync() {
          const { length } = inode.content;
          operate();
          inode.synced = length;
        },
        close: async () => operate(),
      };
    },
    async rename(from, to) {
      operate();
      const inode = named(from);
      rename(() => {
        names.delete(basename(from));
        names.set(basename(to), inode);
      });
    },
    async syncFolderOf() {
      operate();
      history = [new Map(names)];
    },
    async stampOf(path) {
      operate();
      const found = names.get(basename(path));
      return found && { inode: found.id, bytes: found.content.length };
    },
    async remove(path) {
      operate();
      if (names.has(basename(path))) rename(() => names.delete(basename(path)));
    },
    async listFolderOf() {
      operate();
      return [...names.keys()];
    },
    makeFolderOf: async () => operate(),
    get operations() {
      return operations;
    },
    crashes() {
      const all = history.flatMap((then) =>
        [whole, synced, torn, zeroed].map(
          (left) => new Map([...then].map(([name, inode]): [string, Buffer] => [name, left(inode)])),
        ),
      );
      return [...new Map(all.map((left) => [JSON.stringify([...left]), left])).values()];
    },
  };
}

const whole = ({ content }: Inode): Buffer => content;
const synced = ({ content, synced: length }: Inode): Buffer => content.subarray(0, length);
const torn = ({ content, synced: length }: Inode): Buffer =>
  content.subarray(0, length + Math.floor((content.length - length) / 2));
const zeroed = ({ content, synced: length }: Inode): Buffer =>
  Buffer.concat([content.subarray(0, length), Buffer.alloc(content.length - length)]);
