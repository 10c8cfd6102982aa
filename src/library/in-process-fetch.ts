import { UsageError } from "../kernel/messages/problem.js";

export interface FetchInit extends RequestInit {
  /** Sent as the body, with `content-type: application/json`. */
  readonly json?: unknown;
}

/** A response whose JSON has the type that the caller chooses. */
export interface JsonResponse<Body> extends Response {
  json(): Promise<Body>;
}

export type CompanyFetch = <Body = unknown>(
  input: string | URL | Request,
  init?: FetchInit,
) => Promise<JsonResponse<Body>>;

export interface Endpoint {
  /** Answers a request as the sandbox's app does. */
  readonly answer: (request: Request) => Response | Promise<Response>;
  /** The address on which the sandbox listens. Addresses that begin with `publicUrl` are accepted too. */
  readonly url: string;
  readonly publicUrl: string;
  readonly adminToken: string | undefined;
}

/** `fetch` to the sandbox with the credentials of one company. */
export function createFetch(
  endpoint: Endpoint,
  company: () => { readonly companyId: string; readonly accessToken: string },
): CompanyFetch {
  return async <Body>(input: string | URL | Request, init: FetchInit = {}) => {
    const { companyId, accessToken } = company();
    const url = addressOf(endpoint, input);
    const isControl = url.pathname === "/_sandbox" || url.pathname.startsWith("/_sandbox/");
    if (isControl && !url.searchParams.has("company")) url.searchParams.set("company", companyId);
    const copied = new Request(url, input instanceof Request ? new Request(input, bodyOf(init)) : bodyOf(init));
    // A copy of a request follows its signal only until the garbage collector takes the request, so this one gets the signal itself.
    const { signal = input instanceof Request ? input.signal : null } = init;
    const request = new Request(copied, { signal });
    const token = isControl ? endpoint.adminToken : accessToken;
    if (token !== undefined) setUnlessGiven(request.headers, "authorization", `Bearer ${token}`);
    if (!isControl) setUnlessGiven(request.headers, "x-company-id", companyId);
    return (await endpoint.answer(request)) as JsonResponse<Body>;
  };
}

/** The URL of a path, or of an address of this sandbox. */
function addressOf({ url, publicUrl }: Endpoint, input: string | URL | Request): URL {
  const given = new URL(input instanceof Request ? input.url : input, url);
  if (given.origin === new URL(url).origin) return given;
  if (given.origin === new URL(publicUrl).origin) return new URL(given.pathname + given.search, url);
  throw new UsageError(
    "input",
    `Failed to fetch ${given.href}: it is not at this sandbox, which is ${url}. Give a path, or use the global fetch.`,
  );
}

function bodyOf({ json, ...init }: FetchInit): RequestInit {
  const method = init.method === undefined && (json !== undefined || init.body != null) ? { method: "POST" } : {};
  if (json === undefined) return { ...method, ...init };
  const headers = new Headers(init.headers);
  setUnlessGiven(headers, "content-type", "application/json");
  return { ...method, ...init, headers, body: JSON.stringify(json) };
}

function setUnlessGiven(headers: Headers, name: string, value: string): void {
  if (!headers.has(name)) headers.set(name, value);
}
