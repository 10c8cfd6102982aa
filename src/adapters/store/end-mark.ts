import { isObject } from "../../kernel/messages/json.js";
import { unlessMissing } from "./file-system.js";
import { parseLine, readFirstLine, refuseFile } from "./lines.js";
import { type Place, placeFile } from "./place-file.js";

/** `PATH.closed`: how the last journal ended when the store was closed. What is cut from that journal later is noticed. */
export interface EndMark {
  readonly epoch: number;
  readonly generation: number;
  readonly lines: number;
}

export function endMarkPath(path: string): string {
  return `${path}.closed`;
}

export async function writeEndMark(place: Place, mark: EndMark): Promise<void> {
  const file = await placeFile(place, endMarkPath(place.path), [`${JSON.stringify(mark)}\n`]);
  await file.close();
}

/** Undefined when there is none. Throws UsageError("file") for one that is damaged. */
export async function readEndMark(path: string): Promise<EndMark | undefined> {
  const file = endMarkPath(path);
  const text = await unlessMissing(readFirstLine(file));
  if (text === undefined) return undefined;
  const mark = parseLine(file, { text, number: 1 });
  const { epoch, generation, lines } = isObject(mark) ? mark : {};
  if (typeof epoch !== "number" || typeof generation !== "number" || typeof lines !== "number")
    return refuseFile(file, 1, "the store is damaged here: this does not say how its journal ends");
  return { epoch, generation, lines };
}
