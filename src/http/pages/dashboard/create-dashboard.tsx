import { Hono } from "hono";
import type { Rule } from "../../../domain/model/rule.js";
import { quote } from "../../../kernel/messages/text.js";
import type { Company } from "../../../sandbox/company/company.js";
import type { Sandbox } from "../../../sandbox/sandbox.js";
import { logBug } from "../../api/answer.js";
import type { Guesses } from "../../shared/guesses.js";
import { refusalOf } from "../../control/control-endpoint.js";
import { type HttpContext, type HttpEnv, dropBodyOfHead } from "../../shared/env.js";
import { answerPage } from "../shared/answer-page.js";
import { backOf, createGuard, redirectTo, renderProblem } from "./guard-dashboard.js";
import { createLive } from "./live.js";
import { pages } from "./registry.js";
import { type AskControl, runAction } from "./run-action.js";
import { Sessions } from "./sessions.js";
import { renderPage } from "./shell.js";
import { createAuditDesk } from "./take-audit.js";
import { type ActionName, type Fields, isAction } from "./view/actions.js";
import { createAuditor } from "../../../audit/auditor.js";
import { Memory, type SwitchedOff } from "./view/memory.js";
import { DASHBOARD, type ScenarioList, type View, rootOf } from "./view/view.js";
import { renderRule } from "../../../sandbox/state/rules.js";
import { endOf } from "../../shared/after-answer.js";
import { selectCompany, whenReady } from "../../shared/company.js";

interface DashboardDeps {
  readonly sandbox: Sandbox;
  /** The control API, without the guards of a socket. */
  readonly ask: AskControl;
  readonly scenarios: ScenarioList | undefined;
  readonly guesses: Guesses;
}

/** Everything below `/_sandbox/dashboard`, and `/_sandbox` itself. `refuseForgery` has refused other machines and other origins before. */
export function createDashboard({ sandbox, ask, scenarios, guesses }: DashboardDeps): Hono<HttpEnv> {
  const sessions = new Sessions(sandbox.system, sandbox.options.adminToken);
  const guard = createGuard(sandbox, sessions, guesses);
  const memory = new Memory();
  const live = createLive(sandbox);
  const auditor = createAuditor(sandbox.system);
  const auditDesk = createAuditDesk(sandbox, auditor, memory);
  const app = new Hono<HttpEnv>();
  app.use("*", dropBodyOfHead);
  app.use("*", guard.requireSession);

  app.get(`${DASHBOARD}/sign-in`, guard.showSignIn);
  app.post(`${DASHBOARD}/sign-in`, guard.signIn);
  app.post(`${DASHBOARD}/sign-out`, guard.signOut);
  const takeAudit = guard.takeForm((c, form) => auditDesk.take(c, companyOf(c), form));
  app.post(`${DASHBOARD}/audit`, takeAudit);
  app.post(`${DASHBOARD}/actions/:name`, guard.takeForm(act));
  app.get(`${DASHBOARD}/live`, (c) => live(c, companyOf(c)));
  app.get(DASHBOARD, (c) => redirectTo(c, "/_sandbox"));

  for (const page of pages) {
    app.get(page.path === "" ? "/_sandbox" : DASHBOARD + page.path, async (c) => {
      // A reset meanwhile replaces the company.
      const company = await whenReady(
        companyOf(c),
        () => companyOf(c),
        (ready) => ready,
      );
      return answerPage(sandbox, company, { status: 200, page: await renderPage(viewOf(c, company), page) });
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
    const company = companyOf(c);
    const before = [...company.world.rules.values()];
    const done = await runAction({ sandbox, company, here: new URL(c.req.url), ask, ended: endOf(c) }, name, fields);
    if (done.ok) rememberRules(company, name, fields, before);
    const page = new URL(backOf(back), "http://sandbox.invalid");
    page.searchParams.set("outcome", memory.addOutcome(done));
    return redirectTo(c, page.pathname + page.search);
  }

  /** A rule that was switched off can be switched on again. */
  function rememberRules({ id }: Company, name: ActionName, fields: Fields, before: readonly Rule[]): void {
    if (name === "removeRules") memory.addSwitchedOff(id, before.toReversed().map(writeRule));
    if (name === "removeRule")
      memory.addSwitchedOff(id, before.filter((rule) => rule.id === fields["id"]).map(writeRule));
    if (name === "addRule") memory.removeSwitchedOff(id, fields["rule"] ?? "");
  }

  function companyOf(c: HttpContext): Company {
    return selectCompany(sandbox, c.req.query("company"));
  }

  function viewOf(c: HttpContext, company: Company): View {
    const { company: _, outcome = "", ...query } = c.req.query();
    return {
      sandbox,
      company,
      redactor: sandbox.redactor,
      root: rootOf(c.req.path),
      here: new URL(c.req.url),
      query,
      id: c.req.param("id") ?? "",
      outcome: memory.findOutcome(outcome),
      signedIn: sessions.needed,
      formToken: sessions.formTokenOf(c),
      scenarios,
      auditor,
      audits: memory.audits(company.id),
      isAuditing: auditDesk.isRunning(),
      switchedOff: memory.switchedOff(company.id),
    };
  }

  function answerProblemPage(c: HttpContext, status: number, messages: readonly string[]): Promise<Response> {
    const title = titles[status] ?? "That did not work";
    return answerPage(sandbox, undefined, { status, page: renderProblem(c, title, messages) });
  }
}

const titles: Readonly<Record<number, string>> = { 404: "There is nothing here", 500: "An error inside the sandbox" };

/** The rule as a client would send it. */
function writeRule(stored: Rule): SwitchedOff {
  const { name, on, match, then, times } = renderRule(stored);
  const text = JSON.stringify({
    ...(name === null ? {} : { name }),
    on,
    ...(Object.keys(match).length === 0 ? {} : { match }),
    then,
    ...(times === null || times === 0 ? {} : { times }),
  });
  return { name, text };
}
