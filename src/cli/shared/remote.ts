import type { Credentials } from "../../scenarios/run/world.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { parseBaseUrl } from "./values.js";

export interface RemoteFlags {
  readonly token?: string | undefined;
  readonly company?: string | undefined;
  readonly secret?: string | undefined;
}

/** Another deployment, and who calls it. Throws UsageError("command-line"). */
export function parseRemote(
  target: string,
  { token, company, secret }: RemoteFlags,
  env: NodeJS.ProcessEnv,
): Credentials & { readonly url: string } {
  const accessToken = token ?? env["SANDBOX_ACCESS_TOKEN"];
  if (accessToken === undefined)
    throw new UsageError("command-line", "--target needs --token, or SANDBOX_ACCESS_TOKEN.");
  return {
    url: parseBaseUrl("--target", target),
    token: accessToken,
    companyId: company ?? env["SANDBOX_COMPANY_ID"] ?? "",
    secretKey: secret ?? env["SANDBOX_SECRET_KEY"] ?? "",
  };
}
