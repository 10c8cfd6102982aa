import { printPhp, printPython, printSorted, printSpaced } from "../body-forms.js";
import type { EventValue } from "../stage.js";

/** A body with unusual white space, and what receivers make of it before they hash it. */
export function signedFormsOf(value: EventValue): {
  readonly body: string;
  readonly forms: readonly (readonly [form: string, text: string])[];
} {
  const body = printSpaced(value);
  const forms: readonly (readonly [form: string, text: string])[] = [
    ["parsed and printed again (JSON.stringify)", JSON.stringify(value)],
    ["parsed and printed again (json.dumps)", printPython(value)],
    ["parsed and printed again (json_encode)", printPhp(value)],
    ["parsed and printed again with two spaces", JSON.stringify(value, undefined, 2)],
    ["parsed and printed again with its members sorted", printSorted(value)],
    ["without what stands around its data", JSON.stringify(value.data ?? null)],
    ["in lower case", body.toLowerCase()],
    ["without the white space around it", body.trim()],
    ["as base64", Buffer.from(body).toString("base64")],
  ];
  // An event of the user's may be without capitals, say.
  return { body, forms: forms.filter(([, text]) => text !== body) };
}

/** The text of an event with another amount than the one that was signed. */
export function tamper(value: EventValue): string {
  const { data } = value;
  if (typeof data !== "object" || data === null || Array.isArray(data)) return JSON.stringify({ ...value, data: 1 });
  const amount: unknown = "amount" in data ? data.amount : undefined;
  return JSON.stringify({ ...value, data: { ...data, amount: typeof amount === "number" ? amount * 10 + 1 : 1 } });
}
