import type { Child } from "hono/jsx";
import type { Next } from "hono";
import { deleteCookie, setCookie } from "hono/cookie";
import { dashboardStyle } from "../shared/assets.js";
import { Layout } from "../shared/layout.js";
import { Labelled } from "./parts/action.js";
import { DASHBOARD, rootOf } from "./view/view.js";
import { UsageError } from "../../../kernel/messages/problem.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import type { Guesses } from "../../shared/guesses.js";
import { requireAdminToken } from "../../control/guards.js";
import { type HttpContext, wantsPage } from "../../shared/env.js";
import type { ExtraHeaders } from "../../api/answer.js";
import { readBytes } from "../../shared/read-body.js";
import { answerPage } from "../shared/answer-page.js";
import { SESSION_MS, type Sessions, cookieName } from "./sessions.js";
import type { Fields } from "./view/actions.js";

type FormHandler = (c: HttpContext, form: Fields) => Response | Promise<Response>;

const SIGN_IN = `${DASHBOARD}/sign-in`;
const COOKIE = { path: "/", httpOnly: true, sameSite: "Strict" } as const;

/** Lets in who is signed in, and forms of the dashboard's own pages. */
export function createGuard(sandbox: Sandbox, sessions: Sessions, guesses: Guesses) {
  const refuse = requireAdminToken(sandbox, guesses);
  return { requireSession, showSignIn, signIn: takeForm(signIn), signOut: takeForm(signOut), takeForm };

  /** Redirects to the sign-in page without a session, if there is an admin token. */
  async function requireSession(c: HttpContext, next: Next): Promise<Response | void> {
    const { path, method, url } = c.req;
    if (!sessions.needed || path === SIGN_IN || sessions.has(c)) return next();
    // A program gets the answer of the control API, and may send the token as it does there.
    if (!wantsPage(c)) return refuse(c, next);
    const { pathname, search } = new URL(url);
    // Signing in does not repeat a form.
    const back = method === "GET" ? pathname + search : "/_sandbox";
    return redirectTo(c, `${SIGN_IN}?${String(new URLSearchParams({ back }))}`);
  }

  /**
   * Accepts a form only from the dashboard's own pages: it needs an Origin header (`refuseForgery` has refused other origins; browsers always send it with
   * forms) and the token of a page. Cookies alone would not be enough: a page on another port of this machine is of the same site.
   */
  function takeForm(handle: FormHandler) {
    return async (c: HttpContext): Promise<Response> => {
      const { formToken = "", ...form } = await readForm(c);
      if (c.req.header("origin") !== undefined && sessions.isFormToken(c, formToken)) return handle(c, form);
      const message =
        "Nothing was done: the form is not of a page of this sandbox, or older than its start. Load the page again.";
      const page = renderProblem(c, "Not a form of this sandbox", [message]);
      return answerPage(sandbox, undefined, { status: 403, page });
    };
  }

  function showSignIn(c: HttpContext): Response | Promise<Response> {
    const back = backOf(c.req.query("back"));
    return !sessions.needed || sessions.has(c) ? redirectTo(c, back) : answerSignIn(c, 200, back);
  }

  function signIn(c: HttpContext, { token = "", back: given }: Fields): Response | Promise<Response> {
    const back = backOf(given);
    const opened = sessions.open(token);
    if (opened === undefined) {
      const waitS = guesses.countWrong(c);
      if (waitS === undefined)
        return answerSignIn(c, 401, back, "That is not the admin token that the sandbox was started with.");
      const problem = `Too many wrong tokens. Try again in ${waitS} s.`;
      return answerSignIn(c, 429, back, problem, { "retry-after": waitS });
    }
    // Behind a proxy only the browser knows the scheme.
    const secure = c.req.header("origin")?.startsWith("https:") === true;
    setCookie(c, cookieName(c), opened, { ...COOKIE, secure, maxAge: SESSION_MS / 1000 });
    return redirectTo(c, back);
  }

  function signOut(c: HttpContext): Response {
    sessions.close(c);
    deleteCookie(c, cookieName(c), COOKIE);
    return redirectTo(c, SIGN_IN);
  }

  function answerSignIn(c: HttpContext, status: number, back: string, problem?: string, headers?: ExtraHeaders) {
    const page = renderSignIn(c, sessions.formTokenOf(c), back, problem);
    return answerPage(sandbox, undefined, { status, page, ...(headers && { headers }) });
  }
}

const FORM_BYTES_MAX = 1024 * 1024;

/** The fields of a form without the empty ones; of two with one name the first. */
async function readForm(c: HttpContext): Promise<Fields> {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(c.req.header("content-type") ?? ""))
    throw new UsageError("input", "The dashboard takes its own forms, and programs have the control API.");
  const sent = new URLSearchParams((await readBytes(c, FORM_BYTES_MAX)).toString("utf8"));
  // Browsers send the lines of a text field with CR LF.
  const fields = [...sent].map(([name, value]) => [name, value.replaceAll("\r\n", "\n")] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== "").reverse());
}

/** To an address of this sandbox, relative to the request's own. */
export function redirectTo(c: HttpContext, address: string): Response {
  return c.redirect(rootOf(c.req.path) + address.slice(1), 303);
}

/** The page of the dashboard that a form names, otherwise the first page. */
export function backOf(given: string = ""): string {
  const url = URL.canParse(given, NOWHERE) ? new URL(given, NOWHERE) : undefined;
  const isOurs = url?.origin === NOWHERE && (url.pathname === "/_sandbox" || url.pathname.startsWith(`${DASHBOARD}/`));
  return isOurs ? url.pathname + url.search : "/_sandbox";
}

const NOWHERE = "http://sandbox.invalid";

function renderBox(root: string, title: string, content: Child) {
  return (
    <Layout lang="en" title={`${title} · Payments sandbox`} root={root} styles={[dashboardStyle]}>
      <main class="sign-in">{content}</main>
    </Layout>
  );
}

function renderSignIn(c: HttpContext, formToken: string, back: string, problem: string | undefined) {
  const root = rootOf(c.req.path);
  return renderBox(
    root,
    "Sign in",
    <>
      <h1>Payments sandbox</h1>
      <p class="soft">
        This sandbox was started with an admin token (<code>--admin-token</code>). The dashboard asks for it once.
      </p>
      <form method="post" action={`${root}${DASHBOARD.slice(1)}/sign-in`}>
        <input type="hidden" name="formToken" value={formToken} />
        <input type="hidden" name="back" value={back} />
        {problem !== undefined && (
          <p class="alert bad" role="alert" id="problem">
            {problem}
          </p>
        )}
        <Labelled id="token" label="Admin token">
          <input
            id="token"
            name="token"
            type="password"
            class="field"
            required
            autofocus
            autocomplete="current-password"
            aria-invalid={problem === undefined ? undefined : "true"}
            aria-describedby={problem === undefined ? undefined : "problem"}
          />
        </Labelled>
        <button class="button">Sign in</button>
      </form>
    </>,
  );
}

/** For missing pages and errors: it renders nothing that could fail again. */
export function renderProblem(c: HttpContext, title: string, messages: readonly string[]) {
  const root = rootOf(c.req.path);
  return renderBox(
    root,
    title,
    <>
      <h1>{title}</h1>
      {messages.map((message) => (
        <p>{message}</p>
      ))}
      <a class="button" href={`${root}_sandbox`}>
        To the dashboard
      </a>
    </>,
  );
}
