import type { Child } from "hono/jsx";
import { dashboardStyle } from "../shared/assets.js";
import { Layout } from "../shared/layout.js";
import { Labelled } from "./parts/action.js";
import { DASHBOARD } from "./view/view.js";

interface BoxProps {
  readonly root: string;
  readonly title: string;
  readonly heading: string;
  readonly children?: Child;
}

function Box({ root, title, heading, children }: BoxProps) {
  return (
    <Layout lang="en" title={`${title} · Payments sandbox`} root={root} styles={[dashboardStyle]}>
      <main class="sign-in">
        <h1>{heading}</h1>
        {children}
      </main>
    </Layout>
  );
}

interface SignInProps {
  readonly root: string;
  readonly formToken: string;
  readonly back: string;
  readonly problem: string | undefined;
}

export function SignInPage({ root, formToken, back, problem }: SignInProps) {
  return (
    <Box root={root} title="Sign in" heading="Payments sandbox">
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
    </Box>
  );
}

interface ProblemProps {
  readonly root: string;
  readonly title: string;
  readonly messages: readonly string[];
}

/** For missing pages and errors: it renders nothing that could fail again. */
export function ProblemPage({ root, title, messages }: ProblemProps) {
  return (
    <Box root={root} title={title} heading={title}>
      {messages.map((message) => (
        <p>{message}</p>
      ))}
      <a class="button" href={`${root}_sandbox`}>
        To the dashboard
      </a>
    </Box>
  );
}
