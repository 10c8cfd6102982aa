import type { Child } from "hono/jsx";
import type { Identity } from "../../../sandbox/state/company-record.js";
import type { HttpContext } from "../../shared/env.js";
import { signInLink } from "../../shared/self-service.js";
import { type Asset, dashboardStyle, signInScript } from "../shared/assets.js";
import { Layout } from "../shared/layout.js";
import { CommandLine, Field, PostForm } from "./parts/action.js";
import { Facts } from "./parts/show.js";
import { type View, rootOf } from "./view/view.js";

/** What the forms of a page without a company need. */
export type Box = Pick<View, "root" | "here" | "formToken">;

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

interface SignInPage {
  readonly tenancy: boolean;
  /** Whether anyone may open a company. */
  readonly canOpen: boolean;
  /** The page to return to after signing in. */
  readonly back: string;
  readonly problem: string | undefined;
}

export function renderSignIn(box: Box, { tenancy, canOpen, back, problem }: SignInPage) {
  return renderBox(
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
      {canOpen && (
        <PostForm view={box} path="/open">
          <p class="soft">No token yet?</p>
          <button class="button quiet">Open a company</button>
        </PostForm>
      )}
    </>,
    [signInScript],
  );
}

/** The only page that shows an access token to a reader who has not signed in. */
export function renderOpened(box: Box, { id, tokens, secretKey }: Identity, origin: string) {
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

/** For missing pages and errors. It renders nothing that could fail again. */
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
