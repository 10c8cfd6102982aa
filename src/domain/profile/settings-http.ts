import * as z from "zod";
import { choice, setting } from "./setting.js";
import { duration, object, TEXT_MAX, wholeNumber } from "../../kernel/fields.js";
import { memberName } from "./setting-kinds.js";

/** How the API answers in general: statuses, error body, company header, paging and limits. */
export const httpSettings = {
  /** The status of a successful creation: a charge, a transaction, a batch, a subscription. Default 201. */
  createdStatus: choice({
    summary: "The status of a successful creation: a charge, a transaction, a batch or a webhook subscription.",
    default: 201,
    alternatives: [{ value: 200, effect: "Creations answer 200." }],
    question: "Which status do creations answer: 200 or 201?",
    contract: "Success status code: not shown",
  }),
  /** The status of a successful pay or refund. Default 200. */
  actionStatus: choice({
    summary: "The status of a successful pay or refund.",
    default: 200,
    alternatives: [{ value: 201, effect: "Pay and refund answer 201." }],
    question: "Which status do pay and refund answer: 200 or 201?",
    contract: "General HTTP status handling: not shown.",
  }),
};

export const authSettings = {
  /** Where `X-Company-Id` is required. Default `charges`: on charge creation, and checked wherever it is present. */
  companyHeader: choice({
    summary:
      "Where X-Company-Id is required: by default on charge creation, where a missing one is 400. On every call, " +
      "another company than the token's is 403.",
    default: "charges",
    alternatives: [
      { value: "everywhere", effect: "Every call of the API without it is 400." },
      { value: "ignored", effect: "The header is ignored." },
    ],
    question: "Which calls need `X-Company-Id`, and what is the answer to a missing or a wrong one?",
    contract: "Whether other endpoints need it: not shown.",
  }),
};

export const errorSettings = {
  /** The body of an error. Default `envelope`. With `envelope-text` its `message` is one text; `message` is `{"message": "…"}`. */
  shape: choice({
    summary:
      "The body of every error: by default an envelope with statusCode, message (a list that names every problem), " +
      "error, correlationId, path and timestamp.",
    default: "envelope",
    alternatives: [
      { value: "envelope-text", effect: "The envelope, but `message` is all problems in one text." },
      { value: "message", effect: 'Only `{"message": "…"}`, all problems in one text.' },
    ],
    question: "What does the body of an error look like?",
    contract: "Error body shape: not shown.",
  }),
};

export const pagingSettings = {
  /** The query parameter for the size of a page. Default `limit`. */
  limitParameter: parameterName("The query parameter that says how many items a page has.", "limit"),
  /** The query parameter for the position of a page. Default `cursor`. */
  cursorParameter: parameterName(
    "The query parameter that takes the `cursor.prev` or `cursor.next` of an earlier answer.",
    "cursor",
  ),
  /** How many items a page has when the query does not say, 1 to 100. Default 15. */
  limit: setting({
    summary: "How many items a page of a list has when the query does not ask for a number from 1 to 100.",
    default: 15,
    alternatives: [
      { value: "a whole number from 1 to 100", form: true, samples: [2, 50], effect: "Pages of that size." },
    ],
    question: "How many items does a page have, and how many may a caller ask for?",
    contract: "Page size (15 in the example).",
    schema: wholeNumber(1, 100),
  }),
};

const rateLimitForms = '"off" or {requests, per} such as {"requests": 10, "per": "1s"}';
const rateLimitError = `must be ${rateLimitForms}`;

/** A setting without a group. */
export const rateLimitSetting = setting({
  summary: "How many requests a company may make in a span of time: by default without limit.",
  default: "off",
  alternatives: [
    {
      value: "{requests, per} with a whole number and a duration up to 1d",
      samples: [{ requests: 2, per: "1s" }],
      form: true,
      effect:
        "One request more within that span is 429 with `Retry-After`. A span begins with the first request after the last one ended.",
    },
  ],
  question: "How many requests may we make in which span of time, and what is the answer to one too many?",
  contract: "Request rate limits: not shown.",
  schema: z.union(
    [
      // YAML 1.1 reads a bare `off` as false.
      z.literal(["off", false], { error: rateLimitError }).transform(() => null),
      object({ requests: wholeNumber(1, 1_000_000), per: duration(1, 86_400_000) }, rateLimitForms).transform(
        ({ requests, per }) => ({ requests, perMs: per }),
      ),
    ],
    { error: rateLimitError },
  ),
});

export const serverSettings = {
  /** The largest request body, bytes; a larger one is 413. Default 1 048 576. */
  bodyLimit: setting({
    summary: "The largest request body in bytes: a larger one is 413.",
    default: 1_048_576,
    alternatives: [
      { value: "a whole number of bytes from 1 to 8388608", form: true, samples: [1000], effect: "That limit." },
    ],
    question: "How large may a request body be?",
    contract: "Not in the contract: it names no limit for the size of a request.",
    schema: wholeNumber(1, TEXT_MAX, "bytes"),
  }),
};

function parameterName(summary: string, name: string) {
  return setting({
    summary,
    default: name,
    alternatives: [{ value: "a name", form: true, samples: ["otherName"], effect: "The parameter of that name." }],
    question: "Which query parameters choose the page of a list?",
    contract: "Query parameters for paging: not shown.",
    schema: memberName(),
  });
}
