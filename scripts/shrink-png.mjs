import { crc32, deflateSync, inflateSync } from "node:zlib";

/** As many as a palette can have. */
const COLOURS_MAX = 256;
/** A colour that has more than such a part of the picture is kept as it is, with so many others. */
const AREA_PART = 4_000;
const AREAS_MAX = 160;

/**
 * A picture of a page in a third of its bytes: with a palette instead of a colour for each point. What fills areas keeps its very colour; of the shades between
 * a letter and its ground, the rarer ones become the nearest that is kept.
 *
 * @param {Buffer} png of 8 bits for each of red, green and blue, as browsers write it
 */
export function shrinkPng(png) {
  const { width, height, colours } = decode(png);
  const palette = choosePalette(colours);
  const indexes = new Map(palette.map((colour, index) => [colour, index]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const colour = colours[y * width + x] ?? 0;
      let index = indexes.get(colour);
      if (index === undefined) indexes.set(colour, (index = nearest(palette, colour)));
      rows[y * (width + 1) + x + 1] = index;
    }
  }
  const header = Buffer.from(png.subarray(16, 29));
  header[9] = 3;
  return Buffer.concat([
    png.subarray(0, 8),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap(partsOf))),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/**
 * The most frequent colours, and of those that are alike the most frequent one: as alike as it takes for all to fit.
 *
 * @param {Uint32Array} colours
 */
function choosePalette(colours) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const byCount = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  for (let alike = 0; ; alike += 4) {
    /** @type {number[]} */
    const palette = [];
    for (const [colour, count] of byCount) {
      // A shadow is made of many that are alike: with fewer of them it would have steps.
      const isArea = palette.length < AREAS_MAX && count * AREA_PART > colours.length;
      if (isArea || palette.every((kept) => distance(kept, colour) > alike * alike)) palette.push(colour);
      if (palette.length > COLOURS_MAX) break;
    }
    if (palette.length <= COLOURS_MAX) return palette;
  }
}

/**
 * @param {readonly number[]} palette
 * @param {number} colour
 */
function nearest(palette, colour) {
  let found = 0;
  for (let index = 1; index < palette.length; index++) {
    if (distance(palette[index] ?? 0, colour) < distance(palette[found] ?? 0, colour)) found = index;
  }
  return found;
}

/**
 * @param {number} a
 * @param {number} b
 */
function distance(a, b) {
  return ((a >> 16) - (b >> 16)) ** 2 + (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2;
}

/** @param {number} colour */
function partsOf(colour) {
  return [colour >> 16, (colour >> 8) & 255, colour & 255];
}

/** @param {Buffer} png */
function decode(png) {
  const [width, height, depth, type] = [png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]];
  if (depth !== 8 || (type !== 2 && type !== 6))
    throw new Error(`Failed to read a PNG of ${depth} bits and type ${type}.`);
  const size = type === 2 ? 3 : 4;
  const data = inflateSync(Buffer.concat([...chunksOf(png, "IDAT")]));
  const colours = new Uint32Array(width * height);
  let above = Buffer.alloc(width * size);
  for (let y = 0; y < height; y++) {
    const start = y * (width * size + 1);
    const row = data.subarray(start + 1, start + 1 + width * size);
    unfilter(data[start] ?? 0, row, above, size);
    for (let x = 0; x < width; x++) colours[y * width + x] = row.readUIntBE(x * size, 3);
    above = row;
  }
  return { width, height, colours };
}

/**
 * Each byte was written as the difference to what its neighbours foretell (PNG specification, 9.2).
 *
 * @param {number} filter
 * @param {Buffer} row
 * @param {Buffer} above
 * @param {number} size of a point, bytes
 */
function unfilter(filter, row, above, size) {
  for (let at = 0; at < row.length; at++) {
    const left = at < size ? 0 : (row[at - size] ?? 0);
    const up = above[at] ?? 0;
    const upLeft = at < size ? 0 : (above[at - size] ?? 0);
    const foretold = [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)][filter] ?? 0;
    row[at] = ((row[at] ?? 0) + foretold) & 255;
  }
}

/**
 * @param {number} left
 * @param {number} up
 * @param {number} upLeft
 */
function paeth(left, up, upLeft) {
  const [toLeft, toUp, toUpLeft] = [up - upLeft, left - upLeft, left + up - 2 * upLeft].map(Math.abs);
  if (toLeft === undefined || toUp === undefined || toUpLeft === undefined) return 0;
  if (toLeft <= toUp && toLeft <= toUpLeft) return left;
  return toUp <= toUpLeft ? up : upLeft;
}

/**
 * @param {Buffer} png
 * @param {string} wanted
 */
function* chunksOf(png, wanted) {
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === wanted) yield png.subarray(at + 8, at + 8 + length);
    at += length + 12;
  }
}

/**
 * @param {string} type
 * @param {Buffer} data
 */
function chunk(type, data) {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(data.length);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
}
