import type { MiddlewareHandler } from "hono";
import { setCookie } from "hono/cookie";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { requireAdminToken } from "../../control/guards.js";
import { type HttpContext, type HttpEnv, wantsPage } from "../../shared/env.js";
import { answerPage } from "../answer-page.js";
import type { Fields } from "./view/actions.js";
import { readForm } from "./read-form.js";
import { SESSION_MS, type Sessions, cookieName } from "./sessions.js";
import { ProblemPage, SignInPage } from "./sign-in.js";
import { DASHBOARD, rootOf } from "./view/view.js";

/** Answers a form that was sent. */
type FormHandler = (c: HttpContext, form: Fields) => Response | Promise<Response>;

const SIGN_IN = `${DASHBOARD}/sign-in`;

/** Nobody comes further without the admin token, if there is one. */
export function requireSession(sandbox: Sandbox, sessions: Sessions): MiddlewareHandler<HttpEnv> {
  const refuse = requireAdminToken(sandbox);
  return async (c, next) => {
    const { path } = c.req;
    if (!sessions.needed || path === SIGN_IN || sessions.has(c)) return next();
    // A program is told what it would be told by the control API, and may give the token as it does there.
    if (!wantsPage(c)) return refuse(c, next);
    const { pathname, search } = new URL(c.req.url);
    // What a form asked for is not done once more by signing in.
    const back = c.req.method === "GET" ? pathname + search : "/_sandbox";
    return c.redirect(`${rootOf(path)}${SIGN_IN.slice(1)}?${String(new URLSearchParams({ back }))}`, 303);
  };
}

/**
 * Whatever changes something comes from a form of this sandbox's own pages: it says where it comes from (`refuseForgery` has refused all other origins, and a
 * form of a browser always says so), and carries what only a page that was read can know. Cookies alone would not do: a page on another port of
 * this machine is of the same site.
 */
export function takeForm(sandbox: Sandbox, sessions: Sessions, handle: FormHandler) {
  return async (c: HttpContext): Promise<Response> => {
    const { formToken = "", ...form } = await readForm(c);
    if (c.req.header("origin") !== undefined && sessions.isFormToken(c, formToken)) return handle(c, form);
    const page = (
      <ProblemPage
        root={rootOf(c.req.path)}
        title="Not a form of this sandbox"
        messages={[
          "Nothing was done: the form is not of a page of this sandbox, or older than its start. Load the page again.",
        ]}
      />
    );
    return answerPage(sandbox, undefined, { status: 403, page });
  };
}

export function showSignIn(sandbox: Sandbox, sessions: Sessions) {
  return (c: HttpContext): Response | Promise<Response> => {
    const back = backOf(c.req.query("back"));
    if (!sessions.needed || sessions.has(c)) return c.redirect(rootOf(c.req.path) + back.slice(1), 303);
    return answerSignIn(c, sandbox, sessions, { status: 200, back });
  };
}

export function signIn(sandbox: Sandbox, sessions: Sessions): FormHandler {
  return (c, { token = "", back: given }) => {
    const back = backOf(given);
    const opened = sessions.open(token);
    if ("waitMs" in opened) {
      const seconds = Math.ceil(opened.waitMs / 1000);
      const problem = `Too many wrong tokens. Try again in ${seconds} s.`;
      const headers = { "retry-after": String(seconds) };
      return answerSignIn(c, sandbox, sessions, { status: 429, back, problem, headers });
    }
    if ("wrong" in opened) {
      const problem = "That is not the admin token that the sandbox was started with.";
      return answerSignIn(c, sandbox, sessions, { status: 401, back, problem });
    }
    // Behind a proxy it is the browser that knows.
    const secure = c.req.header("origin")?.startsWith("https:") === true;
    const maxAge = SESSION_MS / 1000;
    setCookie(c, cookieName(c), opened.id, { path: "/", httpOnly: true, sameSite: "Strict", secure, maxAge });
    return c.redirect(rootOf(c.req.path) + back.slice(1), 303);
  };
}

export function signOut(sessions: Sessions): FormHandler {
  return (c) => {
    sessions.close(c);
    setCookie(c, cookieName(c), "", { path: "/", httpOnly: true, sameSite: "Strict", maxAge: 0 });
    return c.redirect(rootOf(c.req.path) + SIGN_IN.slice(1), 303);
  };
}

/** A page of the dashboard: a form may say where it leads back, and nobody else's page is meant. */
export function backOf(given: string = ""): string {
  const url = URL.canParse(given, NOWHERE) ? new URL(given, NOWHERE) : undefined;
  const isOurs = url?.origin === NOWHERE && (url.pathname === "/_sandbox" || url.pathname.startsWith(`${DASHBOARD}/`));
  return isOurs ? url.pathname + url.search : "/_sandbox";
}

const NOWHERE = "http://sandbox.invalid";

interface SignInAnswer {
  readonly status: number;
  readonly back: string;
  readonly problem?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function answerSignIn(c: HttpContext, sandbox: Sandbox, sessions: Sessions, answer: SignInAnswer): Promise<Response> {
  const { status, back, problem, headers = {} } = answer;
  const page = (
    <SignInPage root={rootOf(c.req.path)} formToken={sessions.formTokenOf(c)} back={back} problem={problem} />
  );
  return answerPage(sandbox, undefined, { status, page, headers });
}
