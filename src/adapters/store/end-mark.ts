import type * as z from "zod";
import { object } from "../../kernel/fields.js";
import { unlessMissing } from "./file-system.js";
import {
  epochIn,
  isWhole,
  parseFirstLine,
  parseLine,
  readFirstLine,
  refuseFile,
  renderLine,
  storeNumber,
} from "./lines.js";
import { type Place, placeFile } from "./place-file.js";

const endMark = object({ epoch: storeNumber(1), generation: storeNumber(1), lines: storeNumber(1) });

/** `PATH.closed` says how the last journal ended when the store was closed, so that later cuts of that journal are noticed. */
export type EndMark = Readonly<z.output<typeof endMark>>;

export function endMarkPath(path: string): string {
  return `${path}.closed`;
}

export async function writeEndMark(place: Place, mark: EndMark): Promise<void> {
  const file = await placeFile(place, endMarkPath(place.path), [renderLine(JSON.stringify(mark))]);
  await file.close();
}

/** The latest epoch that the document or the end mark of a store names; 0 when neither can be read. */
export async function readEpoch(path: string): Promise<number> {
  const heads = await Promise.all([path, endMarkPath(path)].map((file) => unlessMissing(readFirstLine(file))));
  return Math.max(...heads.map((head = "") => epochIn(head)));
}

/** Undefined when there is no end mark. Throws UsageError("file") for a damaged one. */
export async function readEndMark(path: string): Promise<EndMark | undefined> {
  const file = endMarkPath(path);
  const text = await unlessMissing(readFirstLine(file));
  if (text === undefined) return undefined;
  const why = "the store is damaged here: this does not say how its journal ends";
  if (!isWhole(text)) return refuseFile(file, 1, why);
  return parseFirstLine(file, parseLine(file, { text: text.slice(9), number: 1 }), endMark, why);
}
