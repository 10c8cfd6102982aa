import { Hono } from "hono";
import { StoreUnavailable } from "../../../adapters/store/store.js";
import { quote } from "../../../kernel/messages/text.js";
import type { Company } from "../../../sandbox/company/company.js";
import { logBug } from "../../api/answer.js";
import { refuseForgery } from "../../control/guards.js";
import { refusalOf } from "../../control/control-endpoint.js";
import { type HttpContext, type HttpEnv, closeConnection, dropBodyOfHead } from "../../shared/env.js";
import { answerPage } from "../shared/answer-page.js";
import { renderProblem } from "./boxes.js";
import { Guard, type GuardDeps } from "./guard.js";
import { backOf, redirectTo } from "./redirect.js";
import { createLive } from "./live.js";
import { pages } from "./registry.js";
import { type AskControl, requestOf, runAction, runUndo } from "./run-action.js";
import { Sessions } from "./sessions.js";
import { renderPage } from "./shell.js";
import { createAuditRunner } from "./take-audit.js";
import { type Fields, isAction } from "./view/actions.js";
import { createAuditor } from "../../../audit/auditor.js";
import { Memory } from "./view/memory.js";
import { DASHBOARD, type View, rootOf } from "./view/view.js";
import { afterAnswer, endOf } from "../../shared/after-answer.js";
import { type Caller, reach, reachCompany } from "../../shared/caller.js";
import { onceStored, whenReady } from "../../shared/company.js";
import { CompanyLimit } from "../../shared/company-limit.js";
import { logRequests } from "../../shared/log-request.js";

interface DashboardDeps extends Omit<GuardDeps, "sessions"> {
  /** The control API without the guards that it has on a socket. */
  readonly ask: AskControl;
  readonly differences: View["differences"];
}

