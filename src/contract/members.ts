import * as z from "zod";
import { quote } from "../kernel/quote.js";
import { didYouMean } from "../kernel/suggest.js";

/** An object with these members and no others: unlike a client of the API, who drives the sandbox is told of a misspelt one, and the nearest right one. */
export function members<const Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  expected = "must be a JSON object",
): z.ZodObject<Shape, z.core.$strict> {
  const names = Object.keys(shape);
  const only = names.length === 0 ? "nothing is expected there" : `only ${names.join(", ")}`;
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? // One line for each: `messagesOf` makes one message of each.
          issue.keys.map((key) => `has no ${quote(key)}, ${only}.${didYouMean(key, names)}`).join("\n")
        : expected,
  });
}
