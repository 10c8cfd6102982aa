import { createHash, randomFillSync } from "node:crypto";

/** A source of random bytes: the machine's, or a repeatable stream that knows its position. */
export interface RandomSource {
  bytes(size: number): Uint8Array;
  /** How many draws were made; with the seed it says everything, so it is stored with the state. */
  readonly position: number;
}

export function createMachineRandom(): RandomSource {
  return { bytes: (size) => randomFillSync(new Uint8Array(size)), position: 0 };
}

/**
 * A repeatable stream, one per seed and company: draw n is SHA-256 of (seed, name, n), in counter mode. A stream can be taken up at any
 * position, so no value comes twice after a restart.
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

/** A 32-bit number that is the same for the same words: seeds a generator for one thing (a person of a phone number, say). */
export function hashToSeed(...words: readonly (string | number)[]): number {
  return createHash("sha256").update(words.join("\n")).digest().readUInt32BE(0);
}
