import { mapTexts } from "../../kernel/messages/json.js";

/** An id, a token or a cursor within a text. The pattern takes linear time even for many dots. */
const WORD = /[\w~-]+(?:\.+[\w~-]+)*/g;
/** A text in quotes: messages quote what they are about. */
const QUOTED = /(?<=")[^"]+(?=")/g;
const ANYTHING = { $any: true };

/** Texts that differ between runs: identifiers, the company, receivers. Each is replaced by a template such as `${charge}`. */
export class KnownTexts {
  /** Undefined for a text for which the replay has no name. */
  readonly #templates = new Map<string, string | undefined>();
  readonly #counts = new Map<string, number>();

  add(text: string, template: string | undefined): void {
    if (!this.#templates.has(text)) this.#templates.set(text, template);
  }

  /** Names a text, and its other form, by a new variable. An earlier name is replaced: with a seed, ids repeat after a reset. */
  addVariable(text: string, other: string, base: string): string {
    const count = (this.#counts.get(base) ?? 0) + 1;
    this.#counts.set(base, count);
    const name = count === 1 ? base : `${base}${count}`;
    for (const each of [text, other]) this.#templates.set(each, `\${${name}}`);
    return name;
  }

  /** Replaces every known text in the value by its template, and escapes every `${` in the data. */
  fill(value: unknown): unknown {
    return mapTexts(value, (text) => this.fillText(text));
  }

  fillText(text: string): string {
    const whole = this.#templates.get(text);
    if (whole !== undefined) return whole;
    const known = (part: string): string => this.#templates.get(part) ?? part;
    return text
      .replaceAll("${", () => "$${")
      .replaceAll(QUOTED, known)
      .replaceAll(WORD, known);
  }

  /** Does the same for an expectation. A text with something that the replay cannot name may have any value there. */
  fillExpected(value: unknown): unknown {
    const isNameless = (word: string): boolean => this.#templates.has(word) && this.#templates.get(word) === undefined;
    return mapTexts(value, (text) => (text.match(WORD)?.some(isNameless) === true ? ANYTHING : this.fillText(text)));
  }
}
