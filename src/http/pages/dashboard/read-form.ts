import { valueBytes } from "../../../kernel/messages/json.js";
import { UsageError } from "../../../kernel/messages/problem.js";
import { STATE_BYTES_MAX, STATE_VALUE_BYTES_MAX } from "../../../sandbox/state/state.js";
import type { ReserveBody } from "../../control/guards.js";
import type { HttpContext } from "../../shared/env.js";
import { readBytes } from "../../shared/read-body.js";
import type { Fields } from "./view/actions.js";

const FORM_BYTES_MAX = 1024 * 1024;
/** The dashboard's own forms have ten fields at most, and thousands would take seconds to read. */
const FIELDS_MAX = 100;
/** The most bytes before the content of a part of a form. */
const PART_HEAD_MAX = 1_000;

/** The fields of a form without the empty ones. The value of a file is its text. */
export async function readForm(c: HttpContext, reserveBody: ReserveBody, bytesMax = FORM_BYTES_MAX): Promise<Fields> {
  const type = c.req.header("content-type") ?? "";
  // Reading a large form blocks the process, so only the upload of a state may be large.
  const hasFile = type.startsWith("multipart/form-data") && c.req.param("name") === "putState";
  // In a list of types the last one counts for Node, and the limits would be those of the first.
  if (type.includes(",") || (!hasFile && !type.startsWith("application/x-www-form-urlencoded")))
    throw new UsageError("input", "The dashboard accepts its own forms only. Programs use the control API.");
  const limit = hasFile ? STATE_BYTES_MAX : bytesMax;
  const release = reserveBody(c, limit);
  const bytes = await readBytes(c, limit).finally(release);
  if (!hasFewFields(bytes, hasFile))
    throw new UsageError("input", "The form has too many fields: the dashboard accepts its own forms only.");
  if (hasFile && valueBytes(bytes) > STATE_VALUE_BYTES_MAX)
    throw new UsageError("input", "The file has too many values for its size: it would take too much memory.");
  try {
    const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
    const fields = await Promise.all(
      // Browsers send the line ends of a text field as CR LF.
      [...form].map(
        async ([name, value]) =>
          [name, (typeof value === "string" ? value : await value.text()).replaceAll("\r\n", "\n")] as const,
      ),
    );
    return Object.fromEntries(fields.filter(([, value]) => value !== ""));
  } catch (error) {
    throw new UsageError("input", "The form cannot be read: its parts are damaged.", { cause: error });
  }
}

/** Each part of a form with a file begins with a line that starts with `--`; no line of JSON does. */
function hasFewFields(bytes: Buffer, hasFile: boolean): boolean {
  let fields = 0;
  for (let at = 0; at !== -1; at = bytes.indexOf(hasFile ? "\r\n--" : "&", at + 1)) {
    const head = bytes.subarray(at, at + PART_HEAD_MAX);
    const isEndless = hasFile && head.length === PART_HEAD_MAX && !head.includes("\r\n\r\n");
    if (++fields > FIELDS_MAX || isEndless) return false;
  }
  return true;
}
