import type { MiddlewareHandler } from "hono";
import * as z from "zod";
import type { Work } from "../../domain/model/work.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import { decimalXof } from "../../domain/values/fields.js";
import { fromXof } from "../../domain/values/money.js";
import { parseRequest } from "../../contract/parse.js";
import { PAGE_BYTES_MAX } from "../../contract/queries.js";
import { duration, instant, object, sentence, text, word } from "../../kernel/fields.js";
import { jsonBytes } from "../../kernel/messages/json.js";
import { Bug, UsageError } from "../../kernel/messages/problem.js";
import { createUnusedIds } from "../../kernel/records/ids.js";
import type { Row } from "../../kernel/records/table.js";
import { setupFor } from "../../sandbox/config/options.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { AccessToken, Identity } from "../../sandbox/state/company-record.js";
import { credential } from "../../sandbox/state/file-fields.js";
import type { Company } from "../../sandbox/company/company.js";
import type { CompanySetup } from "../../sandbox/state/fixture.js";
import { closedCompanies, exportCompany, importCompany } from "../../sandbox/move-company.js";
import { STATE_BYTES_MAX } from "../../sandbox/state/state.js";
import { originOf, respond, tokenOf } from "../api/answer.js";
import { findCaller, reachCompany } from "../shared/caller.js";
import { makeReady } from "../shared/company.js";
import type { HttpEnv } from "../shared/env.js";
import { readJson } from "../shared/read-body.js";
import { type SelfService, signInLink } from "../shared/self-service.js";
import { answerRefusal, answerThrown } from "./control-endpoint.js";
import { clockChange } from "./clock-routes.js";
import {
  type CompanyCall,
  type ControlRoute,
  listQuery,
  noBody,
  optionalBody,
  pageOf,
  route,
  sandboxRoute,
} from "./control-route.js";
import { renderCompany, renderIdentity } from "./render-control.js";
import { STATE_BOUNDS } from "./state-routes.js";
import { mergeOverrides } from "../../domain/profile/overrides.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import { defaultTokenOf } from "../../sandbox/config/config-schema.js";

/** The body that opens a company. `clock` is what PUT takes, or its mode, or the time at which the clock is frozen. */
const openingFields = {
  companyId: credential("a company id")
    .refine((id) => id !== "*", { error: 'must not be "*", which means all companies' })
    .optional(),
  accessToken: credential("an access token").optional(),
  secretKey: text("a secret key", 200).optional(),
  /** XOF. */
  balance: decimalXof().optional(),
  clock: z
    .union([z.enum(["running", "frozen"]), instant, clockChange], {
      error: 'must be "running", "frozen", an ISO 8601 time to stand at, or {mode?, now?}',
    })
    .optional(),
};

/** `profile` is merged over the sandbox's own. */
function openingRequest(sandbox: Sandbox) {
  const profile = profileOver(sandbox.options.defaults.profile).optional();
  return optionalBody(object({ ...openingFields, profile }));
}

type Opening = z.infer<ReturnType<typeof openingRequest>>;

function profileOver(base: ProfileOverrides): z.ZodType<ProfileOverrides> {
  return z.unknown().transform((given, context) => {
    const parsed = parseProfile(mergeOverrides(base, given));
    if (parsed.ok) return parsed.overrides;
    for (const { message } of parsed.problems) sentence(context, message);
    return z.NEVER;
  });
}

/** `closed` lists the companies that were closed to be moved, instead of the open ones. */
const companiesQuery = listQuery({ closed: word(["true", "false"]).optional() });

/** With `close` the company stops here, so that another sandbox can continue it. */
const exporting = optionalBody(object({ close: z.boolean({ error: "must be true or false" }).default(false) }));

const generated = z.literal(true, { error: "must be true" });

/**
 * What to replace: `true` generates a new value, a text is the new value, and an empty body generates a secret key. A new access token may expire
 * (`expiresIn`), and the old ones may keep working for some time (`overlap`).
 */
