import type { IncomingMessage } from "node:http";

type Each = (value: string, name: string, headers: Headers) => void;

/**
 * The headers of a request as `Headers` has them: "A recipient MAY combine multiple field lines within a field section that have the same field name into one
 * field line […] by appending each subsequent field line value to the initial field line value in order, separated by a comma" (RFC 9110, 5.3), where Node
 * would pass on the first of them alone. A real `Headers` is made only for who asks for more than one of them.
 */
export class RequestHeaders implements Headers {
  readonly #raw: readonly string[];
  #whole: Headers | undefined;

  constructor({ rawHeaders }: IncomingMessage) {
    this.#raw = rawHeaders;
  }

  get(name: string): string | null {
    if (this.#whole !== undefined) return this.#whole.get(name);
    const wanted = name.toLowerCase();
    const separator = wanted === "cookie" ? "; " : ", ";
    let found: string | null = null;
    for (let at = 0; at + 1 < this.#raw.length; at += 2) {
      const given = this.#raw[at]!;
      if (given.length !== wanted.length || given.toLowerCase() !== wanted) continue;
      const value = this.#raw[at + 1]!;
      found = found === null ? value : found + separator + value;
    }
    return found;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  append(name: string, value: string): void {
    this.#all.append(name, value);
  }

  delete(name: string): void {
    this.#all.delete(name);
  }

  set(name: string, value: string): void {
    this.#all.set(name, value);
  }

  getSetCookie(): string[] {
    return this.#all.getSetCookie();
  }

  forEach(each: Each, self?: unknown): void {
    this.#all.forEach((value, name) => each.call(self, value, name, this));
  }

  keys(): ReturnType<Headers["keys"]> {
    return this.#all.keys();
  }

  values(): ReturnType<Headers["values"]> {
    return this.#all.values();
  }

  entries(): ReturnType<Headers["entries"]> {
    return this.#all.entries();
  }

  [Symbol.iterator](): ReturnType<Headers["entries"]> {
    return this.#all.entries();
  }

  get #all(): Headers {
    if (this.#whole === undefined) {
      this.#whole = new Headers();
      for (let at = 0; at + 1 < this.#raw.length; at += 2) this.#whole.append(this.#raw[at]!, this.#raw[at + 1]!);
    }
    return this.#whole;
  }
}
