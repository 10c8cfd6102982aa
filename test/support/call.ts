import { DEFAULT_COMPANY } from "../../src/sandbox/config/options.js";
import type { Answer, GivenHeaders } from "./world.js";

/** The headers of the default company. */
export const credentials = {
  authorization: `Bearer ${DEFAULT_COMPANY.token}`,
  "x-company-id": DEFAULT_COMPANY.id,
} as const;

/** What `fetch` takes: a string is sent unchanged, anything else as JSON, undefined not at all; a header that is null is left out. */
export function requestInit(method: string, body: unknown, given: GivenHeaders = {}) {
  const own: GivenHeaders = body === undefined ? given : { "content-type": "application/json", ...given };
  const headers = Object.entries(own).filter((entry): entry is [string, string] => entry[1] !== null);
  return {
    method,
    headers,
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  };
}

export async function readAnswer(
  response: Pick<Response, "status" | "text"> & { headers: Iterable<[string, string]> },
): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  return { status, headers: new Headers([...headers]), text, body: text === "" ? undefined : JSON.parse(text) };
}
