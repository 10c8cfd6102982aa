import { REDACTED } from "../../sandbox/observation/redact.js";

/** Shorter numbers may occur in a text by chance. */
const SOUGHT_MIN = 8;
/** No phone number is longer. A text is searched for numbers of each length that has occurred. */
const SOUGHT_MAX = 20;

/**
 * Stand-ins for phone numbers: each number has one for the whole recording, which is a valid number too, whether or not it is written with `225`, `+225` or
 * `00225`. The service's test numbers stay, since what happens depends on them.
 */
export class Pseudonyms {
  /** Pseudonyms by the digits of the number without the country prefix. */
  readonly #known = new Map<string, string>();
  readonly #lengths = new Set<number>();

  /** Other digits in the same form, so that a replay accepts and refuses the same numbers as the service. What is not a phone number is redacted. */
  of(number: string): string {
    if (!/^\s*\+?\d[\d\s().-]*$/.test(number)) return REDACTED;
    const [, prefix = "", national = ""] =
      /^((?:00)?225(?=\d{10}$)|00|)(\d*)$/.exec(number.replaceAll(/\D/g, "")) ?? [];
    if (national.startsWith("070000000")) return number;
    const count = String(this.#known.size + 1);
    const known = this.#known.get(national) ?? `99${count.padStart(national.length - 2, "0")}`.slice(-national.length);
    this.#known.set(national, known);
    if (national.length >= SOUGHT_MIN && national.length <= SOUGHT_MAX) this.#lengths.add(national.length);
    return writeDigits(number, `${prefix}${known}`);
  }

  /** Replaces the numbers of the recording so far wherever their digits occur, also in groups (`07 01 02 03 04`). */
  replaceIn(text: string): string {
    return text.replaceAll(/\d(?:[\s./()+-]{0,2}\d){7,}/g, (run) =>
      writeDigits(run, this.#replaceDigits(run.replaceAll(/\D/g, ""))),
    );
  }

  #replaceDigits(run: string): string {
    let shown = "";
    for (let at = 0; at < run.length;) {
      const length = [...this.#lengths].find(
        (each) => at + each <= run.length && this.#known.has(run.slice(at, at + each)),
      );
      shown += length === undefined ? run.charAt(at) : this.#known.get(run.slice(at, at + length));
      at += length ?? 1;
    }
    return shown;
  }
}

/** Replaces the digits of a text by others, one by one. */
function writeDigits(text: string, digits: string): string {
  let at = 0;
  return text.replaceAll(/\d/g, () => digits.charAt(at++));
}
