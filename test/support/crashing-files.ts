import { basename } from "node:path";
import type { FileSystem } from "../../src/adapters/store/file-system.js";

/** What a machine finds in a folder: the content of each file. */
export type Found = ReadonlyMap<string, Buffer>;

/** A disk that fails at chosen operations, and of which one can say what a crash at that instant would leave. */
export interface CrashingFiles extends FileSystem {
  /** Asked for so far, also those that failed. */
  readonly operations: number;
  /**
   * Everything that a crash now may leave. A killed process leaves what it wrote. A machine that loses its power may leave of each file no more than what
   * was synced (or half of the rest, or zeros in its place), and of the names changed since their folder was synced any number, oldest first.
   */
  crashes(): readonly Found[];
}

interface Inode {
  readonly id: number;
  content: Buffer;
  /** So much of the content is on the disk for sure. */
  synced: number;
}

type Names = ReadonlyMap<string, Inode>;

/** In memory. `isBroken` decides whether the n-th operation (from 1) fails. A failed write may have written half. */
export function createCrashingFiles(isBroken: (operation: number) => boolean, found: Found = new Map()): CrashingFiles {
  let operations = 0;
  let inodes = 0;
  const names = new Map<string, Inode>(
    [...found].map(([name, content]) => [name, { id: ++inodes, content, synced: content.length }]),
  );
  /** As the folder's names were when it was synced, and after each change since. */
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
    async inodeOf(path) {
      operate();
      return names.get(basename(path))?.id;
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
