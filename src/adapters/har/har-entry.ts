import * as z from "zod";
import { absoluteUrl, anyText, instant, listOf, openObject, word } from "../../kernel/fields.js";
import { signatureVerdicts } from "./http-exchange.js";

const pairs = listOf(openObject({ name: anyText(), value: anyText() })).default([]);

/** The text of a body. */
const content = openObject({ text: anyText().nullish(), encoding: anyText().nullish() });

/** What is read of an entry. Members that the comparison does not need may be missing or have any value. */
export const harEntry = openObject({
  startedDateTime: instant,
  time: z.number().nullish(),
  request: openObject({
    method: z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, "must be an HTTP method"),
    url: absoluteUrl,
    headers: pairs,
    queryString: pairs.catch([]),
    postData: content.extend({ mimeType: anyText().nullish(), params: pairs.nullish() }).nullish(),
  }),
  response: openObject({
    status: z.number({ error: "must be an HTTP status" }).int().min(0).max(999),
    headers: pairs,
    content: content.nullish(),
  }),
  _signature: word(signatureVerdicts).nullish(),
  comment: anyText().nullish(),
});

export type HarContent = z.output<typeof content>;
