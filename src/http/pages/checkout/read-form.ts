import { refuse } from "../../../domain/problem-codes.js";
import type { HttpContext } from "../../shared/env.js";
import { readBytes } from "../../shared/read-body.js";

/** A form has a phone number and a few words. */
const FORM_LIMIT = 16 * 1024;

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/** The fields of a form as a browser sends it. 413 beyond the limit, 415 for another content type. */
export async function readForm(c: HttpContext): Promise<URLSearchParams> {
  const bytes = await readBytes(c, FORM_LIMIT);
  if (bytes.length > 0 && !FORM_TYPE.test(c.req.header("content-type") ?? ""))
    refuse("media_type_unsupported", "content-type must be application/x-www-form-urlencoded");
  return new URLSearchParams(bytes.toString("utf8"));
}
