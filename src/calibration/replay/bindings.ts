import { decodePart } from "../../kernel/messages/text.js";
import { plain } from "../recording/resources.js";

/** Which ids and cursors of the sandbox stand for which of the service. Ids are kept without prefixes such as `txn_`. */
export class Bindings {
  readonly #ours = new Map<string, string>();
  readonly #theirs = new Map<string, string>();
  readonly #cursors = new Map<string, string>();

  /** Binds two ids that were seen at the same place; false when one of them is bound to another. */
  bind(theirs: string, ours: string): boolean {
    const [real, mock] = [plain(theirs), plain(ours)];
    if (!this.#ours.has(real) && !this.#theirs.has(mock)) {
      this.#ours.set(real, mock);
      this.#theirs.set(mock, real);
    }
    return this.#ours.get(real) === mock;
  }

  /** A service may give another cursor for the same place in each answer. */
  bindCursor(theirs: string, ours: string): void {
    this.#cursors.set(theirs, ours);
  }

  cursorToOurs(theirs: string): string | undefined {
    return this.#cursors.get(theirs);
  }

  isBound(theirs: string): boolean {
    return this.#ours.has(plain(theirs));
  }

  /** The service's id for one of the sandbox's. */
  toTheirs(ours: string): string {
    return this.#theirs.get(plain(ours)) ?? plain(ours);
  }

  /** Replaces the service's ids by the sandbox's, in a path or in a text that is an id. Of prefixes only those that the sandbox has itself stay. */
  toOurs(text: string): string {
    return text.replaceAll(/[^/?&=#]+/g, (part) => {
      const found = this.#ours.get(plain(decodePart(part)));
      return found === undefined ? part : (/^(?:txn|bat)_/.exec(part)?.[0] ?? "") + found;
    });
  }
}
