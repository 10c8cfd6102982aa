import { dashboardStyle } from "../assets/assets.js";
import { Layout } from "../layout.js";
import { DASHBOARD } from "./view/view.js";

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
