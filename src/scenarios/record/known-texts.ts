import { mapTexts } from "../../kernel/messages/json.js";

/** An id, a token or a cursor within a text. Takes linear time for dots, too. */
const WORD = /[\w~-]+(?:\.+[\w~-]+)*/g;
/** Messages quote what they are about. */
const QUOTED = /(?<=")[^"]+(?=")/g;
const ANYTHING = { $any: true };

/** What differs from run to run: identifiers, the company, receivers. Each stands for a template such as `${charge}`. */
export class KnownTexts {
  /** Undefined: the replay has no name for it. */
  readonly #templates = new Map<string, string | undefined>();
  readonly #counts = new Map<string, number>();

  add(text: string, template: string | undefined): void {
    if (!this.#templates.has(text)) this.#templates.set(text, template);
  }

  /** Names a text by a new variable. Undefined when it is known already. */
  addVariable(text: string, base: string): string | undefined {
    if (this.#templates.has(text)) return undefined;
    const count = (this.#counts.get(base) ?? 0) + 1;
    this.#counts.set(base, count);
    const name = count === 1 ? base : `${base}${count}`;
    this.#templates.set(text, `\${${name}}`);
    return name;
  }

  /** Every known text in the value becomes its template. A `${` in the data is escaped. */
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

  /** The same for an expectation: a text with something that the replay cannot name may be any. */
  fillExpected(value: unknown): unknown {
    const isNameless = (word: string): boolean => this.#templates.has(word) && this.#templates.get(word) === undefined;
    return mapTexts(value, (text) => (text.match(WORD)?.some(isNameless) === true ? ANYTHING : this.fillText(text)));
  }
}
