import type { Next } from "hono";
import { deleteCookie, setCookie } from "hono/cookie";
import { UsageError } from "../../../kernel/messages/problem.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import type { ExtraHeaders } from "../../api/answer.js";
import { type ReserveBody, requireCaller } from "../../control/guards.js";
import { type AddressLimit, addressOf } from "../../shared/address-limit.js";
import { type HttpContext, wantsPage } from "../../shared/env.js";
import type { SelfService } from "../../shared/self-service.js";
import { answerPage } from "../shared/answer-page.js";
import { type Box, renderOpened, renderProblem, renderSignIn } from "./boxes.js";
import { readForm } from "./read-form.js";
import { backOf, redirectTo } from "./redirect.js";
import { SESSION_MS, type Sessions, cookieName } from "./sessions.js";
import type { Fields } from "./view/actions.js";
import { DASHBOARD, rootOf } from "./view/view.js";

const SIGN_IN = `${DASHBOARD}/sign-in`;
const OPEN = `${DASHBOARD}/open`;
const COOKIE = { path: "/", httpOnly: true, sameSite: "Strict" } as const;
/** The limit of a form that anyone may send. */
const OPEN_FORM_BYTES_MAX = 16 * 1024;

export interface GuardDeps {
  readonly sandbox: Sandbox;
  readonly sessions: Sessions;
  readonly guesses: AddressLimit;
  readonly selfService: SelfService | undefined;
  readonly reserveBody: ReserveBody;
}

type Handler = (c: HttpContext) => Response | Promise<Response>;

/** Admits signed-in readers, and forms of the dashboard's own pages. */
export class Guard {
  readonly signIn: Handler;
  readonly signOut: Handler;
  readonly open: Handler;
  readonly #deps: GuardDeps;
  /** Answers programs without a session as the control API does. */
  readonly #refuse: ReturnType<typeof requireCaller>;

  constructor(deps: GuardDeps) {
    this.#deps = deps;
    this.#refuse = requireCaller(deps.sandbox, deps.guesses);
    this.signIn = this.takeForm((c, form) => this.#signIn(c, form), OPEN_FORM_BYTES_MAX);
    this.signOut = this.takeForm((c) => this.#signOut(c));
    this.open = this.takeForm((c) => this.#open(c), OPEN_FORM_BYTES_MAX);
  }

  /** Redirects a reader without a session to the sign-in page, if signing in is needed. */
  async requireSession(c: HttpContext, next: Next): Promise<Response | void> {
    const { path, method, url } = c.req;
    const caller = this.#deps.sessions.callerOf(c);
    if (caller !== undefined) c.set("caller", caller);
    if (caller !== undefined || path === SIGN_IN || path === OPEN) return next();
    // A program gets the answer of the control API, and may send its token as it does there.
    if (!wantsPage(c)) return this.#refuse(c, next);
    const { pathname, search } = new URL(url);
    // A form is not sent again after signing in.
    const back = method === "GET" ? pathname + search : "/_sandbox";
    return redirectTo(c, `${SIGN_IN}?${String(new URLSearchParams({ back }))}`);
  }

  /**
   * Accepts a form only from the dashboard's own pages: it needs the token of a page and an Origin header, which browsers always send with forms
   * (`refuseForgery` has refused other origins). Cookies alone would not be enough: a page on another port of this machine belongs to the same site.
   */
  takeForm(handle: (c: HttpContext, form: Fields) => Response | Promise<Response>, bytesMax?: number): Handler {
    const { sandbox, sessions, reserveBody } = this.#deps;
    return async (c) => {
      const { formToken = "", ...form } = await readForm(c, reserveBody, bytesMax);
      if (c.req.header("origin") !== undefined && sessions.isFormToken(c, formToken)) return handle(c, form);
      const message =
        "Nothing was done: this form is not from this sandbox, or the sandbox has restarted. Load the page again.";
      const page = renderProblem(c, "Not a form of this sandbox", [message]);
      return answerPage(sandbox, undefined, { status: 403, page });
    };
  }

  showSignIn(c: HttpContext): Response | Promise<Response> {
    const { sandbox, sessions } = this.#deps;
    const back = backOf(c.req.query("back"));
    // A link may be for another company than the one whose token signed in.
    const isIn = sessions.callerOf(c) !== undefined && !sandbox.options.tenancy;
    return isIn ? redirectTo(c, back) : this.#answerSignIn(c, 200, back);
  }

  #signIn(c: HttpContext, { token = "", back: given }: Fields): Response | Promise<Response> {
    const { sandbox, sessions, guesses } = this.#deps;
    const { tenancy, trustedProxies } = sandbox.options;
    const back = backOf(given);
    const opened = sessions.open(token);
    if (opened === undefined) {
      const waitS = guesses.count(addressOf(c, trustedProxies));
      if (waitS === undefined) {
        const wrong = "That is not the admin token that the sandbox was started with.";
        return this.#answerSignIn(c, 401, back, tenancy ? "No company has this access token." : wrong);
      }
      const problem = `Too many wrong tokens. Try again in ${waitS} s.`;
      return this.#answerSignIn(c, 429, back, problem, { "retry-after": waitS });
    }
    // Behind a proxy only the browser knows the scheme.
    const secure = c.req.header("origin")?.startsWith("https:") === true;
    setCookie(c, cookieName(c), opened, { ...COOKIE, secure, maxAge: SESSION_MS / 1000 });
    return redirectTo(c, back);
  }

  #signOut(c: HttpContext): Response {
    this.#deps.sessions.close(c);
    deleteCookie(c, cookieName(c), COOKIE);
    return redirectTo(c, SIGN_IN);
  }

  /** Opens a company and shows its access token, which signs in. */
  async #open(c: HttpContext): Promise<Response> {
    const { sandbox, selfService } = this.#deps;
    if (selfService === undefined) throw new UsageError("not-found", `There is no page ${c.req.path} here.`);
    const admitted = selfService(c);
    if ("waitS" in admitted) {
      const problem = `Too many companies opened from this address. Try again in ${admitted.waitS} s.`;
      return this.#answerSignIn(c, 429, "/_sandbox", problem, { "retry-after": admitted.waitS });
    }
    await sandbox.store.writable();
    const { identity } = admitted.open().record;
    await sandbox.store.durable(true);
    const origin = sandbox.options.publicUrl ?? new URL(c.req.url).origin;
    return answerPage(sandbox, undefined, { status: 201, page: renderOpened(this.#boxOf(c), identity, origin) });
  }

  #answerSignIn(c: HttpContext, status: number, back: string, problem?: string, headers?: ExtraHeaders) {
    const { sandbox, selfService } = this.#deps;
    const { tenancy } = sandbox.options;
    const page = renderSignIn(this.#boxOf(c), { tenancy, canOpen: selfService !== undefined, back, problem });
    return answerPage(sandbox, undefined, { status, page, ...(headers && { headers }) });
  }

  #boxOf(c: HttpContext): Box {
    return { root: rootOf(c.req.path), here: new URL(c.req.url), formToken: this.#deps.sessions.formTokenOf(c) };
  }
}
