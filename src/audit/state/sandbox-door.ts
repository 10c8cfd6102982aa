import { UsageError } from "../../kernel/messages/problem.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import type { SandboxDoor } from "./sandbox-orders.js";

/** Where a sandbox is, and the credentials for it. */
export interface SandboxAddress {
  readonly url: string;
  readonly accessToken: string;
  /** Undefined: the company of the token, and for the control API the first one. */
  readonly companyId: string | undefined;
  readonly adminToken: string | undefined;
  /** Real time for one call. */
  readonly timeoutMs: number;
  readonly system: SystemClock;
}

/** Calls a sandbox over HTTP. Throws UsageError("cannot-run") when it does not answer; redirects are not followed. */
export function createSandboxDoor(address: SandboxAddress): SandboxDoor {
  const { accessToken, companyId, adminToken, timeoutMs, system } = address;
  return async (method, path, body) => {
    const isControl = path.startsWith("/_sandbox");
    const url = new URL(address.url.replace(/\/+$/, "") + path);
    if (isControl && companyId !== undefined) url.searchParams.set("company", companyId);
    const token = isControl ? adminToken : accessToken;
    const abort = new AbortController();
    const cancel = system.after(timeoutMs, () => abort.abort());
    try {
      const answer = await fetch(url, {
        method,
        redirect: "manual",
        signal: abort.signal,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(isControl || companyId === undefined ? {} : { "x-company-id": companyId }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: parseJson(await answer.text()) };
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      const why = abort.signal.aborted ? `no answer within ${timeoutMs} ms` : cause;
      throw new UsageError("cannot-run", `Failed to reach the sandbox at ${address.url}: ${why}.`);
    } finally {
      cancel();
    }
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
