import * as z from "zod";
import { AUDIT_HEADER } from "../../domain/model/rule.js";
import { parseJsonOrText } from "../../kernel/messages/json.js";
import { reasonOf, UsageError } from "../../kernel/messages/problem.js";
import { readText } from "../../kernel/messages/read-text.js";

/** Calls the sandbox that the application uses, as one company. `path` is of the API or of the control API. */
export type SandboxDoor = (
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: unknown,
) => Promise<{ readonly status: number; /** The parsed JSON; undefined when there is none. */ readonly body: unknown }>;

/** Where a sandbox is, and the credentials for it. */
export interface SandboxAddress {
  /** Without a slash at the end. */
  readonly url: string;
  readonly accessToken: string;
  /** Undefined means the company of the token. */
  readonly companyId: string | undefined;
  readonly adminToken: string | undefined;
}

/** The limit for one call, in real time. */
const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** Calls a sandbox over HTTP. Throws UsageError("cannot-run") when it does not answer; redirects are not followed. */
export function createSandboxDoor(address: SandboxAddress): SandboxDoor {
  const { accessToken, companyId } = address;
  const openDoor = createDoor(address);
  let found: Promise<SandboxDoor> | undefined;
  const find = async (): Promise<SandboxDoor> => {
    // A sandbox that opens companies for unseen tokens does so at the first call.
    await openDoor("GET", "/v1/balance");
    const { body } = await openDoor("GET", "/_sandbox/companies?limit=1000");
    const companies = listed.safeParse(body).data?.data ?? [];
    const own = companies.find(({ accessTokens }) => accessTokens.some((each) => each.accessToken === accessToken));
    return own === undefined ? openDoor : createDoor({ ...address, companyId: own.companyId });
  };
  return async (...call) => {
    if (companyId !== undefined) return openDoor(...call);
    found ??= find();
    return (await found)(...call);
  };
}

const listed = z.object({
  data: z.array(z.object({ companyId: z.string(), accessTokens: z.array(z.object({ accessToken: z.string() })) })),
});

function createDoor({ url, accessToken, companyId, adminToken }: SandboxAddress): SandboxDoor {
  return async (method, path, body) => {
    const isControl = path.startsWith("/_sandbox");
    const query = isControl && companyId !== undefined ? `?company=${encodeURIComponent(companyId)}` : "";
    const token = isControl ? adminToken : accessToken;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const answer = await fetch(url + path + query, {
        method,
        redirect: "manual",
        signal,
        headers: {
          [AUDIT_HEADER]: "1",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(isControl || companyId === undefined ? {} : { "x-company-id": companyId }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await readText(answer, ANSWER_BYTES_MAX);
      return { status: answer.status, body: text === "" ? undefined : parseJsonOrText(text) };
    } catch (error) {
      const why = signal.aborted ? `no answer within ${TIMEOUT_MS} ms` : reasonOf(error);
      throw new UsageError("cannot-run", `Failed to reach the sandbox at ${url}: ${why}.`);
    }
  };
}
