import type { Failure, Verdict } from "./check.js";

/** Those that speak of options; whoever audits without a command line says it otherwise. */
export const SECRET =
  "the secret: the audit signs with --secret, or SANDBOX_SECRET_KEY, or secret_sandbox. The receiver must have the same one";
export const HEADER = "the header: the signature is in x-service-hmac-sha256, unless --header names another";
const PATH = "the URL: it must be the address to which the service posts, with its path";
export const CONTENT =
  "the content: a receiver that refuses what it does not know needs an event of its own orders (--event), or another --topic";
const LOG = "the receiver's log: it tells why";

/** What to look at when a receiver does not accept an ordinary event, what is most likely first. */
export function adviseOn(ordinary: Failure, forged: Verdict | undefined): readonly string[] {
  const status = ordinary.exchange?.answer?.status;
  if (status === undefined) return [PATH, LOG];
  if (status === 404 || status === 405) return [PATH, CONTENT];
  if (status >= 500) return [LOG, CONTENT];
  if (status >= 300 && status < 400) return [PATH];
  // What is refused in another way than a forged event has been verified.
  const forgedStatus = forged?.outcome === "passed" ? forged.exchange?.answer?.status : undefined;
  const isVerified = status === 400 || status === 422 || (forgedStatus !== undefined && forgedStatus !== status);
  return isVerified ? [CONTENT, SECRET, LOG] : [SECRET, HEADER, PATH, CONTENT];
}
