import type { Child } from "hono/jsx";
import type { Next } from "hono";
import { deleteCookie, setCookie } from "hono/cookie";
import { type Asset, dashboardStyle, signInScript } from "../shared/assets.js";
import { Layout } from "../shared/layout.js";
import { CommandLine, Field, PostForm } from "./parts/action.js";
import { Facts } from "./parts/show.js";
import { DASHBOARD, type View, rootOf } from "./view/view.js";
import { valueBytes } from "../../../kernel/messages/json.js";
import { UsageError } from "../../../kernel/messages/problem.js";
import { parseUrl } from "../../../kernel/messages/text.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import type { Identity } from "../../../sandbox/state/company-record.js";
import { type SelfService, signInLink } from "../../shared/self-service.js";
import { type AddressLimit, addressOf } from "../../shared/address-limit.js";
import { type Reserve, requireCaller } from "../../control/guards.js";
import { type HttpContext, wantsPage } from "../../shared/env.js";
import type { ExtraHeaders } from "../../api/answer.js";
import { STATE_BYTES_MAX, STATE_VALUE_BYTES_MAX } from "../../../sandbox/state/state.js";
import { readBytes } from "../../shared/read-body.js";
import { answerPage } from "../shared/answer-page.js";
import { SESSION_MS, type Sessions, cookieName } from "./sessions.js";
import type { Fields } from "./view/actions.js";

const SIGN_IN = `${DASHBOARD}/sign-in`;
const OPEN = `${DASHBOARD}/open`;
const COOKIE = { path: "/", httpOnly: true, sameSite: "Strict" } as const;

interface GuardDeps {
  readonly sandbox: Sandbox;
  readonly sessions: Sessions;
  readonly guesses: AddressLimit;
  readonly selfService: SelfService | undefined;
  readonly reserve: Reserve;
}

