/** A text of this length or more is found inside words too. */
const LONG = 8;
/** Shorter texts are not searched for in decoded base64 and hex, where they appear by chance. */
const ENCODED_MIN = 5;

/** What is left of a character before the mark of a cut: bytes of it, or the beginning of an escape. */
const CUT = /^[\u0080-\u00FF]{0,3}(?:%(?:[\dA-F]|U[\dA-F]{0,3})?|\\(?:U[\dA-F]{0,3}|X[\dA-F]?)?|&#?\w{0,7})?(?=…)/i;
const LEFT_MAX = 16;
/** How many characters are compared at once. */
const PIECE = 128;

/**
 * Finds the longest of many texts at a position. Texts with the same first characters are kept sorted, so that the time hardly depends on their number:
 * there may be thousands of companies, and one may have chosen its secrets to make this slow.
 */
export class TextIndex {
  readonly #texts = new Set<string>();
  /** The lengths that texts have. */
  readonly #sizes = new Set<number>();
  /** The texts by their heads. */
  readonly #sorted = new Map<number, string[]>();
  /** For a text, the lengths of all texts that it begins with, longest first. */
  #lengths = new Map<string, readonly number[]>();
  #longest = 0;
  /** The length of the shortest text that is searched for in decoded base64 and hex. */
  shortest = Infinity;

  /** For many texts this is faster than `add`. */
  constructor(texts: Iterable<string> = []) {
    for (const text of texts) this.#note(text)?.push(text);
    for (const sorted of this.#sorted.values()) sorted.sort();
  }

  add(text: string): void {
    const sorted = this.#note(text);
    sorted?.splice(countUpTo(sorted, text), 0, text);
    this.#lengths = new Map();
  }

  /** Returns the sorted texts with the same head, for the caller to insert it; undefined when it is there already. */
  #note(text: string): string[] | undefined {
    if (this.#texts.has(text)) return undefined;
    this.#texts.add(text);
    this.#sizes.add(text.length);
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

  /** The length of the longest text at this place; 0 when none is there. */
  #lengthAt(text: string, at: number, isDecoded: boolean): number {
    const sorted = this.#sorted.get(headOf(text, at));
    if (sorted === undefined) return 0;
    const rest = text.slice(at, at + this.#longest);
    // Of the sorted texts, each that `rest` begins with is also a prefix of the last one that is not after `rest`.
    const after = countUpTo(sorted, rest);
    const nearest = sorted[after - 1] ?? "";
    const common = commonLength(nearest, rest);
    const isHere = (length: number): boolean =>
      length <= common && (isDecoded ? length >= ENCODED_MIN : length >= LONG || standsAlone(text, at, at + length));
    const whole = this.#lengthsOf(nearest).find(isHere);
    if (whole !== undefined) return whole;
    // A message may have cut the text off.
    const cut = Math.max(common, commonLength(sorted[after] ?? "", rest));
    if (cut < LONG) return 0;
    // A form of a secret may have another escape there.
    const end = /[%\\]/.test(rest.charAt(cut - 1)) ? cut - 1 : cut;
    const left = CUT.exec(text.slice(at + end, at + end + LEFT_MAX));
    return left === null ? 0 : end + left[0].length;
  }

  #lengthsOf(text: string): readonly number[] {
    let lengths = this.#lengths.get(text);
    if (lengths === undefined) {
      // Only these: looking up each beginning of a text would take the square of its length.
      const sizes = [...this.#sizes].filter((size) => size <= text.length).sort((a, b) => b - a);
      lengths = sizes.filter((size) => this.#texts.has(text.slice(0, size)));
      this.#lengths.set(text, lengths);
    }
    return lengths;
  }
}

/** How many characters both texts begin with. */
function commonLength(one: string, other: string): number {
  let common = 0;
  // Pieces are compared much faster than characters, of which a text that repeats one has thousands in common with each place.
  const isCommon = (to: number): boolean => to <= one.length && one.slice(common, to) === other.slice(common, to);
  while (isCommon(common + PIECE)) common += PIECE;
  while (common < one.length && one.charCodeAt(common) === other.charCodeAt(common)) common++;
  return common;
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

/** The first two characters as a number, which is a fast key of a map. Other pairs may have the same number. */
function headOf(text: string, at: number): number {
  return (text.charCodeAt(at) << 14) ^ text.charCodeAt(at + 1);
}

/** Whether the place is not a part of a longer word: `at_1` does not stand alone in `flat_12`. */
export function standsAlone(text: string, from: number, to: number): boolean {
  return !/[\w-]/.test(text[from - 1] ?? "") && !/[\w-]/.test(text[to] ?? "");
}