/** Everything below `/_sandbox/dashboard`, and `/_sandbox` itself. */
export function createDashboard(deps: DashboardDeps): Hono<HttpEnv> {
  const { sandbox, ask, differences } = deps;
  const sessions = new Sessions(sandbox);
  const guard = new Guard({ ...deps, sessions });
  const memory = new Memory();
  const live = createLive(sandbox);
  const downloads = new CompanyLimit(1, "A file of this company is being downloaded. Try again then.");
  const auditor = createAuditor(sandbox.system);
  const auditRunner = createAuditRunner(sandbox, auditor, memory);
  const app = new Hono<HttpEnv>();
  app.use("*", logRequests(sandbox), refuseForgery(sandbox), dropBodyOfHead, closeConnection);
  app.use("*", (c, next) => guard.requireSession(c, next), onceStored(sandbox));

  app.get(`${DASHBOARD}/sign-in`, (c) => guard.showSignIn(c));
  app.post(`${DASHBOARD}/sign-in`, guard.signIn);
  app.post(`${DASHBOARD}/sign-out`, guard.signOut);
  app.post(`${DASHBOARD}/open`, guard.open);
  app.post(
    `${DASHBOARD}/audit`,
    guard.takeForm((c, form) => auditRunner.take(c, companyOf(c), form)),
  );
  app.post(`${DASHBOARD}/actions/:name`, guard.takeForm(act));
  for (const [file, path] of [
    ["state.json", "/state"],
    ["requests.har", "/requests?format=har"],
  ] as const)
    app.get(`${DASHBOARD}/${file}`, (c) => {
      const company = companyOf(c);
      afterAnswer(c, sandbox.system).after(downloads.begin(company.id));
      return ask(requestOf(contextOf(c, company), { method: "GET", path }));
    });
  app.get(`${DASHBOARD}/live`, (c) => live(c, companyOf(c)));
  app.get(DASHBOARD, (c) => redirectTo(c, `/_sandbox${new URL(c.req.url).search}`));

  for (const page of pages) {
    app.get(page.path === "" ? "/_sandbox" : DASHBOARD + page.path, async (c) => {
      if (page.isAdmin === true) reach(sandbox, c.var.caller, "sandbox", undefined);
      // A reset may have replaced the company meanwhile.
      const company = await whenReady(
        companyOf(c),
        () => companyOf(c),
        (ready) => ready,
      );
      return answerPage(sandbox, company, { status: 200, page: await renderPage(viewOf(c, company), page) });
    });
  }
  app.notFound((c) => {
    const { pathname, search } = new URL(c.req.url);
    if (pathname.endsWith("/")) return redirectTo(c, pathname.replace(/\/+$/, "") + search);
    return answerProblemPage(c, 404, [`There is no page ${c.req.path} here.`]);
  });
  app.onError((error, c) => {
    const { status, messages } = refusalOf(error);
    if (status !== 500 || error instanceof StoreUnavailable) return answerProblemPage(c, status, messages);
    const correlationId = sandbox.ids.hex32();
    logBug(sandbox, undefined, { correlationId, path: c.req.path }, error);
    const page = renderProblem(c, "An error inside the sandbox", [...messages, `correlationId: ${correlationId}`]);
    return answerPage(sandbox, undefined, { status: 500, page });
  });
  return app;

  async function act(c: HttpContext, { back, ...fields }: Fields): Promise<Response> {
    const name = c.req.param("name") ?? "";
    const company = companyOf(c);
    const opened = sandbox.openedAs(company);
    const context = contextOf(c, company);
    const undo =
      name === "undo" ? memory.findOutcome(opened, fields["outcome"] ?? "", c.var.caller.tenant)?.undo : undefined;
    const done =
      undo !== undefined ? await runUndo(context, undo) : isAction(name) && (await runAction(context, name, fields));
    if (!done) return answerProblemPage(c, 404, [`There is no action ${quote(name)}.`]);
    const page = new URL(done.leadsTo ?? backOf(back), "http://sandbox.invalid");
    if (done.leadsTo !== undefined && company !== sandbox.defaultCompany) page.searchParams.set("company", company.id);
    if (page.pathname.startsWith("/_sandbox"))
      page.searchParams.set("outcome", memory.addOutcome(opened, done, c.var.caller.tenant));
    return redirectTo(c, page.pathname + page.search);
  }

  function contextOf(c: HttpContext, company: Company) {
    return { sandbox, company, caller: c.var.caller, here: new URL(c.req.url), ask, ended: endOf(c) };
  }

  function companyOf(c: HttpContext): Company {
    const company = reachCompany(sandbox, c.var.caller, c.req.query("company"));
    c.set("companyId", company.id);
    return company;
  }

  function viewOf(c: HttpContext, company: Company): View {
    const { company: _, outcome = "", ...query } = c.req.query();
    const opened = sandbox.openedAs(company);
    return {
      sandbox,
      company,
      caller: c.var.caller,
      redactor: sandbox.redactorOf(company),
      root: rootOf(c.req.path),
      here: new URL(c.req.url),
      query,
      id: c.req.param("id") ?? "",
      outcome: memory.findOutcome(opened, outcome, c.var.caller.tenant),
      signedIn: sessions.needed,
      formToken: sessions.formTokenOf(c),
      auditor,
      audit: memory.findAudit(opened),
      differences,
    };
  }

  /** Shows the problem in the frame of the company that the address names, otherwise of the first one that the reader reaches. */
  async function answerProblemPage(c: HttpContext, status: number, messages: readonly string[]): Promise<Response> {
    const title = status === 404 ? "There is nothing here" : "That did not work";
    const caller: Caller | undefined = c.var.caller;
    const { tenant } = caller ?? {};
    const named = sandbox.findCompany(tenant ?? c.req.query("company") ?? "");
    const company = caller === undefined ? undefined : (named ?? sandbox.fallback);
    // The frame loads its address again with GET, but the address of a form answers only POST.
    if (company === undefined || c.req.method !== "GET")
      return answerPage(sandbox, undefined, { status, page: renderProblem(c, title, messages) });
    const path = c.req.path.slice(DASHBOARD.length);
    const page = { path, title, render: () => messages.map((message) => <p>{message}</p>) };
    return answerPage(sandbox, company, { status, page: await renderPage(viewOf(c, company), page) });
  }
}