/** Lets in who is signed in, and forms of the dashboard's own pages. */
export function createGuard({ sandbox, sessions, guesses, selfService, reserve }: GuardDeps) {
  const { tenancy, trustedProxies } = sandbox.options;
  const refuse = requireCaller(sandbox, guesses);
  return {
    requireSession,
    showSignIn,
    signIn: takeForm(signIn, OPEN_FORM_BYTES_MAX),
    signOut: takeForm(signOut),
    open: takeForm(open, OPEN_FORM_BYTES_MAX),
    takeForm,
  };

  /** Redirects to the sign-in page without a session, if one is needed. */
  async function requireSession(c: HttpContext, next: Next): Promise<Response | void> {
    const { path, method, url } = c.req;
    const caller = sessions.callerOf(c);
    if (caller !== undefined) c.set("caller", caller);
    if (caller !== undefined || path === SIGN_IN || path === OPEN) return next();
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
  function takeForm(handle: (c: HttpContext, form: Fields) => Response | Promise<Response>, bytesMax?: number) {
    return async (c: HttpContext): Promise<Response> => {
      const { formToken = "", ...form } = await readForm(c, reserve, bytesMax);
      if (c.req.header("origin") !== undefined && sessions.isFormToken(c, formToken)) return handle(c, form);
      const message =
        "Nothing was done: this form is not from this sandbox, or the sandbox has restarted. Load the page again.";
      const page = renderProblem(c, "Not a form of this sandbox", [message]);
      return answerPage(sandbox, undefined, { status: 403, page });
    };
  }

  function showSignIn(c: HttpContext): Response | Promise<Response> {
    const back = backOf(c.req.query("back"));
    // A link may be for another company than the one that is signed in.
    return sessions.callerOf(c) !== undefined && !tenancy ? redirectTo(c, back) : answerSignIn(c, 200, back);
  }

  function signIn(c: HttpContext, { token = "", back: given }: Fields): Response | Promise<Response> {
    const back = backOf(given);
    const opened = sessions.open(token);
    if (opened === undefined) {
      const waitS = guesses.count(addressOf(c, trustedProxies));
      if (waitS === undefined) {
        const wrong = "That is not the admin token that the sandbox was started with.";
        return answerSignIn(c, 401, back, tenancy ? "No company has this access token." : wrong);
      }
      const problem = `Too many wrong tokens. Try again in ${waitS} s.`;
      return answerSignIn(c, 429, back, problem, { "retry-after": waitS });
    }
    // Behind a proxy only the browser knows the scheme.
    const secure = c.req.header("origin")?.startsWith("https:") === true;
    setCookie(c, cookieName(c), opened, { ...COOKIE, secure, maxAge: SESSION_MS / 1000 });
    return redirectTo(c, back);
  }

  /** Opens a company and shows its access token, which signs in. */
  async function open(c: HttpContext): Promise<Response> {
    if (selfService === undefined) throw new UsageError("not-found", `There is no page ${c.req.path} here.`);
    await sandbox.store.writable();
    const opened = selfService(c);
    if ("waitS" in opened) {
      const problem = `Too many companies opened from this address. Try again in ${opened.waitS} s.`;
      return answerSignIn(c, 429, "/_sandbox", problem, { "retry-after": opened.waitS });
    }
    const { identity } = opened.company.record;
    await sandbox.store.durable(true);
    const origin = sandbox.options.publicUrl ?? new URL(c.req.url).origin;
    const page = renderOpened(boxOf(c), identity, origin);
    return answerPage(sandbox, undefined, { status: 201, page });
  }

  function boxOf(c: HttpContext): Box {
    return { root: rootOf(c.req.path), here: new URL(c.req.url), formToken: sessions.formTokenOf(c) };
  }

  function signOut(c: HttpContext): Response {
    sessions.close(c);
    deleteCookie(c, cookieName(c), COOKIE);
    return redirectTo(c, SIGN_IN);
  }

  function answerSignIn(c: HttpContext, status: number, back: string, problem?: string, headers?: ExtraHeaders) {
    const box = boxOf(c);
    const page = renderBox(
      box.root,
      "Sign in",
      <>
        {tenancy ? (
          <p class="soft">Sign in with the access token of your company.</p>
        ) : (
          <p class="soft">
            This sandbox was started with an admin token (<code>--admin-token</code>). The dashboard asks for it once.
          </p>
        )}
        {problem !== undefined && (
          <p class="alert bad" role="alert">
            {problem}
          </p>
        )}
        <PostForm view={box} path="/sign-in" fields={{ back }}>
          <Field
            name="token"
            label={tenancy ? "Access token" : "Admin token"}
            type="password"
            required
            autofocus
            autocomplete="current-password"
          />
          <button class="button">Sign in</button>
        </PostForm>
        {selfService !== undefined && (
          <PostForm view={box} path="/open">
            <p class="soft">No token yet?</p>
            <button class="button quiet">Open a company</button>
          </PostForm>
        )}
      </>,
      [signInScript],
    );
    return answerPage(sandbox, undefined, { status, page, ...(headers && { headers }) });
  }
}

const FORM_BYTES_MAX = 1024 * 1024;
/** Of a form that anyone may send. */
const OPEN_FORM_BYTES_MAX = 16 * 1024;

/** The fields of a form without the empty ones; a file counts as its text. */
async function readForm(c: HttpContext, reserve: Reserve, bytesMax = FORM_BYTES_MAX): Promise<Fields> {
  const type = c.req.header("content-type") ?? "";
  // A large form stops the process while it is read: only the upload of a state may be one.
  const hasFile = type.startsWith("multipart/form-data") && c.req.param("name") === "putState";
  if (!hasFile && !type.startsWith("application/x-www-form-urlencoded"))
    throw new UsageError("input", "The dashboard accepts its own forms only. Programs use the control API.");
  const limit = hasFile ? STATE_BYTES_MAX : bytesMax;
  const release = reserve.body(c, limit);
  const bytes = await readBytes(c, limit).finally(release);
  if (hasFile && valueBytes(bytes) > STATE_VALUE_BYTES_MAX)
    throw new UsageError("input", "The file has too many values for its size: it would take too much memory.");
  try {
    const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
    const fields = await Promise.all(
      // Browsers send the lines of a text field with CR LF.
      [...form].map(
        async ([name, value]) =>
          [name, (typeof value === "string" ? value : await value.text()).replaceAll("\r\n", "\n")] as const,
      ),
    );
    return Object.fromEntries(fields.filter(([, value]) => value !== ""));
  } catch (error) {
    throw new UsageError("input", "The form cannot be read: its parts are damaged.", { cause: error });
  }
}

/** To an address of this sandbox, relative to the request's own. */
export function redirectTo(c: HttpContext, address: string): Response {
  return c.redirect(rootOf(c.req.path) + address.slice(1), 303);
}

/** The page of the dashboard that a form names, otherwise the first page. */
export function backOf(given: string = ""): string {
  const url = parseUrl(given, NOWHERE);
  const isOurs = url?.origin === NOWHERE && (url.pathname === "/_sandbox" || url.pathname.startsWith(`${DASHBOARD}/`));
  return isOurs ? url.pathname + url.search : "/_sandbox";
}

const NOWHERE = "http://sandbox.invalid";

/** What the forms of a page without a company need. */
type Box = Pick<View, "root" | "here" | "formToken">;

function renderBox(root: string, title: string, content: Child, scripts: readonly Asset[] = []) {
  return (
    <Layout lang="en" title={`${title} · Payments sandbox`} root={root} styles={[dashboardStyle]} scripts={scripts}>
      <main class="panel sign-in">
        <h1>{title}</h1>
        {content}
      </main>
    </Layout>
  );
}

/** The only page that shows an access token to a reader who has not signed in. */
function renderOpened(box: Box, { id, tokens, secretKey }: Identity, origin: string) {
  const token = tokens[0]?.token ?? "";
  const facts = { "Company id": id, "Access token": token, "Secret key": secretKey };
  return renderBox(
    box.root,
    "Your company is open",
    <>
      <p>Keep the access token: your application sends it, and you sign in here with it.</p>
      <Facts
        of={Object.entries({ ...facts, "Link to sign in": signInLink(origin, token) }).map(([name, value]) => [
          name,
          <CommandLine line={value} of={name} />,
        ])}
      />
      <PostForm view={box} path="/sign-in" fields={{ token, back: "/_sandbox" }}>
        <button class="button">To the dashboard</button>
      </PostForm>
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
      {messages.map((message) => (
        <p>{message}</p>
      ))}
      <a class="button" href={`${root}_sandbox`}>
        To the dashboard
      </a>
    </>,
  );
}
