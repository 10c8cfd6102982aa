import type { MiddlewareHandler } from "hono";
import { setCookie } from "hono/cookie";
import { dashboardStyle } from "../shared/assets.js";
import { Layout } from "../shared/layout.js";
import { DASHBOARD, rootOf } from "./view/view.js";
import { UsageError } from "../../../kernel/problem.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { requireAdminToken } from "../../control/guards.js";
import { type HttpContext, type HttpEnv, wantsPage } from "../../shared/env.js";
import { answerPage } from "../shared/answer-page.js";
import { readBytes } from "../../shared/read-body.js";
import type { Fields } from "./view/actions.js";
import { SESSION_MS, type Sessions, cookieName } from "./sessions.js";

type FormHandler = (c: HttpContext, form: Fields) => Response | Promise<Response>;

const SIGN_IN = `${DASHBOARD}/sign-in`;

/** Redirects to the sign-in page without a session, if there is an admin token. */
export function requireSession(sandbox: Sandbox, sessions: Sessions): MiddlewareHandler<HttpEnv> {
  const refuse = requireAdminToken(sandbox);
  return async (c, next) => {
    const { path } = c.req;
    if (!sessions.needed || path === SIGN_IN || sessions.has(c)) return next();
    // A program gets the answer of the control API, and may send the token as it does there.
    if (!wantsPage(c)) return refuse(c, next);
    const { pathname, search } = new URL(c.req.url);
    // Signing in does not repeat a form.
    const back = c.req.method === "GET" ? pathname + search : "/_sandbox";
    return c.redirect(`${rootOf(path)}${SIGN_IN.slice(1)}?${String(new URLSearchParams({ back }))}`, 303);
  };
}

/**
 * Accepts a form only from the dashboard's own pages: it needs an Origin header (`refuseForgery` has refused other origins; browsers always send it with
 * forms) and the token of a page. Cookies alone would not be enough: a page on another port of this machine is of the same site.
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
    // Behind a proxy only the browser knows the scheme.
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

/** The page of the dashboard that a form names, otherwise the first page. */
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

/** As much as the control API accepts. */
const FORM_BYTES_MAX = 1024 * 1024;

/** The fields of a form without the empty ones; of two with one name the first. */
async function readForm(c: HttpContext): Promise<Fields> {
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type))
    throw new UsageError("input", "The dashboard takes its own forms, and programs have the control API.");
  const sent = new URLSearchParams((await readBytes(c, FORM_BYTES_MAX)).toString("utf8"));
  // Browsers send the lines of a text field with CR LF.
  const fields = [...sent]
    .filter(([, value]) => value !== "")
    .map(([name, value]) => [name, value.replaceAll("\r\n", "\n")]);
  return Object.fromEntries(fields.reverse());
}

interface SignInProps {
  readonly root: string;
  readonly formToken: string;
  /** Where it leads. */
  readonly back: string;
  /** Why the last try failed. */
  readonly problem: string | undefined;
}

export function SignInPage({ root, formToken, back, problem }: SignInProps) {
  return (
    <Layout lang="en" title="Sign in · Payments sandbox" root={root} styles={[dashboardStyle]}>
      <main class="sign-in">
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
          <label class="labelled" for="token">
            <span>Admin token</span>
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
          </label>
          <button class="button">Sign in</button>
        </form>
      </main>
    </Layout>
  );
}

interface ProblemProps {
  readonly root: string;
  readonly title: string;
  readonly messages: readonly string[];
}

/** What there is not, and what went wrong, without anything that could go wrong again. */
export function ProblemPage({ root, title, messages }: ProblemProps) {
  return (
    <Layout lang="en" title={`${title} · Payments sandbox`} root={root} styles={[dashboardStyle]}>
      <main class="sign-in">
        <h1>{title}</h1>
        {messages.map((message) => (
          <p>{message}</p>
        ))}
        <a class="button" href={`${root}_sandbox`}>
          To the dashboard
        </a>
      </main>
    </Layout>
  );
}
