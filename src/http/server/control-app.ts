import { Hono } from "hono";
import { didYouMean, pathsLike } from "../../kernel/messages/suggest.js";
import { type HttpContext, type HttpEnv, dropBodyOfHead } from "../shared/env.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { ServiceDifference } from "../pages/dashboard/view/view.js";
import { createDashboard } from "../pages/dashboard/create-dashboard.js";
import { logRequests } from "../shared/log-request.js";
import { describeProblem, respond } from "../api/answer.js";
import { type ScenarioReplayer, behaviourRoutes, scenarioRoutes } from "../control/behaviour-routes.js";
import { clockRoutes } from "../control/clock-routes.js";
import { companiesRoutes, openCompany } from "../control/companies-routes.js";
import { deliveriesRoutes } from "../control/deliveries-routes.js";
import { observationRoutes } from "../control/observation-routes.js";
import { paymentsRoutes } from "../control/payments-routes.js";
import { stateRoutes } from "../control/state-routes.js";
import { streamRoutes } from "../control/stream-routes.js";
import { answerRefusal, createControlEndpoint } from "../control/control-endpoint.js";
import type { ControlRoute } from "../control/control-route.js";
import { createInProcessFetch } from "./in-process-fetch.js";
import { AddressLimit, GUESS_MS, GUESSES_MAX } from "../shared/address-limit.js";
import { createSelfService } from "../shared/self-service.js";
import { refuseForgery, requireCaller, reserveBodies } from "../control/guards.js";

/** Additions that the caller supplies, because scenarios are a ring beside this one. */
export interface AppExtensions {
  readonly replayer?: ScenarioReplayer;
  /** Where the real service differs from the sandbox, for the dashboard. */
  readonly differences?: () => readonly ServiceDifference[];
}

interface ControlExtensions extends AppExtensions {
  /** Answers the dashboard's calls. Default: the control API alone. */
  readonly ask?: (request: Request) => Promise<Response>;
}

/** Pages, and what they load, are only read. */
const NOT_OF_PAGES = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

const ownRoutes: readonly ControlRoute[] = [
  ...companiesRoutes,
  ...clockRoutes,
  ...stateRoutes,
  ...paymentsRoutes,
  ...behaviourRoutes,
];

/**
 * The control API, which drives the sandbox: JSON in and out, 400 for wrong input and 422 for a wrong state. Error bodies always have the full shape,
 * even if `errors.shape` gives the API under test another.
 *
 * Each request passes the dashboard's pages, the check for forgeries (403), credentials (401), path (404) and method (405), then
 * `createControlEndpoint`.
 */
export function createControlApp(
  sandbox: Sandbox,
  { replayer, differences, ask }: ControlExtensions = {},
): Hono<HttpEnv> {
  const routes = [
    ...ownRoutes,
    ...observationRoutes(),
    ...deliveriesRoutes(),
    ...streamRoutes(),
    ...scenarioRoutes(replayer),
  ];
  const app = new Hono<HttpEnv>().basePath("/_sandbox");
  app.use("*", dropBodyOfHead);
  const guesses = new AddressLimit(sandbox.system, GUESSES_MAX, GUESS_MS);
  const selfService = createSelfService(sandbox);
  const reserveBody = reserveBodies();
  const dashboard = createDashboard({
    sandbox,
    selfService,
    ask: ask ?? createInProcessFetch(() => app),
    guesses,
    reserveBody,
    differences,
  });
  const answerPage = (c: HttpContext): Response | Promise<Response> => dashboard.fetch(c.req.raw, c.env);
  app.get("/", answerPage);
  app.on(["GET", "POST"], ["/dashboard", "/dashboard/*"], answerPage);
  app.use("*", logRequests(sandbox), refuseForgery(sandbox));
  if (selfService !== undefined) app.post("/companies", openCompany(sandbox, selfService));
  const openPaths = routes.filter(({ access }) => access === "anyone").map(({ path }) => `/_sandbox${path}`);
  app.use("*", requireCaller(sandbox, guesses, openPaths));
  for (const path of ["/", "/assets/:file"]) app.on(NOT_OF_PAGES, path, methodNotAllowed(sandbox, [{ method: "GET" }]));
  for (const path of new Set(routes.map((route) => route.path))) {
    const own = routes.filter((route) => route.path === path);
    for (const route of own) app.on(route.method, path, createControlEndpoint(sandbox, route, reserveBody));
    app.all(path, methodNotAllowed(sandbox, own));
  }
  app.all("*", notFound(sandbox, [...new Set(routes.map(({ path }) => `/_sandbox${path}`))]));
  app.onError((error, c) => respond(sandbox, undefined, describeProblem(sandbox, undefined, c.req.path, error)));
  return app;
}

function methodNotAllowed(sandbox: Sandbox, own: readonly Pick<ControlRoute, "method">[]) {
  const allow = own.map(({ method }) => method).join(", ");
  return (c: HttpContext): Response => {
    const message = `${c.req.method} is not a method of this path; it has ${allow}`;
    return answerRefusal(sandbox, undefined, c.req.path, { status: 405, messages: [message], headers: { allow } });
  };
}

function notFound(sandbox: Sandbox, paths: readonly string[]) {
  return (c: HttpContext): Response => {
    const hint = didYouMean(c.req.path, pathsLike(c.req.path, paths));
    const messages = [`There is no ${c.req.method} ${c.req.path} here${hint === "" ? "" : `.${hint}`}`];
    const company = sandbox.findCompany(c.var.caller.tenant ?? "");
    return answerRefusal(sandbox, company, c.req.path, { status: 404, messages });
  };
}
