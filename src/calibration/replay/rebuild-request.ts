import { DEFAULT_COMPANY } from "../../sandbox/config/options.js";
import type { RecordedRequest } from "../recording/entry.js";
import type { Bindings } from "./bindings.js";

export const BASE = "http://sandbox.invalid";

export interface RebuildOptions {
  readonly bindings: Bindings;
  readonly cursorParameter: string;
  /** The id of the company in the sandbox, and in the recording where a request has shown it. */
  readonly companyId: string;
  readonly theirCompanyId: string | undefined;
  /** Whether all requests had the right access token. Otherwise one that was answered with 401 is taken to have had a wrong one. */
  readonly isTokenRight: boolean;
}

/** Turns a recorded request into one to the sandbox, with the sandbox's ids, cursors and token. */
export function rebuildRequest(recorded: RecordedRequest, options: RebuildOptions): Request {
  const { path, authorization, companyId, contentType, body, answer } = recorded;
  const { method } = recorded.exchange;
  const headers = new Headers();
  if (contentType !== undefined) headers.set("content-type", contentType);
  if (companyId !== undefined) {
    headers.set("x-company-id", companyId === options.theirCompanyId ? options.companyId : companyId);
  }
  const isRight = answer?.status !== 401 || options.isTokenRight;
  if (isRight) headers.set("authorization", `Bearer ${DEFAULT_COMPANY.token}`);
  else if (authorization !== undefined) headers.set("authorization", "Bearer unknown");
  const hasBody = body !== undefined && method !== "GET" && method !== "HEAD";
  return new Request(rebuildUrl(path, options), { method, headers, ...(hasBody ? { body } : {}) });
}

function rebuildUrl(path: string, { bindings, cursorParameter }: RebuildOptions): URL {
  const url = new URL(BASE + bindings.toOurs(path));
  const cursor = bindings.cursorToOurs(url.searchParams.get(cursorParameter) ?? "");
  if (cursor !== undefined) url.searchParams.set(cursorParameter, cursor);
  return url;
}
