import { UsageError } from "../../../kernel/problem.js";
import type { HttpContext } from "../../shared/env.js";
import { readBytes } from "../../shared/read-body.js";
import type { Fields } from "./view/actions.js";

/** As much as the control API takes. */
const FORM_BYTES_MAX = 1024 * 1024;

/** What a form sent, without the fields that were left empty; of two of one name the first. */
export async function readForm(c: HttpContext): Promise<Fields> {
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type))
    throw new UsageError("input", "The dashboard takes its own forms, and programs have the control API.");
  const sent = new URLSearchParams((await readBytes(c, FORM_BYTES_MAX)).toString("utf8"));
  const fields = new Map<string, string>();
  // A text field's lines end in CR LF, whatever was typed.
  for (const [name, value] of sent)
    if (value !== "" && !fields.has(name)) fields.set(name, value.replaceAll("\r\n", "\n"));
  return Object.fromEntries(fields);
}
