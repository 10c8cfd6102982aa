import { VERSION } from "../../../kernel/version.js";
import { dashboardScripts, dashboardStyle } from "../shared/assets.js";
import { Layout } from "../shared/layout.js";
import { CommandLine, FormToken } from "./parts/action.js";
import { Pill, Text } from "./parts/show.js";
import { navigation } from "./registry.js";
import { DASHBOARD, type DashboardPage, type View, linkTo } from "./view/view.js";

/** A page in the frame of all pages: the company and its clock, the navigation, and the result of the last action. */
export async function renderPage(view: View, page: DashboardPage) {
  const { company, root } = view;
  const title = titleOf(view, page);
  const content = await page.render(view);
  const liveUrl = `${root}${DASHBOARD.slice(1)}/live?${String(new URLSearchParams({ company: company.id }))}`;
  return (
    <Layout
      lang="en"
      title={`${title} · ${company.id}`}
      root={root}
      styles={[dashboardStyle]}
      scripts={dashboardScripts}
    >
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="shell" id="shell" data-live={liveUrl}>
        <Bar view={view} />
        <Navigation view={view} page={page} />
        <main id="main" tabindex={-1}>
          <OutcomeBanner view={view} />
          <header class="heading">
            <h1>{title}</h1>
            {page.lead !== undefined && <p class="soft">{page.lead}</p>}
          </header>
          {content}
        </main>
      </div>
    </Layout>
  );
}

function Bar({ view }: { readonly view: View }) {
  const { company, root, signedIn } = view;
  const { mode } = company.clock;
  return (
    <header class="bar">
      <a class="brand" href={linkTo(view, "")}>
        Payments <b>sandbox</b>
      </a>
      <CompanySwitcher view={view} />
      <span class="lost" role="status">
        <span>not connected</span>
      </span>
      <a class="clock" href={linkTo(view, "/clock")} title="The company's clock">
        <time class="time" data-now={String(company.now())} data-runs={mode === "running" ? "" : undefined}>
          {new Date(company.now()).toISOString().slice(0, 19).replace("T", " ")}
        </time>
        <Pill tone={mode === "running" ? "good" : "info"}>{mode}</Pill>
      </a>
      {signedIn && (
        <form method="post" action={`${root}${DASHBOARD.slice(1)}/sign-out`}>
          <FormToken view={view} />
          <button class="act quiet">Sign out</button>
        </form>
      )}
    </header>
  );
}

/** Companies in the list; the page of companies has all. */
const SWITCHED_MAX = 50;

function CompanySwitcher({ view: { sandbox, company, here, query } }: { readonly view: View }) {
  const others = sandbox.companies.filter((other) => other !== company).slice(0, SWITCHED_MAX - 1);
  const { cursor: _, ...kept } = query;
  return (
    <form class="switcher" method="get" action={here.pathname.split("/").at(-1)}>
      {Object.entries(kept).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <label class="visually-hidden" for="company">
        Company
      </label>
      <select id="company" name="company" class="input" data-submits>
        {[company, ...others].map(({ id }) => (
          <option value={id} selected={id === company.id}>
            {id}
          </option>
        ))}
      </select>
      <button class="act quiet scriptless">Switch</button>
    </form>
  );
}

function Navigation({ view, page }: { readonly view: View; readonly page: DashboardPage }) {
  const section = sectionOf(page);
  return (
    <nav class="sections" aria-label="Sections">
      {navigation.map(({ title, pages }) => (
        <div class="group">
          <span class="group-title">{title}</span>
          {pages.map((other) => (
            <a href={linkTo(view, other.path)} aria-current={sectionOf(other) === section ? "page" : undefined}>
              {titleOf(view, other)}
            </a>
          ))}
        </div>
      ))}
      <p class="soft version">Version {VERSION}</p>
    </nav>
  );
}

function titleOf(view: View, { title }: DashboardPage): string {
  return typeof title === "string" ? title : title(view);
}

function sectionOf({ path }: DashboardPage): string {
  return path.split("/")[1] ?? "";
}

function OutcomeBanner({ view: { outcome } }: { readonly view: View }) {
  if (outcome === undefined) return <></>;
  const { ok, title, problems, text, curl, answer } = outcome;
  return (
    <section class={`alert outcome ${ok ? "good" : "bad"}`} role={ok ? "status" : "alert"} id={`outcome-${outcome.id}`}>
      <strong>{title}</strong>
      {problems.length > 0 && (
        <ul>
          {problems.map((problem) => (
            <li>{problem}</li>
          ))}
        </ul>
      )}
      {text !== undefined && <Text label="Why">{text}</Text>}
      {curl !== "" && <CommandLine line={curl} of="what was done" />}
      {answer !== "" && (
        <details id={`answer-${outcome.id}`}>
          <summary>The answer</summary>
          <Text label="The answer">{answer}</Text>
        </details>
      )}
    </section>
  );
}
