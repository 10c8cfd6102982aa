/** A text of this length or more is found inside of words too. */
const LONG = 8;
/** Shorter texts appear in base64 and hex by chance. */
const ENCODED_MIN = 5;

/**
 * Finds the longest of many texts at a position. Texts with the same first characters are sorted, so that the time hardly depends on how many there are:
 * there may be thousands of companies, and one may have chosen its secrets to make this slow.
 */
export class TextIndex {
  readonly #texts = new Set<string>();
  /** By their heads. */
  readonly #sorted = new Map<number, string[]>();
  /** For a text, the lengths of all texts that it begins with, longest first. */
  #lengths = new Map<string, readonly number[]>();
  #longest = 0;
  /** The length of the shortest that is looked for in base64 and hex. */
  shortest = Infinity;

  /** Faster for many texts than one by one. */
  constructor(texts: Iterable<string> = []) {
    for (const text of texts) this.#note(text)?.push(text);
    for (const sorted of this.#sorted.values()) sorted.sort();
  }

  add(text: string): void {
    const sorted = this.#note(text);
    sorted?.splice(countUpTo(sorted, text), 0, text);
    this.#lengths = new Map();
  }

  /** Returns where to insert it; undefined when it is there already. */
  #note(text: string): string[] | undefined {
    if (this.#texts.has(text)) return undefined;
    this.#texts.add(text);
    this.#longest = Math.max(this.#longest, text.length);
    if (text.length >= ENCODED_MIN) this.shortest = Math.min(this.shortest, text.length);
    const head = headOf(text, 0);
    const sorted = this.#sorted.get(head) ?? [];
    this.#sorted.set(head, sorted);
    return sorted;
  }

  replaceIn(text: string, replacement: string): string {
    let shown = "";
    let shownTo = 0;
    for (let at = 0; at < text.length; at++) {
      const length = this.#lengthAt(text, at, false);
      if (length === 0) continue;
      shown += text.slice(shownTo, at) + replacement;
      shownTo = at + length;
      at = shownTo - 1;
    }
    return shown + text.slice(shownTo);
  }

  isIn(text: string, isDecoded: boolean): boolean {
    for (let at = 0; at < text.length; at++) if (this.#lengthAt(text, at, isDecoded) > 0) return true;
    return false;
  }

  /** 0 when none of them is there. */
  #lengthAt(text: string, at: number, isDecoded: boolean): number {
    const sorted = this.#sorted.get(headOf(text, at));
    if (sorted === undefined) return 0;
    const rest = text.slice(at, at + this.#longest);
    // In sorted texts, every prefix of `rest` is a prefix of the last one up to `rest`, too.
    const nearest = sorted[countUpTo(sorted, rest) - 1];
    if (nearest === undefined) return 0;
    let common = 0;
    while (common < nearest.length && nearest.charCodeAt(common) === rest.charCodeAt(common)) common++;
    const isHere = (length: number): boolean =>
      length <= common && (isDecoded ? length >= ENCODED_MIN : length >= LONG || standsAlone(text, at, at + length));
    return this.#lengthsOf(nearest).find(isHere) ?? 0;
  }

  #lengthsOf(text: string): readonly number[] {
    let lengths = this.#lengths.get(text);
    if (lengths === undefined) {
      const all = Array.from({ length: text.length }, (_, at) => text.length - at);
      lengths = all.filter((length) => this.#texts.has(text.slice(0, length)));
      this.#lengths.set(text, lengths);
    }
    return lengths;
  }
}

/** How many of the sorted texts are not after `text`. */
function countUpTo(sorted: readonly string[], text: string): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? "") <= text) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The first two characters, as a number that is fast in a map; others may have the same. */
function headOf(text: string, at: number): number {
  return (text.charCodeAt(at) << 14) ^ text.charCodeAt(at + 1);
}

/** Not as a part of a longer word: `at_1` is not in `flat_12`. */
export function standsAlone(text: string, from: number, to: number): boolean {
  return !/[\w-]/.test(text[from - 1] ?? "") && !/[\w-]/.test(text[to] ?? "");
}
