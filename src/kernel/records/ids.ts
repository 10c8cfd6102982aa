import { createHash, randomFillSync, randomUUID } from "node:crypto";
import { customRandom, nanoid, urlAlphabet } from "nanoid";

/** Makes identifiers; seeded, it makes the same ones in the same order. */
export interface IdSource {
  /** RFC 9562 version 4, the shape the contract shows. */
  uuid(): string;
  /** `prefix_` and 21 characters: for what the contract does not shape (deliveries, events, rules). */
  short(prefix: string): string;
  /** 32 lower-case hex digits: the correlation id of an error. */
  hex32(): string;
  /** The position of a seeded stream. 0 without a seed. */
  readonly position: number;
}

export function createIdSource(seed: number | undefined, name: string, position = 0): IdSource {
  const random = seed === undefined ? createMachineRandom() : createSeededRandom(seed, name, position);
  const short = seed === undefined ? nanoid : customRandom(urlAlphabet, 21, (size) => random.bytes(size));
  return {
    uuid: () => (seed === undefined ? randomUUID() : uuidFromBytes(random.bytes(16))),
    short: (prefix) => `${prefix}_${short()}`,
    hex32: () => Buffer.from(random.bytes(16)).toString("hex"),
    get position() {
      return random.position;
    },
  };
}

/** Draws again while an id is in use: a state that was put in may have ids that the seeded stream has not reached yet. */
export function createUnusedIds(ids: IdSource, isUsed: (id: string) => boolean): IdSource {
  const unused = (draw: () => string): string => {
    let id = draw();
    while (isUsed(id)) id = draw();
    return id;
  };
  return {
    uuid: () => unused(() => ids.uuid()),
    short: (prefix) => unused(() => ids.short(prefix)),
    hex32: () => ids.hex32(),
    get position() {
      return ids.position;
    },
  };
}

/** Sets the version (4) and variant bits of RFC 9562 section 5.4. */
function uuidFromBytes(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes);
  hex[6] = (hex[6]! & 0x0f) | 0x40;
  hex[8] = (hex[8]! & 0x3f) | 0x80;
  const text = hex.toString("hex");
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}

/** A source of random bytes: the machine's, or a repeatable stream that knows its position. */
export interface RandomSource {
  bytes(size: number): Uint8Array;
  /** How many draws were made. The seed and the position determine all later draws, so the position is stored with the state. */
  readonly position: number;
}

export function createMachineRandom(): RandomSource {
  return { bytes: (size) => randomFillSync(new Uint8Array(size)), position: 0 };
}

/**
 * A repeatable stream, one per seed and company: draw n is SHA-256 of (seed, name, n), in counter mode. A stream can continue at any position, so
 * that no value is repeated after a restart.
 */
export function createSeededRandom(seed: number, name: string, position = 0): RandomSource {
  let draws = position;
  const block = (draw: number, index: number): Buffer =>
    createHash("sha256").update(`${seed}\n${name}\n${draw}\n${index}`).digest();
  return {
    bytes(size) {
      const draw = draws++;
      const blocks = Array.from({ length: Math.ceil(size / 32) }, (_, index) => block(draw, index));
      return Buffer.concat(blocks).subarray(0, size);
    },
    get position() {
      return draws;
    },
  };
}

/** A 32-bit number that is the same for the same words, as the seed of one thing, such as the person behind a phone number. */
export function hashToSeed(...words: readonly (string | number)[]): number {
  return createHash("sha256").update(words.join("\n")).digest().readUInt32BE(0);
}
