import type { SettingPath } from "../fields.js";
import { refuse } from "../../domain/model/problem-codes.js";
import { errorNames, type ErrorStatus } from "../problems.js";
import type { Content, ResponseObject } from "./document.js";
import { resting } from "./explain-settings.js";
import { renderRefusal, renderSampleError } from "./sample-errors.js";
import type { SampleWorld } from "./sample-world.js";

/** `BadRequest`, `NotFound` …: the name of a status among the shared answers. */
export function sharedErrorName(status: ErrorStatus): string {
  return errorNames[status].replace(/ Exception$/, "").replaceAll(" ", "");
}

/** The answer of each status, whichever operation gives it. */
export function describeSharedErrors(sample: SampleWorld): Record<string, ResponseObject> {
  const statuses = Object.keys(sharedErrors).map(Number) as ErrorStatus[];
  return Object.fromEntries(statuses.map((status) => [sharedErrorName(status), describeSharedError(sample, status)]));
}

export function errorContent(example: unknown): Content {
  return {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error" },
      examples: { refused: { value: example } },
    },
  };
}

interface SharedError {
  readonly description: string;
  readonly settings?: readonly SettingPath[];
  readonly headers?: NonNullable<ResponseObject["headers"]>;
  readonly example: (sample: SampleWorld) => unknown;
}

function describeSharedError(sample: SampleWorld, status: ErrorStatus): ResponseObject {
  const { description, settings = [], headers, example } = sharedErrors[status];
  return {
    ...resting(description, settings),
    ...(headers && { headers }),
    content: errorContent(example(sample)),
  };
}

/** The words of the HTTP edge are repeated here; a test compares them with what it answers. */
const sharedErrors: Readonly<Record<ErrorStatus, SharedError>> = {
  400: {
    description: "The request is not what it must be; every problem of it is named.",
    example: refusal(() => refuse("malformed_json", "The body is not JSON: it ends too early")),
  },
  401: {
    description: "Access token missing or invalid.",
    example: refusal(() => refuse("token_invalid", "Authorization is missing; it must be: Bearer <access token>")),
  },
  403: {
    description: "X-Company-Id names another company than the token's.",
    settings: ["auth.companyHeader"],
    example: refusal(() =>
      refuse(
        "company_mismatch",
        `X-Company-Id must be company_sandbox, the access token's company, got "company_other"`,
      ),
    ),
  },
  404: {
    description: "There is no such path, or nothing with this identifier.",
    example: refusal(() => refuse("route_not_found", "There is no GET /v1/nothing here"), "/v1/nothing"),
  },
  405: {
    description: "The path does not have this method.",
    headers: { Allow: { description: "The methods that it has.", schema: { type: "string" } } },
    example: refusal(() => refuse("method_not_allowed", "PUT is not a method of this path; it has POST")),
  },
  409: {
    description: "It conflicts with what is there already.",
    example: (sample) => renderSampleError(sample, "createCharge", 409),
  },
  413: {
    description: "The body is too large.",
    settings: ["server.bodyLimit"],
    example: (sample) =>
      renderRefusal(sample, "/v1/charges", () =>
        refuse("body_too_large", `The body must be at most ${sample.stage.profile.server.bodyLimit} bytes`),
      ),
  },
  415: {
    description: "The body is not JSON by its content type.",
    example: refusal(() => refuse("media_type_unsupported", 'content-type must be application/json, got "text/plain"')),
  },
  422: {
    description: "What it is about is not in a state for it.",
    example: (sample) => renderSampleError(sample, "refundCharge", 422),
  },
  429: {
    description: "Too many requests in this span of time.",
    settings: ["rateLimit"],
    headers: { "Retry-After": { description: "Seconds until the next is admitted.", schema: { type: "integer" } } },
    example: refusal(() => refuse("rate_limited", "Too many requests; the next is admitted in 1 s")),
  },
  500: {
    description: "An error inside the sandbox.",
    example: refusal(() =>
      refuse("internal", "An error inside the sandbox; its log says more under this correlationId"),
    ),
  },
};

function refusal(refused: () => never, path = "/v1/charges"): SharedError["example"] {
  return (sample) => renderRefusal(sample, path, refused);
}
