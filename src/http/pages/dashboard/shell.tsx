import type { Child } from "hono/jsx";
import { isFailing } from "../../../domain/model/delivery.js";
import { VERSION } from "../../../kernel/version.js";
import { dashboardScripts, dashboardStyle } from "../shared/assets.js";
import { Layout } from "../shared/layout.js";
import { showNumber } from "../shared/show.js";
import { CommandLine, PostForm } from "./parts/action.js";
import { renderSearch, searchedFor } from "./parts/list.js";
import { Code, Facts, Lines, Time, type Tone } from "./parts/show.js";
import { isBeside, sectionOf, sections, tabsOf } from "./registry.js";
import { readList } from "./view/read-list.js";
import { type DashboardPage, type View, formUrl, linkTo } from "./view/view.js";

/** Renders a page in the frame of all pages: the company and its state, the sections, and the result of the last action. */
export async function renderPage(view: View, page: DashboardPage) {
  const { company } = view;
  const title = titleOf(view, page);
  const content = await page.render(view);
  return (
    <Layout
      lang="en"
      title={`${title} · ${company.id}`}
      root={view.root}
      styles={[dashboardStyle]}
      scripts={dashboardScripts}
    >
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="shell" id="shell" data-live={formUrl(view, "/live")}>
        {renderBar(view, page)}
        {renderSections(view, page)}
        <main id="main" tabindex={-1}>
          {renderOutcome(view)}
          {renderTabs(view, page)}
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

function renderBar(view: View, page: DashboardPage) {
  return (
    <header class="bar">
      <a class="brand" href={linkTo(view, "")}>
        Payments <b>sandbox</b>
      </a>
      {view.caller.tenant === undefined ? renderSwitcher(view, page) : <Code>{view.company.id}</Code>}
      <span class="lost" role="status">
        <span>not connected</span>
      </span>
      {renderSearch(
        view,
        "",
        "any id, reference, number or text",
        page.path === "" ? searchedFor(view.query) : undefined,
        "search",
      )}
      {view.signedIn && (
        <PostForm view={view} path="/sign-out">
          <button class="button quiet">Sign out</button>
        </PostForm>
      )}
      {renderStrip(view)}
    </header>
  );
}

/** Shows what needs attention in this company, each item with a link to the page that explains it. */
function renderStrip(view: View) {
  const { company, sandbox } = view;
  const { rules, deliveries } = company.world;
  const isRunning = company.clock.mode === "running";
  const findings = sandbox.observationOf(company.id).findings.list();
  const critical = findings.filter(({ severity }) => severity === "critical").length;
  const failing = deliveries.values().filter(isFailing).length;
  const count = (found: number, tone: Tone, path: string, one: string, many: string, query = {}): Child => (
    <a class={found > 0 ? tone : "plain"} href={linkTo(view, path, query)}>
      {found > 0 ? `${showNumber(found)} ${found === 1 ? one : many}` : `no ${one}`}
    </a>
  );
  return (
    <nav class="strip" aria-label="State of the company">
      {count(critical, "bad", "/findings", "critical finding", "critical findings")}
      {count(rules.size, "warn", "/rules", "rule in force", "rules in force")}
      {count(failing, "bad", "/deliveries", "webhook failing", "webhooks failing", { status: "failing" })}
      <a class={isRunning ? "plain" : "info"} href={linkTo(view, "/clock")} data-runs={isRunning ? "" : undefined}>
        {isRunning ? "clock running" : ["clock frozen at ", <Time at={company.now()} />]}
      </a>
    </nav>
  );
}

/** Links to the newest companies. They are links and not a select: arrow keys change nothing, and after Back the company is that of the page. */
function renderSwitcher(view: View, page: DashboardPage) {
  const { sandbox, company, query } = view;
  const { before: _, ...kept } = query;
  const section = sectionOf(page);
  const list = section && (tabsOf(section).find((tab) => isBeside(tab, page.path)) ?? section.pages[0]);
  const hrefOf = (id: string): string =>
    linkTo({ ...view, company: sandbox.findCompany(id) ?? company }, list?.path ?? "", list === page ? kept : {});
  const { rows } = readList(sandbox.opened);
  return (
    <div class="switcher">
      <button
        type="button"
        class="button quiet code"
        popovertarget="companies"
        aria-label={`Company ${company.id}: switch`}
      >
        {company.id} ▾
      </button>
      <div id="companies" class="menu" popover="auto">
        {renderSearch(view, "/companies", "company", undefined, "company-search")}
        <ul>
          {rows.map(({ id }) => (
            <li>
              <a class="code" href={hrefOf(id)} aria-current={id === company.id ? "true" : undefined}>
                {id}
              </a>
            </li>
          ))}
        </ul>
        <a href={linkTo(view, "/companies")}>All {sandbox.opened.size} companies</a>
      </div>
    </div>
  );
}

function renderSections(view: View, page: DashboardPage) {
  const current = sectionOf(page);
  const keys = [["/", "search"], ...sections.map(({ key, title }) => [`g ${key}`, title]), ["?", "this list"]];
  return (
    <nav class="sections" aria-label="Sections">
      {sections.map((section) => (
        <a
          href={linkTo(view, section.pages[0]?.path ?? "")}
          aria-current={section === current ? "page" : undefined}
          data-key={section.key}
        >
          {section.title}
        </a>
      ))}
      <button type="button" class="button quiet scripted-only" popovertarget="keys">
        Keys
      </button>
      <div id="keys" class="menu" popover="auto">
        <h2>Keys</h2>
        <Facts of={keys.map(([key, does]) => [<kbd>{key}</kbd>, does])} />
      </div>
      <p class="soft">Version {VERSION}</p>
    </nav>
  );
}

function renderTabs(view: View, page: DashboardPage) {
  const section = sectionOf(page);
  const tabs = section === undefined ? [] : tabsOf(section);
  if (tabs.length < 2) return undefined;
  return (
    <nav class="tabs" aria-label={section?.title}>
      {tabs
        .filter(({ isAdmin }) => isAdmin !== true || view.caller.tenant === undefined)
        .map((tab) => (
          <a href={linkTo(view, tab.path)} aria-current={isBeside(tab, page.path) ? "page" : undefined}>
            {titleOf(view, tab)}
          </a>
        ))}
    </nav>
  );
}

function titleOf(view: View, { title }: DashboardPage): string {
  return typeof title === "string" ? title : title(view);
}

function renderOutcome(view: View) {
  const { outcome } = view;
  if (outcome === undefined) return undefined;
  const { ok, title, problems, curl, undo } = outcome;
  return (
    <section class={`alert outcome ${ok ? "good" : "bad"}`} role={ok ? "status" : "alert"} id={`outcome-${outcome.id}`}>
      <strong>{title}</strong>
      <Lines of={problems} />
      {undo !== undefined && (
        <PostForm view={view} path="/actions/undo" fields={{ outcome: outcome.id }}>
          <button class="button">Undo</button>
        </PostForm>
      )}
      {curl !== "" && <CommandLine line={curl} of="what was done" />}
    </section>
  );
}
