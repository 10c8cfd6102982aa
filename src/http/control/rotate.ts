import * as z from "zod";
import { object } from "../../kernel/fields.js";
import { UsageError } from "../../kernel/problem.js";
import type { Work } from "../../domain/model/work.js";
import { credential, duration, optionalBody, text } from "./control-fields.js";
import type { CompanyCall } from "./control-route.js";
import type { AccessToken, Identity } from "../../sandbox/state/company-record.js";

const madeUp = z.literal(true, { error: "must be true" });

/**
 * What is to be replaced: the secret key unless the body says otherwise, by `true` for a new one made up, or by the new one itself. An access token
 * may be given a time to live (`expiresIn`), and the old ones a time in which they still work (`overlap`).
 */
export const rotation = optionalBody(
  object({
    secretKey: z.union([madeUp, text("a secret key")], { error: "must be true or the new secret key" }).optional(),
    accessToken: z
      .union([madeUp, credential("an access token")], { error: "must be true or the new access token" })
      .optional(),
    expiresIn: duration().optional(),
    overlap: duration().optional(),
  }).superRefine((given, context) => {
    const withToken = given.accessToken !== undefined;
    const complain = (message: string, path: string): void =>
      context.addIssue({ code: "custom", message, path: [path] });
    if (withToken && given.secretKey !== undefined)
      complain("must be absent when the secret key is rotated", "accessToken");
    for (const name of ["expiresIn", "overlap"] as const) {
      if (!withToken && given[name] !== undefined) complain("goes with accessToken only", name);
    }
  }),
);

type Rotation = z.infer<typeof rotation>;

/** "→ {secretKey} or {accessToken}". Deliveries from now on, retries included, are signed with the new key; the old token stops working at once. */
export function rotate(call: CompanyCall, request: Rotation): { secretKey: string } | { accessToken: string } {
  const { sandbox, company, run } = call;
  const { identity } = company.record;
  const make = (prefix: string): string => run((work: Work) => work.ids.short(prefix), undefined);
  if (request.accessToken === undefined) {
    const secretKey = typeof request.secretKey === "string" ? request.secretKey : make("secret");
    sandbox.identify(company, { ...identity, secretKey });
    return { secretKey };
  }
  const token = request.accessToken === true ? make("at") : request.accessToken;
  if (sandbox.isTokenTaken(token)) {
    throw new UsageError(
      "state",
      "Failed to rotate the access token: a company has that one already. Give another, or true for a new one.",
    );
  }
  const now = company.now();
  const added: AccessToken = { token, expiresAt: request.expiresIn === undefined ? null : now + request.expiresIn };
  const before = shorten(identity, now, request.overlap ?? 0).slice(0, TOKENS_MAX - 1);
  sandbox.identify(company, { ...identity, tokens: [added, ...before] });
  return { accessToken: token };
}

/** Access tokens of one company, the newest. */
export const TOKENS_MAX = 100;

/** The tokens that go on for a while, none longer than it would have. */
function shorten({ tokens }: Identity, now: number, overlapMs: number): AccessToken[] {
  const end = now + overlapMs;
  return tokens
    .map(({ token, expiresAt }) => ({ token, expiresAt: Math.min(expiresAt ?? end, end) }))
    .filter(({ expiresAt }) => expiresAt > now);
}
