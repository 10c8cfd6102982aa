import type { IncomingHttpHeaders } from "node:http";
import type { Headers } from "../../domain/model/delivery.js";
import { LastMade } from "../../kernel/last-made.js";

/**
 * The headers of a receiver's answers. Every attempt keeps its own, and most receivers answer all of a second alike: what is the same as before is
 * kept once. "The order in which field lines with differing field names are received is not significant" (RFC 9110, section 5.3).
 */
export type ReceiverHeaders = LastMade<IncomingHttpHeaders[string], Headers>;

export function createReceiverHeaders(): ReceiverHeaders {
  return new LastMade(flatten);
}

function flatten(headers: IncomingHttpHeaders): Headers {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}