const rotation = optionalBody(
  object({
    secretKey: z
      .union([generated, text("a secret key", 200)], { error: "must be true or the new secret key" })
      .optional(),
    accessToken: z
      .union([generated, credential("an access token")], { error: "must be true or the new access token" })
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

/** Lists, opens, moves and removes companies, and replaces their credentials. */
export const companiesRoutes: readonly ControlRoute[] = [
  sandboxRoute("GET /companies", { query: companiesQuery }, async ({ sandbox, query }) => {
    if (query.closed === "true")
      return pageOf({ rows: closedCompanies(sandbox), render: ({ identity }) => renderIdentity(identity) }, query);
    const { data: ids } = pageOf({ rows: sandbox.opened, render: ({ id }) => id }, query);
    const takeTurns = sandbox.longWork.begin("");
    // A company whose settings list a thousand hosts takes 20 ms to render.
    const rendered = new Map<Company, ReturnType<typeof renderCompany>>();
    let left = PAGE_BYTES_MAX;
    for (const id of ids) {
      const company = sandbox.findCompany(id);
      if (company === undefined) continue;
      await makeReady(company);
      const body = renderCompany(company);
      rendered.set(company, body);
      left -= jsonBytes(body, left);
      if (left < 0) break;
      await takeTurns();
    }
    const render = ({ id }: Row) => {
      const company = sandbox.findCompany(id);
      if (company === undefined) throw new Bug(`The company ${id} is listed, and not open.`);
      return rendered.get(company) ?? renderCompany(company);
    };
    return pageOf({ rows: sandbox.opened, render }, query);
  }),
  sandboxRoute("POST /companies", { success: 201, body: z.unknown() }, ({ sandbox, body }) => {
    const opening = parseRequest(openingRequest(sandbox), body);
    return renderCompany(sandbox.open(setupOf(sandbox, opening)));
  }),
  sandboxRoute("DELETE /companies/:id", {}, ({ sandbox, caller, id }) => {
    if (!sandbox.removeMoved(id)) sandbox.remove(reachCompany(sandbox, caller, id));
  }),
  sandboxRoute("POST /companies/:id/export", { body: exporting }, ({ sandbox, id, body: { close } }) =>
    exportCompany(sandbox, id, close),
  ),
  sandboxRoute(
    "PUT /companies/:id",
    { success: 201, body: z.unknown(), bodyLimit: STATE_BYTES_MAX, bounds: STATE_BOUNDS },
    async ({ sandbox, id, body, gate }) => renderCompany(await importCompany(sandbox, id, body, gate)),
  ),
  route("POST /companies/:id/rotate", { company: "path", body: rotation }, rotate),
];

/** The limit of a body that anyone may send, bytes. */
const OPEN_BODY_LIMIT = 16 * 1024;

/** Opens a company for a client without credentials, or with a new access token of its own. The company begins as the sandbox's options say. */
export function openCompany(sandbox: Sandbox, selfService: SelfService): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const token = tokenOf(c);
    const isUnreadable = token === undefined && c.req.header("authorization") !== undefined;
    const { path } = c.req;
    const caller = token === undefined ? undefined : findCaller(sandbox, token);
    if (caller?.tenant !== undefined) {
      await sandbox.store.durable(false);
      const messages = ["This access token has a company already. The dashboard shows its id and secret key"];
      return answerRefusal(sandbox, undefined, path, { status: 403, messages });
    }
    // An expired token is still taken.
    const isKnown = token !== undefined && (sandbox.isTokenTaken(token) || caller !== undefined);
    if (isUnreadable || isKnown) return next();
    // Before anything else, since a refused attempt tests a token, too.
    const admitted = selfService(c);
    if ("waitS" in admitted) {
      const messages = [`Too many companies opened from this address. Try again in ${admitted.waitS} s`];
      const headers = { "retry-after": admitted.waitS };
      return answerRefusal(sandbox, undefined, path, { status: 429, messages, headers });
    }
    try {
      await sandbox.store.writable();
      parseRequest(noBody, await readJson(c, OPEN_BODY_LIMIT));
      const company = admitted.open(token);
      const body = renderCompany(company);
      await sandbox.store.durable(true);
      const signIn = signInLink(sandbox.options.publicUrl ?? originOf(c.req.url), body.accessToken ?? "");
      return respond(sandbox, company, { status: 201, body: { ...body, signIn } });
    } catch (thrown) {
      return answerThrown(sandbox, undefined, path, thrown);
    }
  };
}

/** Derives missing values from the others: `company_x`, `at_x` and `secret_x` belong together. */
function setupOf(sandbox: Sandbox, opening: Opening): CompanySetup {
  const { companyId, accessToken, secretKey, balance, clock: initialClock, profile } = opening;
  const { defaults } = sandbox.options;
  const token = accessToken ?? defaultTokenOf(companyId ?? unusedId(sandbox));
  const derived = setupFor(token);
  return {
    ...derived,
    id: companyId ?? derived.id,
    secretKey: secretKey ?? derived.secretKey,
    balance: balance === undefined ? defaults.balance : fromXof(balance),
    profile: profile ?? defaults.profile,
    fixtures: defaults.fixtures,
    rules: defaults.rules,
    ...initialClockOf(sandbox, initialClock),
  };
}

function unusedId(sandbox: Sandbox): string {
  for (;;) {
    const id = sandbox.ids.short("company");
    if (!sandbox.store.data.companies.has(id)) return id;
  }
}

function initialClockOf(
  { options, system }: Sandbox,
  given: Opening["clock"],
): Pick<CompanySetup, "frozenAt" | "runsFrom"> {
  const { frozenAt } = options.defaults;
  if (given === undefined) return { frozenAt };
  if (typeof given === "number") return { frozenAt: given };
  const { mode = "frozen", now } = typeof given === "string" ? { mode: given } : given;
  return mode === "frozen" ? { frozenAt: now ?? frozenAt ?? system.now() } : { frozenAt: undefined, runsFrom: now };
}

type Rotation = z.infer<typeof rotation>;

/**
 * Returns {secretKey} or {accessToken}. Deliveries from now on, retries included, are signed with the new key. Old tokens stop working after the
 * overlap, by default immediately.
 */
function rotate(call: CompanyCall<undefined, Rotation>): { secretKey: string } | { accessToken: string } {
  const { sandbox, company, run, body: request } = call;
  const { identity } = company.record;
  // After a restore, a seeded stream repeats what it has drawn since.
  const make = (prefix: string, isUsed: (id: string) => boolean): string =>
    run((work: Work) => createUnusedIds(work.ids, isUsed).short(prefix), undefined);
  if (request.accessToken === undefined) {
    const secretKey =
      typeof request.secretKey === "string" ? request.secretKey : make("secret", (key) => key === identity.secretKey);
    sandbox.identify(company, { ...identity, secretKey });
    return { secretKey };
  }
  const token = request.accessToken === true ? make("at", (id) => sandbox.isTokenTaken(id)) : request.accessToken;
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

/** A company keeps its newest access tokens, at most this many. */
export const TOKENS_MAX = 100;

/** The tokens that keep working during the overlap. None of them lives longer than before. */
function shorten({ tokens }: Identity, now: number, overlapMs: number): AccessToken[] {
  const end = now + overlapMs;
  return tokens
    .map(({ token, expiresAt }) => ({ token, expiresAt: Math.min(expiresAt ?? end, end) }))
    .filter(({ expiresAt }) => expiresAt > now);
}
