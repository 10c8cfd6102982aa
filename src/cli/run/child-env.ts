import { UsageError } from "../../kernel/messages/problem.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { parseChoice } from "../shared/values.js";

/** The name of a variable for the command, and the credential that it is set to. */
export type NamedCredential = ReturnType<typeof parseEnv>;

const CREDENTIALS = ["url", "token", "company", "secret"] as const;
type Credential = (typeof CREDENTIALS)[number];

/** `NAME=url|token|company|secret` */
export function parseEnv(text: string): { readonly name: string; readonly credential: Credential } {
  const [, name, what] = /^([A-Za-z_]\w*)=(.*)$/.exec(text) ?? [];
  if (name === undefined || what === undefined) {
    throw new UsageError(
      "command-line",
      `--env must be NAME=${CREDENTIALS.join("|")}, such as PAYMENTS_URL=url, got "${text}".`,
    );
  }
  return { name, credential: parseChoice(`--env ${name}=`, what, CREDENTIALS) };
}

/** What a command that runs beside a sandbox needs to call it. */
export function variablesOf(sandbox: Sandbox, url: string, names: readonly NamedCredential[]): Record<string, string> {
  const { id, tokens, secretKey } = sandbox.defaultCompany.record.identity;
  const values: Record<Credential, string> = { url, token: tokens[0]?.token ?? "", company: id, secret: secretKey };
  return {
    SANDBOX_URL: values.url,
    SANDBOX_ACCESS_TOKEN: values.token,
    SANDBOX_COMPANY_ID: values.company,
    SANDBOX_SECRET_KEY: values.secret,
    ...Object.fromEntries(names.map(({ name, credential }) => [name, values[credential]])),
  };
}
