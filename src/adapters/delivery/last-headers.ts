import type { IncomingHttpHeaders } from "node:http";
import type { Headers } from "../../domain/deliveries/delivery.js";

/**
 * The headers of a receiver's answers. Every attempt keeps its own, and most receivers answer all of a second alike: what is the same as before is
 * kept once. "The order in which field lines with differing field names are received is not significant" (RFC 9110, section 5.3).
 */
export class LastHeaders {
  #last: Headers = {};
  #count = 0;

  keep(headers: IncomingHttpHeaders): Headers {
    if (!this.#isLast(headers)) {
      this.#last = flatten(headers);
      this.#count = Object.keys(this.#last).length;
    }
    return this.#last;
  }

  #isLast(headers: IncomingHttpHeaders): boolean {
    let count = 0;
    for (const name in headers) {
      if (headers[name] !== this.#last[name]) return false;
      count++;
    }
    return count === this.#count;
  }
}

function flatten(headers: IncomingHttpHeaders): Headers {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}
