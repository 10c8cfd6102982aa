import type { Credentials } from "../../scenarios/run/world.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { SecretRedactor } from "../../sandbox/observation/redact.js";
import { parseBaseUrl, readToken } from "./values.js";

export interface RemoteFlags {
  readonly token?: string | undefined;
  readonly company?: string | undefined;
  readonly secret?: string | undefined;
}

/** The address of another deployment, and the credentials for it. Throws UsageError("command-line"). */
export function parseRemote(
  target: string,
  { token, company, secret }: RemoteFlags,
): Credentials & { readonly url: string } {
  const accessToken = readToken({ variable: "SANDBOX_ACCESS_TOKEN", flag: "--token", given: token });
  if (accessToken === undefined)
    throw new UsageError("command-line", "--target needs --token, or SANDBOX_ACCESS_TOKEN.");
  return {
    url: parseBaseUrl("--target", target),
    token: accessToken,
    companyId:
      company === "" ? "" : (readToken({ variable: "SANDBOX_COMPANY_ID", flag: "--company", given: company }) ?? ""),
    secretKey: secret ?? process.env["SANDBOX_SECRET_KEY"] ?? "",
  };
}

/** Redacts the credentials for the deployment, if there is one. */
export function redactorOf(remote: Credentials | undefined): SecretRedactor {
  return new SecretRedactor(remote === undefined ? [] : [remote.token, remote.secretKey]);
}
