import { type Context, Hono } from "hono";
import type { Rule } from "../../../domain/model/rule.js";
import type { Company } from "../../../sandbox/company/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { logBug } from "../../api/answer.js";
import { refusalOf } from "../../control/control-endpoint.js";
import { type HttpContext, type HttpEnv, dropBodyOfHead } from "../../shared/env.js";
import { answerPage } from "../answer-page.js";
import { type ActionName, type Fields, isAction } from "./view/actions.js";
import type { Auditor } from "./view/auditor.js";
import { Audits } from "./view/audits.js";
import { takeAudit } from "./take-audit.js";
import { backOf, requireSession, showSignIn, signIn, signOut, takeForm } from "./guard-dashboard.js";
import { createLive } from "./live.js";
import { Outcomes } from "./view/outcomes.js";
import { pages } from "./registry.js";
import { type AskControl, runAction } from "./run-action.js";
import { Sessions } from "./sessions.js";
import { Shell } from "./shell.js";
import { ProblemPage } from "./sign-in.js";
import { SwitchedOffRules } from "./view/switched-off.js";
import { DASHBOARD, type ScenarioList, type View, rootOf } from "./view/view.js";
import { quote } from "../../../kernel/text.js";
import { makeReady, selectCompany } from "../../shared/company.js";
import { renderRule } from "../../../sandbox/state/rules.js";

export interface DashboardDeps {
  readonly sandbox: Sandbox;
  /** The control API, without the guards of a socket. */
  readonly ask: AskControl;
  /** Undefined when it replays none. */
  readonly scenarios: ScenarioList | undefined;
  /** Undefined when it audits no receivers. */
  readonly auditor: Auditor | undefined;
}

/** Everything below `/_sandbox/dashboard`, and `/_sandbox` itself. Who asks comes from this machine or from an own page: `refuseForgery` has seen to it. */
export function createDashboard({ sandbox, ask, scenarios, auditor }: DashboardDeps): Hono<HttpEnv> {
  const sessions = new Sessions(sandbox.system, sandbox.options.adminToken);
  const outcomes = new Outcomes();
  const switchedOff = new SwitchedOffRules();
  const audits = new Audits();
  const live = createLive(sandbox);
  const app = new Hono<HttpEnv>();
  app.use("*", dropBodyOfHead);
  app.use("*", requireSession(sandbox, sessions));

  app.get(`${DASHBOARD}/sign-in`, showSignIn(sandbox, sessions));
  app.post(`${DASHBOARD}/sign-in`, takeForm(sandbox, sessions, signIn(sandbox, sessions)));
  app.post(`${DASHBOARD}/sign-out`, takeForm(sandbox, sessions, signOut(sessions)));
  app.post(`${DASHBOARD}/actions/:name`, takeForm(sandbox, sessions, act));
  if (auditor !== undefined) {
    const deps = { sandbox, audits, auditor, outcomes };
    const audit = (c: HttpContext, form: Fields) => takeAudit(deps, c, companyOf(c, sandbox), form);
    app.post(`${DASHBOARD}/audit`, takeForm(sandbox, sessions, audit));
  }
  app.get(`${DASHBOARD}/live`, (c) => live(c, companyOf(c, sandbox)));
  app.get(DASHBOARD, (c) => c.redirect(`${rootOf(c.req.path)}_sandbox`, 303));

  for (const page of pages) {
    app.get(page.path === "" ? "/_sandbox" : DASHBOARD + page.path, async (c) => {
      const company = await readyCompany(c, sandbox);
      const view = viewOf(c, company);
      const title = typeof page.title === "string" ? page.title : page.title(view);
      const content = await page.render(view);
      const shown = (
        <Shell view={view} page={page} title={title}>
          {content}
        </Shell>
      );
      return answerPage(sandbox, company, { status: 200, page: shown });
    });
  }
  app.notFound((c) => answerProblemPage(c, 404, [`There is no page ${c.req.path} here.`]));
  app.onError((error, c) => {
    const { status, messages } = refusalOf(error);
    if (status !== 500) return answerProblemPage(c, status, messages);
    const correlationId = sandbox.ids.hex32();
    logBug(sandbox, undefined, { correlationId, path: c.req.path }, error);
    return answerProblemPage(c, status, [...messages, `correlationId: ${correlationId}`]);
  });
  return app;

  async function act(c: HttpContext, { back, ...fields }: Fields): Promise<Response> {
    const name = c.req.param("name") ?? "";
    if (!isAction(name)) return answerProblemPage(c, 404, [`There is no action ${quote(name)}.`]);
    const company = companyOf(c, sandbox);
    const before = [...company.world.rules.values()];
    const done = await runAction({ sandbox, company, here: new URL(c.req.url), ask }, name, fields);
    if (done.ok) noteRules(company, name, fields, before);
    const { id } = outcomes.keep(done);
    return c.redirect(rootOf(c.req.path) + withOutcome(backOf(back), id).slice(1), 303);
  }

  /** A rule that was switched off can be switched on again. */
  function noteRules({ id }: Company, name: ActionName, fields: Fields, before: readonly Rule[]): void {
    if (name === "removeRules") switchedOff.add(id, before.toReversed().map(renderRule));
    if (name === "removeRule") switchedOff.add(id, before.filter((rule) => rule.id === fields["id"]).map(renderRule));
    if (name === "addRule") switchedOff.forget(id, fields["rule"] ?? "");
  }

  function viewOf(c: HttpContext, company: Company): View {
    const { company: _, outcome, ...query } = c.req.query();
    return {
      sandbox,
      company,
      redactor: sandbox.redactor,
      root: rootOf(c.req.path),
      here: new URL(c.req.url),
      query,
      id: c.req.param("id") ?? "",
      outcome: outcome === undefined ? undefined : outcomes.find(outcome),
      signedIn: sessions.needed,
      formToken: sessions.formTokenOf(c),
      scenarios,
      audits:
        auditor === undefined
          ? undefined
          : { groups: () => auditor.groups(), kept: audits.of(company.id), isRunning: audits.isRunning },
      switchedOff: switchedOff.of(company.id),
    };
  }

  function answerProblemPage(c: Context, status: number, messages: readonly string[]): Promise<Response> {
    const title = titles[status] ?? "That did not work";
    const page = <ProblemPage root={rootOf(c.req.path)} title={title} messages={messages} />;
    return answerPage(sandbox, undefined, { status, page });
  }
}

const titles: Readonly<Record<number, string>> = { 404: "There is nothing here", 500: "An error inside the sandbox" };

function companyOf(c: HttpContext, sandbox: Sandbox): Company {
  return selectCompany(sandbox, c.req.query("company"));
}

/** With everything due done. A reset meanwhile has put another in its place. */
async function readyCompany(c: HttpContext, sandbox: Sandbox): Promise<Company> {
  const company = companyOf(c, sandbox);
  await makeReady(company);
  const standing = companyOf(c, sandbox);
  return standing === company ? company : readyCompany(c, sandbox);
}

function withOutcome(back: string, id: string): string {
  const url = new URL(back, "http://sandbox.invalid");
  url.searchParams.set("outcome", id);
  return url.pathname + url.search;
}
